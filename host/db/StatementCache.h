#pragma once

#include "host/db/PreparedStatement.h"

#include <mysql/mysql.h>

#include <cstddef>
#include <list>
#include <string_view>
#include <unordered_map>

namespace supplierd::host {

/// The kept statements of one session, by their text; the one unused for longest goes first. Thread: one at a time.
class StatementCache {
public:
    static constexpr std::size_t CAPACITY = 256;

    StatementCache(MYSQL* handle, SessionHealth& health) : _handle(handle), _health(health) {}

    /// The statement, prepared. Throws DatabaseError, and keeps nothing then.
    PreparedStatement& get(std::string_view sql);
    void forget(std::string_view sql);
    std::size_t size() const { return _byText.size(); }

private:
    using Order = std::list<PreparedStatement>;

    MYSQL* _handle;
    SessionHealth& _health;
    Order _order;                                                  ///< most recently used first
    std::unordered_map<std::string_view, Order::iterator> _byText; ///< the keys lie in the statements
};

} // namespace supplierd::host
