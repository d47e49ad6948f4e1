#include "OrderReaders.h"

#include <algorithm>

namespace supplierd::tests {

namespace {

constexpr unsigned READERS = 6;

} // namespace

OrderReaders::OrderReaders(OrderServers& servers, unsigned seed) : RecordingReaders(servers, "/orders/") {
    start(READERS, seed);
}

void OrderReaders::readSome(Reader& reader) {
    reader.supplier = &servers().supplier(static_cast<std::size_t>(reader.number(OrderServers::SUPPLIERS)));
    switch (reader.number(12)) {
    case 0:
        return walk(reader);
    case 1:
        return followChanges(reader);
    case 2:
    case 3:
    case 4:
        return readList(reader);
    default:
        if (const auto order = reader.supplier->anyOrder(reader.random))
            readObject(reader, *order);
    }
}

void OrderReaders::followChanges(Reader& reader) {
    OrderRequest request = anyRequest(reader);
    request.changedAfter = std::max<std::int64_t>(0, reader.supplier->heard.least() - reader.number(60));
    if (reader.isOneIn(3)) {
        request.clearFilter();
        request.perPage += 10;
        request.changedAfter = 0;
    }
    RecordingReaders::followChanges(reader, request);
}

} // namespace supplierd::tests
