#include "ListReaders.h"

#include <algorithm>
#include <chrono>

namespace supplierd::tests {

namespace {

constexpr unsigned READERS = 8;
/// Comparing an answer takes much longer than getting it.
constexpr std::chrono::milliseconds PAUSE{20};

} // namespace

ListReaders::ListReaders(ListServers& servers, unsigned seed) : RecordingReaders(servers, "/products/", PAUSE) {
    start(READERS, seed);
}

void ListReaders::readSome(Reader& reader) {
    const int dice = reader.number(24);
    reader.supplier = &servers().supplier(dice < 12 ? 0 : dice < 23 ? 1 : 2);
    switch (reader.number(8)) {
    case 0:
        return walk(reader);
    case 1:
        return followChanges(reader);
    case 2:
        return readObject(reader, reader.supplier->anyProduct(reader.random));
    default:
        return readList(reader);
    }
}

ListRequest ListReaders::anyRequest(Reader& reader) {
    return ListRequest::random(reader.random, servers().categories());
}

void ListReaders::prepare(RecordedAnswer& answer) {
    answer.marketplaceHeardOf = servers().marketplaceHeard().least();
}

void ListReaders::followChanges(Reader& reader) {
    ListRequest request = anyRequest(reader);
    const std::int64_t known = reader.supplier->heard.least();
    request.changedAfter = reader.isOneIn(10) ? 0 : std::max<std::int64_t>(0, known - reader.number(30));
    RecordingReaders::followChanges(reader, request);
}

} // namespace supplierd::tests
