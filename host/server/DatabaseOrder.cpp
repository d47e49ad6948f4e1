#include "host/server/DatabaseOrder.h"

#include "host/db/Connector.h"
#include "host/db/PooledSession.h"

#include <Poco/Net/IPAddress.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace supplierd::host {

namespace {

using Json = nlohmann::json;

constexpr std::string_view SELECT_SERVER = "SELECT CONCAT_WS(' ', @@hostname, @@port, @@datadir)";

/// "127.0.0.1" is a server of the database on every machine that has one.
bool isOfEachMachine(const std::string& name) {
    const auto address = NodeAddress::parse(name);
    if (!address)
        return false;
    Poco::Net::IPAddress ip;
    return !address->socket.empty() || address->host == "localhost" ||
           (Poco::Net::IPAddress::tryParse(address->host, ip) && ip.isLoopback());
}

OrderMatch compare(const NamedDatabase& one, const NamedDatabase& other, Machines machines) {
    if (one.name == other.name && !isOfEachMachine(one.name))
        return OrderMatch::Same;
    if (one.server.empty() || other.server.empty())
        return one.name == other.name && machines == Machines::One ? OrderMatch::Same : OrderMatch::Unknown;
    return one.server == other.server ? OrderMatch::Same : OrderMatch::Different;
}

DatabaseOrder namesOf(const SessionSettings& settings) {
    if (!settings.hasSeveralNodes())
        return {{settings.place(), {}}};
    DatabaseOrder order;
    for (const NodeAddress& node : settings.nodes)
        order.push_back({node.name(), {}});
    return order;
}

} // namespace

OrderMatch compare(const DatabaseOrder& one, const DatabaseOrder& other, Machines machines) {
    auto match = one.size() == other.size() ? OrderMatch::Same : OrderMatch::Shorter;
    bool isUnknown = false;
    for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
        const auto node = compare(one[i], other[i], machines);
        if (node == OrderMatch::Different)
            return node;
        isUnknown |= node == OrderMatch::Unknown;
    }
    return isUnknown ? OrderMatch::Unknown : match;
}

std::string toText(const DatabaseOrder& order) {
    Json text = Json::array();
    for (const NamedDatabase& node : order)
        text.push_back({{"name", node.name}, {"server", node.server}, {"writer", node.writer}});
    return text.dump(-1, ' ', false, Json::error_handler_t::replace);
}

DatabaseOrder parseDatabaseOrder(std::string_view text) {
    const Json nodes = Json::parse(text, nullptr, false);
    if (!nodes.is_array())
        return {};
    DatabaseOrder order;
    for (const Json& node : nodes) {
        if (!node.is_object() || !node.contains("name") || !node.contains("server") || !node["name"].is_string() ||
            !node["server"].is_string())
            return {};
        order.push_back({node["name"].get<std::string>(), node["server"].get<std::string>(), node.value("writer", "")});
    }
    return order;
}

std::string describe(const DatabaseOrder& order) {
    std::string names;
    for (const NamedDatabase& node : order)
        names += (names.empty() ? "" : ", ") + node.name;
    return names;
}

std::string databaseServer(SqlSession& session) {
    Rows& rows = session.query(SELECT_SERVER);
    return rows.next() ? std::string(rows.text(0)) : std::string();
}

DatabaseOrderProbe::DatabaseOrderProbe(SessionSettings settings, const DatabaseNodes* nodes)
    : _settings(std::move(settings)), _nodes(nodes), _order(namesOf(_settings)), _isAsked(_order.size(), false) {}

std::vector<std::size_t> DatabaseOrderProbe::due() const {
    const auto status = _nodes ? _nodes->status() : std::vector<NodeStatus>();
    const std::lock_guard lock(_mutex);
    std::vector<std::size_t> indexes;
    for (std::size_t i = 0; i < _order.size(); ++i)
        if (!_isAsked[i] && (i >= status.size() || status[i].isUp))
            indexes.push_back(i);
    return indexes;
}

void DatabaseOrderProbe::ask() {
    for (const std::size_t index : due()) {
        const SessionSettings one = _settings.hasSeveralNodes() ? _settings.at(_settings.nodes[index]) : _settings;
        try {
            PooledSession session(openSession(one.within(one.failoverAfter)));
            // What stands between and divides reads from writes takes a transaction to where it writes.
            session.begin();
            const std::string server = databaseServer(session);
            session.rollback();
            const std::lock_guard lock(_mutex);
            _order[index].server = server;
            _isAsked[index] = true;
        } catch (const DatabaseError&) {
            continue; // who it was still holds, and it is asked again
        }
    }
}

void DatabaseOrderProbe::doubt() {
    const std::lock_guard lock(_mutex);
    std::fill(_isAsked.begin(), _isAsked.end(), false);
}

DatabaseOrder DatabaseOrderProbe::order() const {
    const auto status = _nodes ? _nodes->status() : std::vector<NodeStatus>();
    const std::lock_guard lock(_mutex);
    DatabaseOrder order = _order;
    for (std::size_t i = 0; i < status.size(); ++i)
        if (status[i].isWriter)
            order[i].writer = status[i].identity;
    return order;
}

} // namespace supplierd::host
