#include "ProductUpdate.h"

namespace supplierd::catalog {

namespace {

static_assert(VERSION_STEP == 524'288);

std::string floorOf(std::string_view changeSeq) {
    return std::string(changeSeq).append(" - ").append(changeSeq).append(" MOD 524288");
}

} // namespace

std::string ProductUpdate::sql() const {
    std::string text;
    text.reserve(200 + set.size() + where.size());
    text.append("UPDATE ").append(rows).append(" SET ");
    // Of a single table assignments run from left to right; of joined ones nobody promises that.
    const bool isJoined = rows != ProductUpdate{}.rows;
    text.append("change_seq = ").append(changeSeq).append(", version = GREATEST(version + 1, ");
    text.append(!isJoined ? floorOf("change_seq") : changeSeq == "?" ? std::string("?") : floorOf(changeSeq));
    text.append("), updated_at = NOW(6)");
    if (!set.empty())
        text.append(", ").append(set);
    return text.append(" WHERE ").append(where);
}

} // namespace supplierd::catalog
