#pragma once

#include "host/http/Exchange.h"
#include "host/http/response/BodyOutput.h"

namespace supplierd::host {

/// How much of a stream is sent at a time.
inline constexpr std::size_t STREAM_PIECE = std::size_t{64} << 10;

/// Reads from the stream until the piece is full or all is read; true when it is. Throws whatever the stream throws.
bool readPiece(ContentStream& stream, std::string& piece);

/// Sends the exchange's content, or the chosen part of it, with its head, and notes how many bytes went out. A client
/// that is gone is no error. Throws whatever the content throws, and std::runtime_error when it gives other bytes than
/// it said; the connection must be closed then.
/// Also of a stream, whose beginning was read.
void sendContent(Exchange& exchange, bool closes, const OutputLimits& limits);

} // namespace supplierd::host
