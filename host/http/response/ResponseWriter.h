#pragma once

#include "host/http/Exchange.h"
#include "host/http/response/BodyWriter.h"

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

/// Writes the envelope around the result (no content: see writeContent) and sends it whole, with a Content-Length.
/// Returns the bytes of the body. A client that is gone is no error.
std::size_t writeResponse(Exchange& exchange, bool closes);

/// Takes what the client still sends, for a bounded time and size, so that closing does not reset the connection before
/// the response was read.
void lingerBeforeClose(Poco::Net::HTTPServerRequest& request);

/// How much of a stream is sent at a time.
inline constexpr std::size_t STREAM_PIECE = std::size_t{64} << 10;

/// Reads from the stream until the piece is full or all is read; true when it is. Throws whatever the stream throws.
bool readPiece(ContentStream& stream, std::string& piece);

/// Sends the exchange's content, or the chosen part of it, with its head, and notes how many bytes went out. A client
/// that is gone is no error. Throws whatever the content throws, and std::runtime_error when it gives other bytes than
/// it said; the connection must be closed then.
/// Also of a stream, whose beginning was read.
void writeContent(Exchange& exchange, bool closes, const OutputLimits& limits);

} // namespace supplierd::host
