#pragma once

#include "CatalogReplay.h"
#include "list/Cursor.h"
#include "tests/system/fixtures/RecordingReaders.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

/// Of a list or a product.
struct RecordedAnswer : AnswerTo<ListRequest, RecordedAnswer> {
    /// As `heardOf`, of all suppliers.
    std::int64_t marketplaceHeardOf = 0;

    // What the check found, for the page that follows.
    struct Walk {
        std::set<std::int64_t> atBegin; ///< live ones, when the walk shows all
        std::set<std::int64_t> seen;
        /// Those of the list's order, or of a walk by change: the same product is there again only when it was changed.
        std::set<std::pair<std::int64_t, std::int64_t>> delivered;
        std::set<std::int64_t> late;
    };
    std::shared_ptr<Walk> walk;
    catalog::IndexPosition last;
    std::optional<catalog::Cursor> next;
};
using AnswerPointer = std::shared_ptr<RecordedAnswer>;

/// What somebody was told that he wrote.
struct AcknowledgedWrite {
    std::int64_t supplierId = 0;
    std::int64_t number = 0;
    std::int64_t productId = 0;
    std::string field; ///< of ReplayedProduct::values
    Json value;
};

/// Replays the commits and compares every answer with what it must have been at its number.
class AnswerCheck {
public:
    explicit AnswerCheck(CommitLog& log) : _log(log) {}

    /// Throws std::runtime_error, saying what differs, at the first answer that is wrong.
    void check(std::vector<AnswerPointer> answers, std::vector<AcknowledgedWrite> writes);

    std::size_t commits() const;
    std::size_t walksChecked() const { return _walks; }
    std::size_t compared() const { return _products; }

private:
    void checkWrites(const std::vector<const AcknowledgedWrite*>& writes, const CatalogReplay& replay) const;
    void checkAnswer(RecordedAnswer& answer, const CatalogReplay& replay);
    void checkProduct(const RecordedAnswer& answer, const CatalogReplay& replay) const;
    void checkList(RecordedAnswer& answer, const CatalogReplay& replay);
    void checkWalk(RecordedAnswer& answer, const CatalogReplay& replay, const catalog::IndexedPage& page);
    void requireShown(const RecordedAnswer& answer, Json expected, Json shown) const;

    CommitLog& _log;
    std::map<std::int64_t, CatalogReplay> _replays;
    /// By category: the names that it had, from which number of all suppliers on.
    std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::string>>> _categories;
    std::size_t _walks = 0;
    mutable std::size_t _products = 0;
};

} // namespace supplierd::tests
