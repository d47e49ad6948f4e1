#include "ProductRows.h"

#include "ListStatement.h"
#include "ProductJson.h"

#include <string>

namespace supplierd::catalog {

void ProductRows::write(Rows& rows, JsonWriter& json) {
    while (rows.next()) {
        if (_count == 0) {
            _stateSeq = rows.integer(column::ChangeSeq);
            _total = rows.integer(column::Total);
        }
        const std::int64_t seq = _shape.inChangeOrder ? rows.integer(column::RowChangeSeq) : 0;
        if (_count == _shape.limit) {
            _hasMore = true;
            if (_shape.wholeChanges && seq == _lastSeq)
                leaveOutLastChange(json);
            continue; // to the end of the result, so that the session is free for the next statement
        }
        if (_count == 0 || seq != _lastSeq)
            _mark = {json.buffer().size(), _count, _lastSeq};
        _lastSeq = seq;
        writeOne(rows, json);
        ++_count;
    }
}

void ProductRows::leaveOutLastChange(JsonWriter& json) {
    _isCutInChange = _mark.count == 0;
    if (_isCutInChange)
        return;
    json.buffer().resize(_mark.bytes);
    _count = _mark.count;
    _lastSeq = _mark.lastSeq;
}

void ProductRows::writeOne(const Rows& row, JsonWriter& json) {
    json.beginObject();
    writeListFields(json, row, _shape.withImages);
    if (_shape.wholeChanges)
        json.field("change_seq", _lastSeq);
    if (_shape.deletedAt) {
        json.key("deleted_at");
        if (row.isNull(column::DeletedAt))
            json.null();
        else
            json.value(row.time(column::DeletedAt));
    }
    json.endObject();
    _lastId = row.integer(column::Id);
    keepKey(row);
}

void ProductRows::keepKey(const Rows& row) {
    switch (_shape.sort) {
    case SortKey::Id:
        break;
    case SortKey::Name:
        _lastKey = row.text(column::Name);
        break;
    case SortKey::BasePrice:
        _lastKey = row.decimal(column::BasePrice).toString();
        break;
    case SortKey::StockQty:
        _lastKey = std::to_string(row.integer(column::StockQty));
        break;
    case SortKey::UpdatedAt:
        _lastKey = row.text(column::UpdatedAtText);
        break;
    }
}

} // namespace supplierd::catalog
