#include "library/RemovalHold.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>

namespace supplierd::media {

namespace {

constexpr std::string_view PREFIX = "removal-hold.";
/// So long after its end, that of a backup which was killed is forgotten.
constexpr std::int64_t FORGOTTEN_AFTER = 86'400;

constexpr std::string_view NOW = "SELECT UNIX_TIMESTAMP()";

std::int64_t now(SqlSession& session) {
    Rows& row = session.query(NOW);
    return row.next() ? row.integer(0) : 0;
}

std::map<std::string, std::int64_t> holds(SqlSession& session, PluginSettings& settings) {
    std::map<std::string, std::int64_t> ends;
    for (const auto& [name, value] : settings.all(session))
        if (name.starts_with(PREFIX))
            std::from_chars(value.data(), value.data() + value.size(), ends[name]);
    return ends;
}

} // namespace

bool RemovalHold::hold(Transaction& transaction, std::string_view token, std::chrono::seconds duration) {
    const auto name = std::string(PREFIX) + std::string(token);
    const auto time = now(transaction);
    const auto known = holds(transaction, _settings);
    for (const auto& [other, end] : known)
        if (other != name && end + FORGOTTEN_AFTER < time)
            _settings.remove(transaction, other);
    const auto own = known.find(name);
    _settings.set(transaction, name, std::to_string(time + duration.count()));
    return own == known.end() || own->second > time;
}

void RemovalHold::end(Transaction& transaction, std::string_view token) {
    _settings.remove(transaction, std::string(PREFIX) + std::string(token));
}

bool RemovalHold::isInForce() const {
    return _database.read([this](SqlSession& session) {
        const auto ends = holds(session, _settings);
        if (ends.empty())
            return false;
        const auto time = now(session);
        return std::any_of(ends.begin(), ends.end(), [time](const auto& hold) { return hold.second > time; });
    });
}

} // namespace supplierd::media
