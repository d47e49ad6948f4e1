#pragma once

#include "ByteStream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::media {

/// Reads a connection in lines and blocks, and counts what arrives. Thread: one.
class StreamInput {
public:
    /// Both references must outlive this.
    StreamInput(ByteStream& stream, const TimeLimit& limit);

    /// What has arrived and is not consumed yet; waits when that is nothing. Empty at the end of the connection.
    std::string_view available();
    void consume(std::size_t count) { _begin += count; }

    /// The next line without its end (CR LF, or LF alone). Throws FetchError (HttpStatus) when it is longer than
    /// `maxLength`, and (Damaged) when the connection ends before the line does.
    std::string line(std::size_t maxLength);

    /// Bytes that have arrived altogether.
    std::uint64_t arrived() const { return _arrived; }

private:
    ByteStream& _stream;
    const TimeLimit& _limit;
    std::vector<char> _buffer;
    std::size_t _begin = 0;
    std::size_t _end = 0;
    std::uint64_t _arrived = 0;
};

} // namespace supplierd::media
