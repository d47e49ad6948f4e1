#include "host/db/changes/CommittedQuestions.h"

#include <supplierd/JsonWriter.h>

#include <string_view>

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
    std::unique_lock lock(_mutex);
    if (!_next)
        _next = std::make_shared<Round>();
    const auto round = _next;
    round->suppliers.insert(supplierId);
    round->moved.wait(lock, [&] { return round->isDone || !_isAsking; });
    if (!round->isDone) {
        _isAsking = true;
        _questions.fetch_add(1, std::memory_order_relaxed);
        _next.reset();
        lock.unlock();
        try {
            ask(*round);
        } catch (...) {
            round->failure = std::current_exception(); // each of those who asked gets it
        }
        lock.lock();
        _isAsking = false;
        round->isDone = true;
        const auto next = _next;
        lock.unlock();
        if (next)
            next->moved.notify_one();
        round->moved.notify_all();
    } else {
        lock.unlock();
    }
    if (round->failure)
        std::rethrow_exception(round->failure);
    const auto numberOf = [&](std::int64_t id) {
        const auto found = round->numbers.find(id);
        return found == round->numbers.end() ? 0 : found->second;
    };
    return {numberOf(supplierId), numberOf(MARKETPLACE)};
}

void CommittedQuestions::ask(Round& round) {
    _database.withSession([&](SqlSession& session) {
        round.numbers.clear();
        if (round.suppliers.size() > 1)
            round.suppliers.insert(MARKETPLACE);
        Rows& rows = round.suppliers.size() == 1 ? session.query(SELECT_ONE, {*round.suppliers.begin()})
                                                 : session.query(SELECT_MANY, {jsonArray(round.suppliers)});
        while (rows.next())
            round.numbers.emplace(rows.integer(0), rows.integer(1));
    });
}

} // namespace supplierd::host
