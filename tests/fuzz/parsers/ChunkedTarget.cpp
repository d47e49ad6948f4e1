#include "host/gate/ChunkedReader.h"
#include "tests/fuzz/parsers/FuzzTarget.h"

#include <algorithm>
#include <string>

namespace {

using namespace supplierd;
using host::ChunkedReader;
using tests::require;

constexpr std::uint64_t LIMIT = 10'000;

struct Reading {
    std::string body;
    std::size_t taken = 0;
    ChunkedReader::State state = ChunkedReader::State::Reading;
    int status = 0;

    bool operator==(const Reading&) const = default;
};

Reading read(std::string_view bytes, bool inPieces) {
    ChunkedReader reader(LIMIT);
    Reading reading;
    while (reading.taken < bytes.size() && reader.state() == ChunkedReader::State::Reading) {
        const auto rest = bytes.substr(reading.taken);
        const std::size_t size = inPieces ? 1 + (static_cast<unsigned char>(rest.front()) & 7U) : rest.size();
        reading.taken += reader.read(rest.substr(0, size), reading.body);
    }
    reading.state = reader.state();
    if (reading.state == ChunkedReader::State::Rejected)
        reading.status = reader.rejection().status;
    require(reader.decoded() == reading.body.size(), "the count of decoded bytes is wrong");
    return reading;
}

/// The bytes as chunks of sizes that follow from them.
std::string encoded(std::string_view bytes) {
    std::string out;
    while (!bytes.empty()) {
        const auto size = std::min<std::size_t>(1 + (static_cast<unsigned char>(bytes.front()) & 15U), bytes.size());
        constexpr std::string_view DIGITS = "0123456789abcdef";
        out += DIGITS[size >> 4U];
        out += DIGITS[size & 15U];
        out += "\r\n";
        out += bytes.substr(0, size);
        out += "\r\n";
        bytes.remove_prefix(size);
    }
    return out + "0\r\n\r\n";
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = tests::bytesOf(data, size);
    const auto whole = read(bytes, false);
    require(whole == read(bytes, true), "pieces are read otherwise than the whole");
    require(whole.body.size() <= LIMIT && whole.taken <= size, "more than the limit was read");
    if (whole.state == ChunkedReader::State::Complete)
        require(bytes.substr(0, whole.taken).ends_with("\r\n\r\n"), "a body that does not end in an empty line");
    const auto again = read(encoded(bytes) + "GET", true);
    if (size <= LIMIT)
        require(again.body == bytes && again.taken == encoded(bytes).size(), "what was encoded is not decoded");
    else
        require(again.status == 413, "a body beyond the limit was taken");
    return 0;
}
