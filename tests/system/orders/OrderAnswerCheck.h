#pragma once

#include "OrderReplay.h"
#include "OrderRequest.h"
#include "tests/support/TestDatabase.h"
#include "tests/system/fixtures/RecordingReaders.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Of a list of orders or of one.
struct OrderAnswer : AnswerTo<OrderRequest, OrderAnswer> {
    // What the check found, for the page that follows.
    struct Next {
        std::int64_t position = 0; ///< how many were delivered
        std::int64_t lastId = 0;
        std::string lastCreated = {};
        std::int64_t lastSeq = 0; ///< of a walk by change; lastId 0: all of that change was told
    };
    std::optional<Next> next;
    std::int64_t total = 0;
    /// All ids that a walk without a filter has to deliver yet.
    std::shared_ptr<std::set<std::int64_t>> awaited;
};
using OrderAnswerPointer = std::shared_ptr<OrderAnswer>;

/// A move that somebody was told was made.
struct AcknowledgedMove {
    std::int64_t supplierId = 0;
    std::int64_t number = 0;
    std::int64_t orderId = 0;
    std::string status;
};

/// Replays the commits and compares every answer with what it must have been at its number.
class OrderAnswerCheck {
public:
    OrderAnswerCheck(TestDatabase& database, CommitLog& log) : _database(database), _log(log) {}

    /// Throws std::runtime_error, saying what differs, at the first answer that is wrong.
    void check(std::vector<OrderAnswerPointer> answers, std::vector<AcknowledgedMove> moves);

    std::size_t commits() const;
    std::size_t walksChecked() const { return _walks; }
    std::size_t compared() const { return _compared; }

private:
    void checkAnswer(OrderAnswer& answer, const OrderReplay& replay);
    void checkOrder(const OrderAnswer& answer, const OrderReplay& replay);
    void checkList(OrderAnswer& answer, const OrderReplay& replay);
    void checkWalk(OrderAnswer& answer, const OrderReplay& replay, const OrderReplay::Found& page);

    TestDatabase& _database;
    CommitLog& _log;
    std::map<std::int64_t, OrderReplay> _replays;
    std::size_t _walks = 0;
    std::size_t _compared = 0;
};

} // namespace supplierd::tests
