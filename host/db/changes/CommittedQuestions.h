#pragma once

#include <supplierd/Database.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace supplierd::host {

/// What one question says.
struct CommittedAnswer {
    CommittedNumbers numbers;
    std::int64_t accounts = 0; ///< that of ChangeLogStore::ACCOUNTS
};

/// Asks the database for suppliers' last numbers, for many requests at once. A request takes the answer of any question
/// about its supplier that began after it came: that of the last one, at once; or of the one that is
/// under way. Those that came later wait together for the next. Where requests wait for a worker, most find their
/// answer there already. A question asks for all suppliers that many requests were about lately, too, so that it serves
/// whoever comes next. Thread: any. Errors: DatabaseError.
///
/// Of several nodes, what one says that is closed for writes counts for nothing: others may write elsewhere by now, and
/// it has that some moments later. It is left then, as after a write that it refused; when nobody else can be asked,
/// the question fails as it does when the database is away.
class CommittedQuestions {
public:
    CommittedQuestions(Database& database, bool hasSeveralNodes);

    /// Since the start: what was asked of the database, and by how many requests.
    struct Counts {
        std::uint64_t questions = 0;
        std::uint64_t requests = 0;
    };

    using Clock = std::chrono::steady_clock;

    /// `since`: when the request came.
    CommittedAnswer ask(std::int64_t supplierId, Clock::time_point since);
    Counts counts() const {
        return {_questions.load(std::memory_order_relaxed), _requests.load(std::memory_order_relaxed)};
    }

private:
    struct Round {
        std::vector<std::int64_t> suppliers;
        Clock::time_point begun;
        std::unordered_map<std::int64_t, std::int64_t> numbers;
        std::exception_ptr failure;
        bool isDone = false;
        /// It is done, or one who waits has to ask. One for each round: waking those of the next one, too, took a list
        /// a sixth of its CPU time.
        std::condition_variable moved;

        bool has(std::int64_t supplierId) const {
            return std::find(suppliers.begin(), suppliers.end(), supplierId) != suppliers.end();
        }
        void add(std::int64_t supplierId) {
            if (!has(supplierId))
                suppliers.push_back(supplierId);
        }
    };

    void lead(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Round>& round);
    void ask(Round& round);
    void count(std::int64_t supplierId);

    Database& _database;
    const bool _hasSeveralNodes;
    std::mutex _mutex;
    std::shared_ptr<Round> _answered; ///< the last one that was
    std::shared_ptr<Round> _asked;    ///< is under way
    std::shared_ptr<Round> _next;
    /// Of each supplier, the requests since `_countedSince`; and those of whom there were many before that.
    std::unordered_map<std::int64_t, unsigned> _counts;
    Clock::time_point _countedSince;
    std::vector<std::int64_t> _busy;
    std::atomic<std::uint64_t> _questions{0};
    std::atomic<std::uint64_t> _requests{0};
};

} // namespace supplierd::host
