#pragma once

#include "ListSort.h"

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>

#include <cstdint>
#include <string>

namespace supplierd::catalog {

/// Writes the rows of a list statement as the array of products, and keeps what the pagination needs of them.
class ProductRows {
public:
    struct Shape {
        std::int64_t limit = 20; ///< rows written at most; one more only says that there are more
        SortKey sort = SortKey::Id;
        bool deletedAt = false;
        bool inChangeOrder = false;
        /// Every product shows its change_seq, and a change that does not fit is left out as a whole, unless it is the
        /// first.
        bool wholeChanges = false;
        bool withImages = false;
    };

    explicit ProductRows(const Shape& shape) : _shape(shape) {}

    /// Writes into an array that the caller opened. Throws DatabaseError.
    void write(Rows& rows, JsonWriter& json);

    std::int64_t count() const { return _count; }
    bool hasMore() const { return _hasMore; }
    /// Of the last product written.
    std::int64_t lastId() const { return _lastId; }
    std::int64_t lastSeq() const { return _lastSeq; }
    const std::string& lastKey() const { return _lastKey; }
    /// supplier_state.change_seq and the list's total, as of these rows; 0 when there were none.
    std::int64_t stateSeq() const { return _stateSeq; }
    std::int64_t total() const { return _total; }
    /// With wholeChanges: all products written are of one change, and it has more of them.
    bool isCutInChange() const { return _isCutInChange; }

private:
    void writeOne(const Rows& row, JsonWriter& json);
    void leaveOutLastChange(JsonWriter& json);
    void keepKey(const Rows& row);

    /// What was there when the last change began, to go back to.
    struct Mark {
        std::size_t bytes = 0;
        std::int64_t count = 0;
        std::int64_t lastSeq = 0;
    };

    Shape _shape;
    Mark _mark;
    bool _hasMore = false;
    bool _isCutInChange = false;
    std::int64_t _count = 0;
    std::int64_t _lastId = 0;
    std::int64_t _lastSeq = 0;
    std::int64_t _stateSeq = 0;
    std::int64_t _total = 0;
    std::string _lastKey;
};

} // namespace supplierd::catalog
