#include "TcpStream.h"

#include "FetchError.h"

#include <Poco/Exception.h>
#include <Poco/Net/StreamSocketImpl.h>

#include <sys/socket.h>

namespace supplierd::media {

namespace {

FetchError broken() {
    return {FetchErrorCode::Connect, "the connection to the image's server broke"};
}

} // namespace

std::size_t TcpStream::read(std::span<char> buffer, const TimeLimit& limit) {
    for (;;) {
        limit.check(); // a peer that always has bytes ready must not get round the limit
        try {
            const int count = _socket.receiveBytes(buffer.data(), static_cast<int>(buffer.size()));
            if (count >= 0)
                return static_cast<std::size_t>(count);
        } catch (const Poco::Exception&) {
            throw broken();
        }
        limit.wait(_socket.impl()->sockfd(), POLLIN);
    }
}

void TcpStream::write(std::string_view bytes, const TimeLimit& limit) {
    while (!bytes.empty()) {
        limit.check();
        try {
            const int count = _socket.sendBytes(bytes.data(), static_cast<int>(bytes.size()), MSG_NOSIGNAL);
            if (count > 0) {
                bytes.remove_prefix(static_cast<std::size_t>(count));
                continue;
            }
        } catch (const Poco::Exception&) {
            throw broken();
        }
        limit.wait(_socket.impl()->sockfd(), POLLOUT);
    }
}

} // namespace supplierd::media
