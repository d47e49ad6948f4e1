#pragma once

#include <Poco/Net/SocketAddress.h>

namespace supplierd::host {

/// Says where a connection to a judged address goes: there. Tests lead it elsewhere. Thread: any, several at once.
class Connector {
public:
    virtual ~Connector() = default;

    /// Throws HttpError (Connect) to refuse.
    virtual Poco::Net::SocketAddress destination(const Poco::Net::SocketAddress& judged) const { return judged; }
};

} // namespace supplierd::host
