#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Decimal.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace supplierd {

/// A value bound to a `?` of a statement. Text is not copied: it must live until the call returns. Since 1.0.
class SUPPLIERD_API SqlParam {
public:
    enum class Kind { Null, Integer, Text };

    SqlParam(std::nullptr_t) {}
    SqlParam(bool v) : _kind(Kind::Integer), _integer(v ? 1 : 0) {}
    template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) SqlParam(T v)
        : _kind(Kind::Integer), _integer(static_cast<std::int64_t>(v)) {
        if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(std::int64_t))
            if (_integer < 0) { // beyond what Integer holds: as text, which the server reads exactly
                _kind = Kind::Text;
                _own = std::to_string(v);
            }
    }
    SqlParam(std::string_view v) : _kind(Kind::Text), _text(v) {}
    SqlParam(const std::string& v) : _kind(Kind::Text), _text(v) {}
    SqlParam(const char* v) : _kind(Kind::Text), _text(v) {}
    /// Bound as text ("0.0850"), so that the server reads it as an exact DECIMAL.
    SqlParam(const Decimal& v) : _kind(Kind::Text), _own(v.toString()) {}
    template <class T>
    SqlParam(const std::optional<T>& v) {
        if (v)
            *this = SqlParam(*v);
    }

    Kind kind() const { return _kind; }
    std::int64_t integer() const { return _integer; }
    std::string_view text() const { return _own.empty() ? _text : std::string_view(_own); }

private:
    Kind _kind = Kind::Null;
    std::int64_t _integer = 0;
    std::string_view _text;
    std::string _own;
};

using SqlParams = std::span<const SqlParam>;

/// The rows of a query, read forward. Columns count from 0. A getter on NULL gives 0, "" or false: ask isNull() first
/// where it matters. Lifetime: until the next statement on the same session; views until the next call of next().
/// Errors: DatabaseError from next(), and std::logic_error when another statement has taken the session since, or when
/// the end was reached before: a query within a loop over another one's rows is refused, and never ends the loop early.
/// Collect the rows first, or join. Since 1.0.
class SUPPLIERD_API Rows {
public:
    virtual bool next() = 0;
    virtual bool isNull(std::size_t column) const = 0;
    virtual std::int64_t integer(std::size_t column) const = 0;
    virtual std::string_view text(std::size_t column) const = 0;
    virtual Decimal decimal(std::size_t column) const = 0;
    /// A DATETIME column as ISO 8601 UTC with whole seconds, "2026-11-20T14:48:00Z".
    virtual std::string time(std::size_t column) const = 0;

    bool boolean(std::size_t column) const { return integer(column) != 0; }
    std::optional<std::string> maybeText(std::size_t column) const {
        return isNull(column) ? std::nullopt : std::optional<std::string>(text(column));
    }
    std::optional<std::int64_t> maybeInteger(std::size_t column) const {
        return isNull(column) ? std::nullopt : std::optional<std::int64_t>(integer(column));
    }
    std::optional<Decimal> maybeDecimal(std::size_t column) const {
        return isNull(column) ? std::nullopt : std::optional<Decimal>(decimal(column));
    }
    std::optional<std::string> maybeTime(std::size_t column) const {
        return isNull(column) ? std::nullopt : std::optional<std::string>(time(column));
    }

protected:
    ~Rows() = default;
};

/// One session of the pool, on loan. Statements are prepared once per session, keyed by their text, and kept: write
/// SQL as constants with `?`, never with values inside. Thread: one at a time. Since 1.0.
class SUPPLIERD_API SqlSession {
public:
    /// Throws DatabaseError; the host turns what leaves a handler into 500 or 503.
    virtual Rows& query(std::string_view sql, SqlParams params) = 0;
    /// Returns the number of rows matched (an UPDATE that changes nothing counts the rows it found).
    virtual std::int64_t execute(std::string_view sql, SqlParams params) = 0;
    virtual std::int64_t lastInsertId() const = 0;

    Rows& query(std::string_view sql, std::initializer_list<SqlParam> params = {}) {
        return query(sql, SqlParams(params.begin(), params.size()));
    }
    std::int64_t execute(std::string_view sql, std::initializer_list<SqlParam> params = {}) {
        return execute(sql, SqlParams(params.begin(), params.size()));
    }

protected:
    ~SqlSession() = default;
};

