#include "host/db/StatementCache.h"

#include "host/db/ErrorClass.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace supplierd::host {

StatementCache::StatementCache(MYSQL* handle, SessionHealth& health, std::shared_ptr<StatementLimit> limit)
    : _handle(handle), _health(health), _limit(std::move(limit)) {}

PreparedStatement& StatementCache::get(std::string_view sql) {
    const auto found = _byText.find(sql);
    if (found == _byText.end())
        return prepare(sql);
    const Order::iterator kept = found->second;
    _proven.splice(_proven.begin(), orderOf(kept->isNew), kept);
    kept->isNew = false;
    return kept->statement;
}

PreparedStatement& StatementCache::prepare(std::string_view sql) {
    const bool isNew = !takeSeen(std::hash<std::string_view>()(sql));
    makeRoom(isNew);
    try {
        return keep(sql, isNew);
    } catch (const DatabaseError& error) {
        if (!isStatementLimit(error.code()))
            throw;
    }
    _limit->lower();
    _byText.clear();
    _proven.clear();
    _new.clear();
    return keep(sql, isNew);
}

PreparedStatement& StatementCache::keep(std::string_view sql, bool isNew) {
    Order& order = orderOf(isNew);
    order.emplace_front(isNew, _handle, _health, sql);
    _byText.emplace(order.front().statement.sql(), order.begin());
    return order.front().statement;
}

void StatementCache::makeRoom(bool forNew) {
    const std::size_t limit = _limit->current();
    const std::size_t mostNew = std::min(MOST_NEW, limit / 4);
    if (forNew && _new.size() >= mostNew)
        dropLast(_new);
    while (size() >= limit)
        dropLast(_proven.empty() ? _new : _proven);
}

void StatementCache::dropLast(Order& order) {
    const PreparedStatement& statement = order.back().statement;
    if (order.back().isNew) {
        _seen[_nextSeen] = std::hash<std::string_view>()(statement.sql());
        _nextSeen = (_nextSeen + 1) % _seen.size();
    }
    forget(statement.sql());
}

bool StatementCache::takeSeen(std::size_t hash) {
    const auto found = std::find(_seen.begin(), _seen.end(), hash);
    if (found == _seen.end())
        return false;
    *found = 0;
    return true;
}

void StatementCache::forget(std::string_view sql) {
    const auto found = _byText.find(sql);
    if (found == _byText.end())
        return;
    const Order::iterator kept = found->second;
    _byText.erase(found);
    orderOf(kept->isNew).erase(kept);
}

} // namespace supplierd::host
