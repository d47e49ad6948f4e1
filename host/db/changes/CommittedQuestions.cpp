#include "host/db/changes/CommittedQuestions.h"

#include "host/base/OwnCopy.h"
#include "host/db/ErrorClass.h"
#include "host/db/changes/ChangeLogStore.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

enum Column : std::size_t { SupplierId, ChangeSeq, ReadOnly };

constexpr std::string_view SELECT = "SELECT supplier_id, change_seq";
constexpr std::string_view AND_READ_ONLY = ", @@GLOBAL.read_only";
constexpr std::string_view FROM = " FROM supplier_state FORCE INDEX (PRIMARY) WHERE supplier_id IN (?";
/// What is left over is filled with the last supplier again, so that few texts are prepared.
constexpr std::array<std::size_t, 5> SIZES{3, 8, 24, 64, 256};

/// A supplier of whom that many requests came within COUNTED is asked for by every question, of at most so many.
constexpr unsigned MANY_REQUESTS = 5;
constexpr std::size_t MOST_BUSY = 60;
constexpr std::chrono::milliseconds COUNTED{200};

std::string statementFor(std::size_t suppliers, bool hasSeveralNodes) {
    std::string sql(SELECT);
    sql.append(hasSeveralNodes ? AND_READ_ONLY : "").append(FROM);
    for (std::size_t i = 1; i < suppliers; ++i)
        sql += ",?";
    return sql += ')';
}

/// A number, and in later releases of MariaDB a word.
bool isClosed(std::string_view readOnly) {
    return readOnly != "0" && readOnly != "OFF";
}

} // namespace

CommittedQuestions::CommittedQuestions(Database& database, bool hasSeveralNodes)
    : _database(database), _hasSeveralNodes(hasSeveralNodes) {}

CommittedAnswer CommittedQuestions::ask(std::int64_t supplierId, Clock::time_point since) {
    _requests.fetch_add(1, std::memory_order_relaxed);
    const auto serves = [&](const std::shared_ptr<Round>& round) {
        return round && round->begun >= since && round->has(supplierId);
    };
    std::unique_lock lock(_mutex);
    count(supplierId);
    auto round = serves(_answered) ? _answered : serves(_asked) ? _asked : nullptr;
    if (!round) {
        if (!_next)
            _next = std::make_shared<Round>();
        round = _next;
        round->add(supplierId);
    }
    round->moved.wait(lock, [&] { return round->isDone || (!_asked && round == _next); });
    if (!round->isDone)
        lead(lock, round);
    else
        lock.unlock();
    if (round->failure)
        std::rethrow_exception(ownCopy(round->failure));
    const auto numberOf = [&](std::int64_t id) {
        const auto found = round->numbers.find(id);
        return found == round->numbers.end() ? 0 : found->second;
    };
    return {{numberOf(supplierId), numberOf(MARKETPLACE)}, numberOf(ChangeLogStore::ACCOUNTS)};
}

/// Asks for all of a round. Leaves the lock unlocked.
void CommittedQuestions::lead(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Round>& round) {
    _questions.fetch_add(1, std::memory_order_relaxed);
    round->add(MARKETPLACE);
    round->add(ChangeLogStore::ACCOUNTS);
    for (const std::int64_t id : _busy)
        round->add(id);
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

/// With the lock.
void CommittedQuestions::count(std::int64_t supplierId) {
    ++_counts[supplierId];
    const auto now = Clock::now();
    if (now < _countedSince + COUNTED)
        return;
    _busy.clear();
    for (const auto& [id, requests] : _counts)
        if (requests >= MANY_REQUESTS && _busy.size() < MOST_BUSY)
            _busy.push_back(id);
    _counts.clear();
    _countedSince = now;
}

void CommittedQuestions::ask(Round& round) {
    _database.withSession([&](SqlSession& session) {
        round.numbers.clear();
        for (std::span<const std::int64_t> rest(round.suppliers); !rest.empty();) {
            const auto some = rest.first(std::min(rest.size(), SIZES.back()));
            rest = rest.subspan(some.size());
            const std::size_t size = *std::lower_bound(SIZES.begin(), SIZES.end(), some.size());
            std::vector<SqlParam> params(some.begin(), some.end());
            params.resize(size, params.back());
            Rows& rows = session.query(statementFor(size, _hasSeveralNodes), params);
            while (rows.next()) {
                if (_hasSeveralNodes && isClosed(rows.text(ReadOnly)))
                    throw closedForWrites();
                round.numbers.emplace(rows.integer(SupplierId), rows.integer(ChangeSeq));
            }
        }
    });
}

} // namespace supplierd::host
