#include "host/ctl/DoctorChecks.h"

#include <Poco/Exception.h>
#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/IPAddress.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/StreamCopier.h>
#include <Poco/Timespan.h>

#include <fmt/format.h>

#include <optional>
#include <string>

namespace supplierd::host {
namespace {

using Poco::Net::SocketAddress;

constexpr int TIMEOUT_SECONDS = 5;

struct Answer {
    int status = 0;
    std::string body;
};

/// A listener on every address is asked on the loopback.
SocketAddress reachable(const SocketAddress& address) {
    if (!address.host().isWildcard())
        return address;
    const auto family = address.host().family();
    return {Poco::Net::IPAddress(family == Poco::Net::IPAddress::IPv6 ? "::1" : "127.0.0.1"), address.port()};
}

/// Nothing when nobody listens there.
std::optional<Answer> ask(const SocketAddress& address, const std::string& path) {
    try {
        Poco::Net::HTTPClientSession session(reachable(address));
        session.setTimeout(Poco::Timespan(TIMEOUT_SECONDS, 0));
        Poco::Net::HTTPRequest request("GET", path, Poco::Net::HTTPRequest::HTTP_1_1);
        session.sendRequest(request);
        Poco::Net::HTTPResponse response;
        Answer answer;
        Poco::StreamCopier::copyToString(session.receiveResponse(response), answer.body);
        answer.status = response.getStatus();
        return answer;
    } catch (const Poco::Net::ConnectionRefusedException&) {
        return std::nullopt;
    } catch (const Poco::Exception& error) {
        return Answer{0, error.displayText()};
    }
}

/// Binding tells what connecting cannot: no right to use the port, or an address that is not this machine's.
void checkFree(const std::string& what, const SocketAddress& address, Findings& findings) {
    try {
        Poco::Net::ServerSocket probe;
        probe.bind(address, true);
        findings.push_back({Finding::Level::Good, what, address.toString() + " is free; the server does not run"});
    } catch (const Poco::Exception& error) {
        findings.push_back({Finding::Level::Error, what,
                            fmt::format("{} cannot be used: {}", address.toString(), error.displayText()),
                            "choose an address of this machine and a port that is free and, for an ordinary user, "
                            "above 1023"});
    }
}

void checkAdminListener(const SocketAddress& address, bool& runs, Findings& findings) {
    const auto health = ask(address, "/healthz");
    if (!health) {
        checkFree("admin listener", address, findings);
        return;
    }
    const auto ready = ask(address, "/readyz");
    if (health->status != 200 || !ready) {
        findings.push_back({Finding::Level::Error, "admin listener",
                            fmt::format("something else answers at {}", address.toString()),
                            "stop it, or change server.admin_listen"});
        return;
    }
    runs = true;
    if (ready->status == 200)
        findings.push_back({Finding::Level::Good, "server", "runs and is ready"});
    else
        findings.push_back({Finding::Level::Error, "server", "runs, but is not ready: " + ready->body,
                            "mend what the other findings say; the server's log has more"});
}

/// Every answer of the API has the envelope, refusals included.
bool isOurs(const Answer& answer) {
    return answer.body.starts_with("{\"success\":");
}

/// It runs, and will not say more to one without a key now: too many failures from here, overload, database away.
Finding describeRefusal(const SocketAddress& address, int status) {
    const auto answers = fmt::format("{} answers {}", address.toString(), status);
    if (status == Poco::Net::HTTPResponse::HTTP_TOO_MANY_REQUESTS)
        return {Finding::Level::Good, "listener", answers + ": too many failed authentications came from here lately"};
    if (status == Poco::Net::HTTPResponse::HTTP_SERVICE_UNAVAILABLE)
        return {Finding::Level::Warning, "listener", answers + ": overloaded, or its database is away",
                "see the findings about the database, and the server's log"};
    return {Finding::Level::Warning, "listener", answers + " to a request without a key", "see the server's log"};
}

void checkPublicListener(const SocketAddress& address, bool runs, Findings& findings) {
    const auto answer = ask(address, "/api/v1/supplier/products");
    if (!answer && !runs)
        checkFree("listener", address, findings);
    else if (!answer)
        findings.push_back({Finding::Level::Error, "listener",
                            fmt::format("the server runs, but not at {}", address.toString()),
                            "restart it, so that it takes the present configuration"});
    else if (answer->status == 401)
        findings.push_back({Finding::Level::Good, "listener", address.toString() + " answers"});
    else if (isOurs(*answer))
        findings.push_back(describeRefusal(address, answer->status));
    else
        findings.push_back({Finding::Level::Error, "listener",
                            fmt::format("something else answers at {}", address.toString()),
                            "stop it, or change server.listen"});
}

} // namespace

void checkServer(const Settings& settings, Findings& findings) {
    bool runs = false;
    if (settings.server.adminListen.port() != 0)
        checkAdminListener(settings.server.adminListen, runs, findings);
    if (settings.server.listen.port() != 0)
        checkPublicListener(settings.server.listen, runs, findings);
}

} // namespace supplierd::host
