#pragma once

#include "ByteStream.h"

#include <Poco/Net/StreamSocket.h>

namespace supplierd::media {

/// A plain connection.
class TcpStream : public ByteStream {
public:
    /// `socket` is connected and non-blocking.
    explicit TcpStream(Poco::Net::StreamSocket socket) : _socket(std::move(socket)) {}

    std::size_t read(std::span<char> buffer, const TimeLimit& limit) override;
    void write(std::string_view bytes, const TimeLimit& limit) override;

private:
    Poco::Net::StreamSocket _socket;
};

} // namespace supplierd::media