/// What a transaction changes of one supplier. Taking it took the lock of the supplier's catalog; at COMMIT the host
/// writes it into the change log (ChangeLog.h) as one entry, with the time, who acted and the request's id, whatever
/// was noted, unless it was withdrawn. Thread: the transaction's. Lifetime: the transaction's; one that is repeated
/// starts without any. Since 1.0.
class SUPPLIERD_API Change {
public:
    /// The number under which everything about this supplier is committed: of two that committed, the later has the
    /// greater one, and none is left out. Rows that changed are stamped with it.
    virtual std::int64_t seq() const = 0;
    /// Notes which objects changed; as often as needed, in any order. One that is noted twice counts once, and one that
    /// turns out not to have changed does no harm. `kind` is "<object>.<what happened>", and the ids are those of the
    /// objects: see ChangeKind for those of the bundled plugins. Throws std::invalid_argument for a kind that is not of
    /// that form (each half 1 to 31 of a-z, 0-9 and _), std::length_error beyond MAX_KINDS of them.
    virtual void note(std::string_view kind, std::span<const std::int64_t> ids) = 0;
    /// For who took it, and then found that nothing is to be changed: no row was stamped with its number. The number is
    /// the next change's, and there is no entry. Without effect when something was noted, or when somebody else in the
    /// transaction took it too. Returns the number under which the supplier then is as the transaction sees it. The
    /// lock stays. Throws DatabaseError.
    virtual std::int64_t withdraw() = 0;

    /// As note(), and calls `onCommit` once the change is committed, before the transaction's caller goes on. It is
    /// told whether this was the only note of such objects (what stands before the dot) under the number. It is not
    /// called when the change is not committed, or when that stays unknown. It runs on the thread that commits, without
    /// a session, and throws nothing but std::bad_alloc.
    virtual void note(std::string_view kind, std::span<const std::int64_t> ids,
                      std::function<void(bool isOnly)> onCommit) = 0;

    void note(std::string_view kind, std::int64_t id) { note(kind, std::span<const std::int64_t>(&id, 1)); }

    static constexpr std::size_t MAX_KINDS = 16;

protected:
    ~Change() = default;
};

/// A running transaction. There is no commit(): returning from the function that got it commits, throwing rolls back.
/// Goes wherever a session is asked for. (It has a session rather than being one, so that both interfaces can grow.)
/// Thread: one at a time. Since 1.0.
class SUPPLIERD_API Transaction {
public:
    /// Its session. Lifetime: the transaction's.
    virtual SqlSession& session() = 0;
    /// The change that this transaction makes to what a supplier can see: of products, variants, images, stock, prices
    /// or orders. The first call takes the lock of the supplier's catalog, and everybody else who changes it waits
    /// until COMMIT; so it comes before any such change, as late as possible all the same, and for several suppliers in
    /// ascending id order. Further calls give the same. Lifetime: the transaction's. Throws DatabaseError when the
    /// supplier does not exist.
    virtual Change& change(std::int64_t supplierId) = 0;

    operator SqlSession&() { return session(); }

    /// As those of the session.
    Rows& query(std::string_view sql, SqlParams params) { return session().query(sql, params); }
    Rows& query(std::string_view sql, std::initializer_list<SqlParam> params = {}) {
        return session().query(sql, params);
    }
    std::int64_t execute(std::string_view sql, SqlParams params) { return session().execute(sql, params); }
    std::int64_t execute(std::string_view sql, std::initializer_list<SqlParam> params = {}) {
        return session().execute(sql, params);
    }
    std::int64_t lastInsertId() { return session().lastInsertId(); }

protected:
    ~Transaction() = default;
};

/// A statement failed. `code()` is the server's or client library's error number (1062 duplicate key, 1213 deadlock,
/// 2013 connection lost, ...). Since 1.0.
class SUPPLIERD_API DatabaseError : public std::runtime_error {
public:
    DatabaseError(unsigned code, const std::string& message) : std::runtime_error(message), _code(code) {}

