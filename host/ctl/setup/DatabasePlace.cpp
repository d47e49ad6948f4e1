#include "host/ctl/setup/DatabasePlace.h"

#include "host/ctl/terminal/CommandFailure.h"

#include <Poco/NumberParser.h>

#include <fmt/format.h>

namespace supplierd::host {
namespace {

constexpr unsigned USUAL_PORT = 3306;

} // namespace

std::string placeOf(const SessionSettings& session) {
    return session.socket.empty() ? fmt::format("{}:{}", session.host, session.port) : session.socket;
}

void takePlace(SessionSettings& session, const std::string& answer) {
    if (answer.starts_with('/')) {
        session.socket = answer;
        return;
    }
    session.socket.clear();
    const auto colon = answer.rfind(':');
    const bool hasPort = colon != std::string::npos && (answer.find(':') == colon || answer[colon - 1] == ']');
    session.host = answer.substr(0, hasPort ? colon : std::string::npos);
    if (session.host.size() > 2 && session.host.front() == '[' && session.host.back() == ']')
        session.host = session.host.substr(1, session.host.size() - 2);
    unsigned port = USUAL_PORT;
    if (session.host.empty() || (hasPort && (!Poco::NumberParser::tryParseUnsigned(answer.substr(colon + 1), port) ||
                                             port == 0 || port > 65'535)))
        throw CommandFailure(fmt::format("'{}' is no host, no host:port and no path of a socket", answer),
                             ExitCode::Usage);
    session.port = port;
}

} // namespace supplierd::host
