#pragma once

#include "host/db/PreparedStatement.h"
#include "host/db/StatementLimit.h"

#include <mysql/mysql.h>

#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace supplierd::host {

/// The kept statements of one session, by their text. A text is kept for good from its second use on, the one unused
/// for longest goes first; texts that were used once only are few, so that lists of ever other shapes do not push out
/// what every request needs. When the database can keep no more, all are given up but the one asked for. Thread: one at
/// a time.
class StatementCache {
public:
    /// Of the kept ones, so many at most were used only once.
    static constexpr std::size_t MOST_NEW = 32;

    /// `limit` is shared by all sessions of a pool.
    StatementCache(MYSQL* handle, SessionHealth& health, std::shared_ptr<StatementLimit> limit);

    /// The statement, prepared. Throws DatabaseError, and keeps nothing more then; 1461 when even with all given up the
    /// database has no room for one.
    PreparedStatement& get(std::string_view sql);
    void forget(std::string_view sql);
    std::size_t size() const { return _byText.size(); }

private:
    struct Cached {
        template <class... Args>
        explicit Cached(bool onlyOnce, Args&&... args) : statement(std::forward<Args>(args)...), isNew(onlyOnce) {}

        PreparedStatement statement;
        bool isNew; ///< used once so far
    };
    using Order = std::list<Cached>;

    Order& orderOf(bool isNew) { return isNew ? _new : _proven; }
    PreparedStatement& prepare(std::string_view sql);
    PreparedStatement& keep(std::string_view sql, bool isNew);
    void makeRoom(bool forNew);
    void dropLast(Order& order);
    bool takeSeen(std::size_t hash);

    MYSQL* _handle;
    SessionHealth& _health;
    std::shared_ptr<StatementLimit> _limit;
    Order _proven;                                                 ///< most recently used first
    Order _new;                                                    ///< newest first
    std::unordered_map<std::string_view, Order::iterator> _byText; ///< the keys lie in the statements
    std::array<std::size_t, 512> _seen{};                          ///< hashes of new ones that were dropped, a ring
    std::size_t _nextSeen = 0;
};

} // namespace supplierd::host
