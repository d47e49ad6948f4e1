#include "host/db/changes/CommittedQuestions.h"

#include <supplierd/JsonWriter.h>

#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

constexpr std::string_view SELECT_ONE = R"sql(
SELECT supplier_id, change_seq FROM supplier_state WHERE supplier_id IN (0, ?)
)sql";

constexpr std::string_view SELECT_MANY = R"sql(
SELECT s.supplier_id, s.change_seq
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN supplier_state s FORCE INDEX (PRIMARY) ON s.supplier_id = t.id
)sql";

} // namespace

CommittedNumbers CommittedQuestions::ask(std::int64_t supplierId) {
    _requests.fetch_add(1, std::memory_order_relaxed);
    const auto since = RequestArrival::take();
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
        Rows& rows = round.suppliers.size() == 1 ? session.query(SELECT_ONE, {*round.suppliers.begin()})
                                                 : session.query(SELECT_MANY, {jsonArray(round.suppliers)});
        while (rows.next())
            round.numbers.emplace(rows.integer(0), rows.integer(1));
    });
}

} // namespace supplierd::host
