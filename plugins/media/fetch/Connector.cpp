#include "Connector.h"

#include "FetchError.h"

#include <Poco/Exception.h>
#include <Poco/Net/StreamSocketImpl.h>

#include <fcntl.h>

namespace supplierd::media {

using Poco::Net::SocketAddress;
using Poco::Net::StreamSocket;

namespace {

FetchError cannotConnect(int error) {
    if (error == ECONNREFUSED)
        return {FetchErrorCode::Connect, "the image's server refused the connection"};
    return {FetchErrorCode::Connect, "the image's server cannot be reached"};
}

} // namespace

StreamSocket TcpConnector::connect(const SocketAddress& address, const TimeLimit& limit) const {
    limit.check();
    StreamSocket socket;
    try {
        socket.connectNB(address);
    } catch (const Poco::Exception& problem) {
        throw cannotConnect(problem.code());
    }
    const int descriptor = socket.impl()->sockfd();
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    limit.wait(descriptor, POLLOUT);
    if (const int error = socket.impl()->socketError(); error != 0)
        throw cannotConnect(error);
    return socket;
}

} // namespace supplierd::media
