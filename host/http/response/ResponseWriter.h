#pragma once

#include "host/gate/ResponseOutput.h"
#include "host/http/pipeline/Exchange.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace supplierd::host {

inline void appendField(std::string& head, std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
}

inline void appendField(std::string& head, std::string_view name, std::int64_t value) {
    const fmt::format_int digits(value);
    appendField(head, name, std::string_view(digits.data(), digits.size()));
}

/// The value of the first header of this name, in any case; null when there is none.
const std::string* findHeader(const std::vector<std::pair<std::string, std::string>>& headers, std::string_view name);

/// The status line and every field but those that describe the body. Written by hand because Poco's way through a
/// stream and a list of fields costs more than the rest of the response.
void appendHead(std::string& head, const Exchange& exchange);

/// A response as it goes to the gate. Its bytes are the thread's, until the next one is written.
struct WrittenResponse {
    OutgoingResponse outgoing;
    std::size_t headSize = 0;
    std::shared_ptr<const std::uint64_t> streamed; ///< of a stream: the bytes that it gives, without their framing
};

/// Writes the envelope around the result (no content: see writeContent) with a Content-Length.
WrittenResponse writeResponse(Exchange& exchange, bool closes);

/// How much of a stream is sent at a time.
inline constexpr std::size_t STREAM_PIECE = std::size_t{64} << 10;

/// Reads from the stream until the piece is full or all is read; true when it is. Throws whatever the stream throws.
bool readPiece(ContentStream& stream, std::string& piece);

/// Writes the head of the exchange's content, or of the chosen part of it, or of a stream whose beginning was read; the
/// bytes follow from the content itself, which may throw, or give others than it said.
WrittenResponse writeContent(Exchange& exchange, bool closes);

} // namespace supplierd::host
