#include <supplierd/services/ChangeLog.h>
#include <supplierd/testing/FakeDatabase.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace supplierd::testing {

namespace {

constexpr int MAX_ATTEMPTS = 5;
constexpr unsigned READ_ONLY_TRANSACTION = 1792;

FakeCell cellOf(const SqlParam& parameter) {
    switch (parameter.kind()) {
    case SqlParam::Kind::Integer:
        return parameter.integer();
    case SqlParam::Kind::Text:
        return parameter.text();
    case SqlParam::Kind::Null:
        break;
    }
    return nullptr;
}

class FakeRows final : public Rows {
public:
    explicit FakeRows(std::vector<FakeRow> rows) : _rows(std::move(rows)) {}

    void supersede() { _isGone = true; }

    bool next() override {
        if (_isGone)
            throw std::logic_error("these rows are gone: their end was reached, or another statement took the session "
                                   "meanwhile; read them all before the next one");
        if (_next == _rows.size()) {
            _isGone = true;
            return false;
        }
        _texts.clear();
        for (const FakeCell& cell : _rows[_next])
            _texts.push_back(cell.text());
        ++_next;
        return true;
    }
    bool isNull(std::size_t column) const override { return cell(column).isNull(); }
    std::int64_t integer(std::size_t column) const override { return cell(column).integer(); }
    std::string_view text(std::size_t column) const override { return _texts.at(column); }
    Decimal decimal(std::size_t column) const override { return Decimal::parse(_texts.at(column)).value_or(Decimal()); }
    std::string time(std::size_t column) const override {
        static constexpr std::size_t WHOLE_SECONDS = std::string_view("2026-11-20 14:48:00").size();
        std::string time = _texts.at(column).substr(0, WHOLE_SECONDS);
        std::replace(time.begin(), time.end(), ' ', 'T');
        return time.empty() ? time : time + "Z";
    }

private:
    const FakeCell& cell(std::size_t column) const { return _rows.at(_next - 1).at(column); }

    std::vector<FakeRow> _rows;
    std::vector<std::string> _texts;
    std::size_t _next = 0;
    bool _isGone = false;
};

} // namespace

class FakeDatabase::Session final : public SqlSession, public Transaction {
public:
    Session(FakeDatabase& database, Scope scope) : _database(database), _scope(scope) {}

    SqlSession& session() override { return *this; }
    Rows& query(std::string_view sql, SqlParams params) override {
        supersede();
        return _rows.emplace_back(_database.answer(true, sql, params, _scope).rows);
    }
    std::int64_t execute(std::string_view sql, SqlParams params) override {
        if (_scope == Scope::Snapshot)
            throw DatabaseError(READ_ONLY_TRANSACTION, "Cannot execute statement in a READ ONLY transaction");
        if (_scope == Scope::Session)
            throw std::logic_error("Database::withSession() and read() only read; write with execute(), "
                                   "withTransaction() or Request::transact(): " +
                                   std::string(sql));
        supersede();
        const FakeResult::Step& step = _database.answer(false, sql, params, _scope);
        _lastInsertId = step.lastInsertId;
        return step.affected;
    }
    std::int64_t lastInsertId() const override { return _lastInsertId; }
    Change& change(std::int64_t supplierId) override {
        const auto known = _changes.find(supplierId);
        if (known != _changes.end() && known->second.takeAgain())
            return known->second;
        supersede();
        _database._statements.push_back({"change", {supplierId}, true});
        if (known != _changes.end())
            return known->second;
        const auto last = _database._changeSeqs.find(supplierId);
        const std::int64_t seq = last == _database._changeSeqs.end() ? 1 : last->second + 1;
        return _changes.try_emplace(supplierId, supplierId, seq).first->second;
    }

    /// Returns what is to be called now that they are committed.
    std::vector<std::function<void()>> keepChanges() {
        std::vector<std::function<void()>> actions;
        for (auto& [supplierId, change] : _changes) {
            if (change.isWithdrawn())
                continue;
            _database._changeSeqs[supplierId] = change.seq();
            _database._changes.push_back(change.noted());
            change.takeActions(actions);
        }
        return actions;
    }

private:
    class Noted final : public Change {
    public:
        Noted(std::int64_t supplierId, std::int64_t seq) : _noted{supplierId, seq, {}} {}

        std::int64_t seq() const override { return _noted.seq; }
        void note(std::string_view kind, std::span<const std::int64_t> ids) override {
            checkChangeKind(kind);
            ++_notes[objectOf(kind)];
            auto& known = _noted.ids[std::string(kind)];
            known.insert(ids.begin(), ids.end());
            if (_noted.ids.size() > MAX_KINDS)
                throw std::length_error("a change has at most " + std::to_string(MAX_KINDS) + " kinds");
        }
        std::int64_t withdraw() override {
            _isWithdrawn = _takers == 1 && _noted.ids.empty();
            return _isWithdrawn ? _noted.seq - 1 : _noted.seq;
        }

        void note(std::string_view kind, std::span<const std::int64_t> ids,
                  std::function<void(bool isOnly)> onCommit) override {
            note(kind, ids);
            _onCommit.emplace_back(objectOf(kind), std::move(onCommit));
        }

