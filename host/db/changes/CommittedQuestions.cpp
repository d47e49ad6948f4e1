#include "host/db/changes/CommittedQuestions.h"

#include "host/db/ErrorClass.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/services/ChangeLog.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

enum Column : std::size_t { SupplierId, ChangeSeq, ReadOnly };

constexpr std::string_view SELECT_ONE = R"sql(
SELECT supplier_id, change_seq FROM supplier_state WHERE supplier_id IN (0, ?)
)sql";

constexpr std::string_view SELECT_ONE_OF_NODE = R"sql(
SELECT supplier_id, change_seq, @@GLOBAL.read_only FROM supplier_state WHERE supplier_id IN (0, ?)
)sql";

constexpr std::string_view SELECT_MANY = R"sql(
SELECT s.supplier_id, s.change_seq
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN supplier_state s FORCE INDEX (PRIMARY) ON s.supplier_id = t.id
)sql";

constexpr std::string_view SELECT_MANY_OF_NODE = R"sql(
SELECT s.supplier_id, s.change_seq, @@GLOBAL.read_only
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN supplier_state s FORCE INDEX (PRIMARY) ON s.supplier_id = t.id
)sql";

/// A number, and in later releases of MariaDB a word.
bool isClosed(std::string_view readOnly) {
    return readOnly != "0" && readOnly != "OFF";
}

} // namespace

CommittedQuestions::CommittedQuestions(Database& database, bool hasSeveralNodes)
    : _database(database), _hasSeveralNodes(hasSeveralNodes) {}

CommittedNumbers CommittedQuestions::ask(std::int64_t supplierId, Clock::time_point since) {
    _requests.fetch_add(1, std::memory_order_relaxed);
    const auto serves = [&](const std::shared_ptr<Round>& round) {
        return round && round->begun >= since && round->suppliers.contains(supplierId);
    };
    std::unique_lock lock(_mutex);
    auto round = serves(_answered) ? _answered : serves(_asked) ? _asked : nullptr;
    if (!round) {
        if (!_next)
            _next = std::make_shared<Round>();
        round = _next;
        round->suppliers.insert(supplierId);
    }
    round->moved.wait(lock, [&] { return round->isDone || (!_asked && round == _next); });
    if (!round->isDone)
        lead(lock, round);
    else
        lock.unlock();
    if (round->failure)
        std::rethrow_exception(round->failure);
    const auto numberOf = [&](std::int64_t id) {
        const auto found = round->numbers.find(id);
        return found == round->numbers.end() ? 0 : found->second;
    };
    return {numberOf(supplierId), numberOf(MARKETPLACE)};
}

/// Asks for all of a round. Leaves the lock unlocked.
void CommittedQuestions::lead(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Round>& round) {
    _questions.fetch_add(1, std::memory_order_relaxed);
    if (round->suppliers.size() > 1)
        round->suppliers.insert(MARKETPLACE);
    round->begun = Clock::now();
    _asked = std::exchange(_next, nullptr);
    lock.unlock();
    try {
        ask(*round);
    } catch (...) {
        round->failure = std::current_exception(); // each of those who asked gets it
    }
    lock.lock();
    _asked.reset();
    round->isDone = true;
    if (!round->failure)
        _answered = round;
    const auto next = _next;
    lock.unlock();
    if (next)
        next->moved.notify_one();
    round->moved.notify_all();
}

void CommittedQuestions::ask(Round& round) {
    _database.withSession([&](SqlSession& session) {
        round.numbers.clear();
        const std::string_view one = _hasSeveralNodes ? SELECT_ONE_OF_NODE : SELECT_ONE;
        const std::string_view many = _hasSeveralNodes ? SELECT_MANY_OF_NODE : SELECT_MANY;
        Rows& rows = round.suppliers.size() == 1 ? session.query(one, {*round.suppliers.begin()})
                                                 : session.query(many, {jsonArray(round.suppliers)});
        while (rows.next()) {
            if (_hasSeveralNodes && isClosed(rows.text(ReadOnly)))
                throw closedForWrites();
            round.numbers.emplace(rows.integer(SupplierId), rows.integer(ChangeSeq));
        }
    });
}

} // namespace supplierd::host
