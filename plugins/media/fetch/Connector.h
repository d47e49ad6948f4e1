#pragma once

#include "TimeLimit.h"

#include <Poco/Net/SocketAddress.h>
#include <Poco/Net/StreamSocket.h>

namespace supplierd::media {

/// Opens TCP connections to addresses that have been judged. Thread: any, several at once.
class Connector {
public:
    virtual ~Connector() = default;

    /// A connected, non-blocking socket. Throws FetchError (Connect, Timeout, Stopped).
    virtual Poco::Net::StreamSocket connect(const Poco::Net::SocketAddress& address, const TimeLimit& limit) const = 0;
};

/// The real one.
class TcpConnector : public Connector {
public:
    Poco::Net::StreamSocket connect(const Poco::Net::SocketAddress& address, const TimeLimit& limit) const override;
};

} // namespace supplierd::media
