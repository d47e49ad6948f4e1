#pragma once

#include "host/gate/HeaderSyntax.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace supplierd::host {

/// Decodes one chunked body (RFC 9112, 7.1), strictly: sizes are hexadecimal digits and nothing else, every line ends
/// in CRLF, extensions are checked, bounded and forgotten, trailers too, and those that would steer a request are
/// refused. A value. Thread: one.
class ChunkedReader {
public:
    enum class State { Reading, Complete, Rejected };

    /// `limit`: of the decoded body.
    explicit ChunkedReader(std::uint64_t limit) : _limit(limit) {}

    /// Decodes as much as belongs to the body and appends it; returns how many bytes it took. What is left, once State
    /// is Complete, is the next request's.
    std::size_t read(std::string_view bytes, std::string& body);

    State state() const { return _state; }
    /// Once State::Rejected: 400, 413, or 431 for trailers. The connection has to be closed after the answer.
    const Rejection& rejection() const { return *_rejection; }
    std::uint64_t decoded() const { return _decoded; }

private:
    enum class Place {
        SizeBegin,
        Size,
        BlankBeforeExtension,
        ExtensionBegin, ///< behind the ';'
        ExtensionName,
        BlankAfterName,
        ValueBegin, ///< behind the '='
        Token,
        Quoted,
        QuotedPair,
        BlankAfterValue,
        SizeEnd, ///< behind the CR of a size line
        Data,
        DataEnd,     ///< before the CR behind the data
        DataEndLine, ///< and before its LF
        Trailer,
        TrailerEnd ///< behind the CR of a trailer's line
    };

    std::size_t takeData(std::string_view bytes, std::string& body);
    const Rejection* take(char c);
    const Rejection* takeSize(char c);
    const Rejection* takeExtension(char c);
    const Rejection* takeTrailer(char c);
    const Rejection* endSize();
    const Rejection* endTrailer();

    std::uint64_t _limit;
    State _state = State::Reading;
    Place _place = Place::SizeBegin;
    const Rejection* _rejection = nullptr;
    std::uint64_t _left = 0; ///< of the chunk; while its size is read: the size so far
    std::uint64_t _decoded = 0;
    unsigned _digits = 0;
    std::size_t _extensionBytes = 0; ///< of all chunks
    std::size_t _trailerBytes = 0;
    std::string _line; ///< of a trailer
};

} // namespace supplierd::host
