#include "host/http/ListeningSocket.h"

#include <Poco/Net/NetException.h>
#include <Poco/Net/ServerSocketImpl.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cerrno>
#include <stdexcept>
#include <string>

namespace supplierd::host {

namespace {

constexpr int BACKLOG = 1024;
/// Bytes that a connection leaves to the kernel beyond those that are on their way. Otherwise it takes up to 4 MB of
/// what a slow client does not want yet, and some thousands of those leave the others none of its memory for TCP.
constexpr int UNSENT_AT_MOST = 128 * 1024;

std::string advice(const Poco::Exception& failure, const std::string& setting) {
    const char* const reason = failure.code() == EACCES
                                   ? "only root opens this port: let systemd do it, by ListenStream= in "
                                     "supplierd.socket (operating/https.md)"
                                   : "end what uses the port";
    return reason + (", or set another address in " + setting);
}

class PassedSocketImpl final : public Poco::Net::ServerSocketImpl {
public:
    explicit PassedSocketImpl(int listening) { reset(listening); }

protected:
    ~PassedSocketImpl() override = default;
};

Poco::Net::ServerSocketImpl* implementation(int passed) {
    return passed >= 0 ? new PassedSocketImpl(passed) : new Poco::Net::ServerSocketImpl; // Poco counts its references
}

} // namespace

ListeningSocket::ListeningSocket(const ListenPlace& place) : ServerSocket(implementation(place.passed), true) {
    if (place.passed < 0) {
        try {
            // Without the port's reuse, which Poco turns on by default: a second server must fail, not share requests.
            bind(place.address, true, false);
            listen(BACKLOG);
        } catch (const Poco::Exception& failure) {
            throw std::runtime_error("cannot listen on " + place.address.toString() + " (" + place.setting +
                                     "): " + failure.displayText() + "; " + advice(failure, place.setting));
        }
    }
    // Its connections have both, too.
    setOption(IPPROTO_TCP, TCP_NODELAY, 1);
    setOption(IPPROTO_TCP, TCP_NOTSENT_LOWAT, UNSENT_AT_MOST);
    ::fcntl(descriptor(), F_SETFL, ::fcntl(descriptor(), F_GETFL) | O_NONBLOCK);
}

} // namespace supplierd::host