    unsigned code() const noexcept { return _code; }
    bool isDuplicateKey() const noexcept { return _code == 1062; }
    /// A foreign key that points nowhere (1452), or is still pointed at (1451).
    bool isForeignKey() const noexcept { return _code == 1452 || _code == 1451; }
    /// Deadlock, lock wait time-out, or a table that a migration has changed since the transaction began to read: the
    /// whole transaction or snapshot may be repeated.
    bool isRetryable() const noexcept { return _code == 1213 || _code == 1205 || _code == 1412; }
    bool isConnectionLost() const noexcept;

private:
    unsigned _code;
    Reserved _reserved;
};

/// The numbers of the last commits, as the change log has them (services/ChangeLog.h). Since 1.0.
struct SUPPLIERD_API CommittedNumbers {
    std::int64_t supplier = 0;
    /// That of MARKETPLACE.
    std::int64_t marketplace = 0;
    Reserved reserved = {};
};

/// The shared session pool. Thread: any. Lifetime of the Host's: from Plugin::start() until Plugin::stop() returns; of
/// a Request's: until its handler returns. Since 1.0.
class SUPPLIERD_API Database {
public:
    /// Runs `work` with a session outside any transaction; for reading with one statement: each statement sees what was
    /// committed before it began. Repeated once on a fresh session when the connection was lost, so `work` must be
    /// repeatable. Throws ApiError (Unavailable) when no session becomes free in time or the database is away. A
    /// statement that writes throws std::logic_error and is not sent: execute() and withTransaction() are for that.
    virtual void withSession(const std::function<void(SqlSession&)>& work) = 0;

    /// Runs `work` with a session whose statements all see the database as it was committed at the first of them; for
    /// reading with more than one statement. Costs little more than withSession(), and waits for no writer. Repeated
    /// as there, and when a migration changes a table meanwhile. A statement that writes or locks (FOR UPDATE) throws
    /// DatabaseError 1792. Not within a transaction, which sees its own changes.
    virtual void withSnapshot(const std::function<void(SqlSession&)>& work) = 0;

    /// Runs one writing statement, which takes effect by itself, and returns the number of rows matched. Repeated on
    /// deadlock and lock time-out as a transaction is. When the connection is lost meanwhile, whether it took effect is
    /// unknown: ApiError (Unavailable). What must happen exactly once, or gives an id, belongs into withTransaction(),
    /// which costs some round trips more.
    virtual std::int64_t execute(std::string_view sql, SqlParams params) = 0;
    std::int64_t execute(std::string_view sql, std::initializer_list<SqlParam> params = {}) {
        return execute(sql, SqlParams(params.begin(), params.size()));
    }

    /// Runs `work` in a transaction: repeated up to 5 times on deadlock or lock time-out, so `work` must have no effect
    /// but on the transaction. After a lost COMMIT it finds out whether that took effect, and repeats it only if not.
    /// Throws DatabaseError when the repeats are used up; ApiError (Unavailable) as withSession(), and when it stays
    /// unknown whether it was committed.
    /// From a request handler use Request::transact() instead: it also records the outcome for Idempotency-Key.
    virtual void withTransaction(const std::function<void(Transaction&)>& work) = 0;

    /// The number of the last commit about this supplier; 0 when there was none, or there is no such supplier. Whatever
    /// was committed before the call began is in it. The first thing that is asked of a Request's database may be
    /// answered with what was committed before the request came: that is all that its response has to show. What a
    /// handler has read or written over the Host's database does not count as asked. Requests share questions. Not
    /// within a transaction, nor with a session in hand. Throws as withSession() does.
    virtual CommittedNumbers committed(std::int64_t supplierId) = 0;

    /// What `work` returns, by withSession().
    template <class Work>
    auto read(Work&& work) {
        using Result = std::invoke_result_t<Work&, SqlSession&>;
        std::optional<Result> result;
        withSession([&](SqlSession& session) { result.emplace(work(session)); });
        return std::move(*result);
    }
    /// The same by withSnapshot().
    template <class Work>
    auto snapshot(Work&& work) {
        using Result = std::invoke_result_t<Work&, SqlSession&>;
        std::optional<Result> result;
        withSnapshot([&](SqlSession& session) { result.emplace(work(session)); });
        return std::move(*result);
    }

protected:
    ~Database() = default;
};

} // namespace supplierd