        const FakeChange& noted() const { return _noted; }
        void takeActions(std::vector<std::function<void()>>& actions) {
            for (auto& [object, action] : _onCommit)
                actions.push_back([action = std::move(action), isOnly = _notes[object] == 1] { action(isOnly); });
        }
        bool isWithdrawn() const { return _isWithdrawn; }
        /// False: it was withdrawn, and is taken as if for the first time.
        bool takeAgain() {
            if (!std::exchange(_isWithdrawn, false))
                ++_takers;
            return _takers > 1;
        }

    private:
        FakeChange _noted;
        static std::string objectOf(std::string_view kind) { return std::string(kind.substr(0, kind.find('.'))); }

        std::map<std::string, int> _notes; ///< by what stands before the dot
        std::vector<std::pair<std::string, std::function<void(bool isOnly)>>> _onCommit;
        int _takers = 1;
        bool _isWithdrawn = false;
    };

    void supersede() {
        if (!_rows.empty())
            _rows.back().supersede();
    }

    FakeDatabase& _database;
    Scope _scope;
    std::deque<FakeRows> _rows;             // callers hold references
    std::map<std::int64_t, Noted> _changes; // by supplier; as those
    std::int64_t _lastInsertId = 0;
};

FakeResult& FakeDatabase::add(bool isQuery, std::string sqlPart) {
    _scripts.push_back({isQuery, std::move(sqlPart), {}});
    return _scripts.back().answer;
}

FakeResult& FakeDatabase::whenQuery(std::string sqlPart) {
    return add(true, std::move(sqlPart));
}

FakeResult& FakeDatabase::whenExecute(std::string sqlPart) {
    return add(false, std::move(sqlPart));
}

const FakeStatement& FakeDatabase::statement(std::string_view sqlPart) const {
    const auto found = std::find_if(_statements.rbegin(), _statements.rend(), [sqlPart](const FakeStatement& ran) {
        return ran.sql.find(sqlPart) != std::string::npos;
    });
    if (found == _statements.rend())
        throw std::logic_error("no statement ran that contains: " + std::string(sqlPart));
    return *found;
}

const FakeResult::Step& FakeDatabase::answer(bool isQuery, std::string_view sql, SqlParams parameters, Scope scope) {
    FakeStatement statement{std::string(sql), {}, scope == Scope::Transaction, scope == Scope::Snapshot};
    std::transform(parameters.begin(), parameters.end(), std::back_inserter(statement.parameters), cellOf);
    _statements.push_back(std::move(statement));

    const auto script = std::find_if(_scripts.rbegin(), _scripts.rend(), [&](const Script& candidate) {
        return candidate.isQuery == isQuery && sql.find(candidate.sqlPart) != std::string_view::npos;
    });
    if (script == _scripts.rend())
        throw std::logic_error(std::string(isQuery ? "whenQuery" : "whenExecute") +
                               "() knows no answer to: " + std::string(sql));
    const FakeResult::Step& step = script->answer.next();
    if (step.errorCode != 0)
        throw DatabaseError(step.errorCode, step.errorMessage);
    return step;
}

void FakeDatabase::readOnSession(const std::function<void(SqlSession&)>& work, Scope scope) {
    try {
        Session session(*this, scope);
        work(session);
    } catch (const DatabaseError& error) {
        if (!error.isConnectionLost())
            throw;
        Session session(*this, scope);
        work(session);
    }
}

void FakeDatabase::withSession(const std::function<void(SqlSession&)>& work) {
    readOnSession(work, Scope::Session);
}

std::int64_t FakeDatabase::execute(std::string_view sql, SqlParams params) {
    for (int attempt = 1;; ++attempt) {
        try {
            return Session(*this, Scope::Writing).execute(sql, params);
        } catch (const DatabaseError& error) {
            if (!error.isRetryable() || attempt == MAX_ATTEMPTS)
                throw;
        }
    }
}

void FakeDatabase::withSnapshot(const std::function<void(SqlSession&)>& work) {
    readOnSession(work, Scope::Snapshot);
}

void FakeDatabase::withTransaction(const std::function<void(Transaction&)>& work) {
    std::vector<std::function<void()>> actions;
    for (int attempt = 1;; ++attempt) {
        try {
            Session session(*this, Scope::Transaction);
            work(session);
            actions = session.keepChanges();
            ++_commits;
            break;
        } catch (const DatabaseError& error) {
            ++_rollbacks;
            if (!error.isRetryable() || attempt == MAX_ATTEMPTS)
                throw;
        } catch (...) {
            ++_rollbacks;
            throw;
        }
    }
    for (const auto& action : actions)
        action();
}

CommittedNumbers FakeDatabase::committed(std::int64_t supplierId) {
    const auto last = [this](std::int64_t id) {
        const auto found = _changeSeqs.find(id);
        return found == _changeSeqs.end() ? 0 : found->second;
    };
    return {.supplier = last(supplierId), .marketplace = last(MARKETPLACE)};
}

} // namespace supplierd::testing
