#include "host/db/SessionSettings.h"

#include <Poco/Environment.h>
#include <Poco/Exception.h>
#include <Poco/Net/IPAddress.h>
#include <Poco/Net/NetworkInterface.h>
#include <Poco/NumberParser.h>
#include <Poco/String.h>

#include <algorithm>

namespace supplierd::host {

namespace {

constexpr unsigned HIGHEST_PORT = 65'535;

bool isOwnAddress(const Poco::Net::IPAddress& address) {
    if (address.isLoopback())
        return true;
    const auto interfaces = Poco::Net::NetworkInterface::list();
    return std::any_of(interfaces.begin(), interfaces.end(),
                       [&](const Poco::Net::NetworkInterface& own) { return own.address() == address; });
}

} // namespace

std::optional<NodeAddress> NodeAddress::parse(std::string_view text) {
    NodeAddress node;
    if (text.starts_with('/')) {
        node.socket = text;
        return node;
    }
    const bool isBracketed = text.starts_with('[');
    const auto close = text.find(']');
    if (isBracketed && close == std::string_view::npos)
        return std::nullopt;
    const auto colon = text.find(':', isBracketed ? close : 0);
    node.host = Poco::toLower(std::string(isBracketed ? text.substr(1, close - 1) : text.substr(0, colon)));
    const bool isAllTaken = !isBracketed || close + 1 == std::min(colon, text.size());
    if (node.host.empty() || !isAllTaken || node.host.find_first_of(" ,/") != std::string::npos)
        return std::nullopt;
    if (colon == std::string_view::npos)
        return node;
    if (!Poco::NumberParser::tryParseUnsigned(std::string(text.substr(colon + 1)), node.port) || node.port == 0 ||
        node.port > HIGHEST_PORT)
        return std::nullopt;
    return node;
}

std::string NodeAddress::name() const {
    if (!socket.empty())
        return socket;
    return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(port);
}

bool NodeAddress::isLocal() const {
    if (!socket.empty() || host == "localhost")
        return true;
    Poco::Net::IPAddress address;
    try {
        if (Poco::Net::IPAddress::tryParse(host, address))
            return isOwnAddress(address);
        const std::string own = Poco::toLower(Poco::Environment::nodeName());
        const std::string asked = Poco::toLower(host);
        return asked == own || asked.substr(0, asked.find('.')) == own;
    } catch (const Poco::Exception&) {
        return false; // the interfaces cannot be listed here
    }
}

SessionSettings SessionSettings::at(const NodeAddress& node) const {
    SessionSettings one = *this;
    one.host = node.host;
    one.port = node.port;
    one.socket = node.socket;
    one.nodes.clear();
    if (hasSeveralNodes())
        one.connectTimeout = connectTimeout.count() == 0 ? failoverAfter : std::min(connectTimeout, failoverAfter);
    return one;
}

SessionSettings SessionSettings::within(std::chrono::milliseconds limit) const {
    SessionSettings one = *this;
    for (auto* timeout : {&one.connectTimeout, &one.readTimeout, &one.writeTimeout})
        *timeout = timeout->count() == 0 ? limit : std::min(*timeout, limit);
    return one;
}

std::string SessionSettings::place() const {
    if (nodes.empty())
        return NodeAddress{host, port, socket}.name();
    std::string names;
    for (const NodeAddress& node : nodes)
        names += (names.empty() ? "" : ", ") + node.name();
    return names;
}

} // namespace supplierd::host
