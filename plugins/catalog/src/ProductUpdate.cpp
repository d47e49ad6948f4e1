#include "ProductUpdate.h"

namespace supplierd::catalog {

namespace {

constexpr std::string_view RENUMBER = R"(
UPDATE products r
    JOIN (SELECT id, (ROW_NUMBER() OVER (PARTITION BY supplier_id ORDER BY change_seq DESC, id DESC) - 1) DIV 100 AS later
          FROM products) o ON o.id = r.id
    JOIN {last_changes} s ON s.supplier_id = r.supplier_id
SET r.change_seq = s.change_seq - o.later, r.version = r.version + ?)";

static_assert(VERSION_STEP == 524'288);

std::string floorOf(std::string_view changeSeq) {
    return std::string(changeSeq).append(" - ").append(changeSeq).append(" MOD 524288");
}

} // namespace

std::string ProductUpdate::sql() const {
    std::string text;
    text.reserve(200 + set.size() + where.size());
    text.append(update).append(" SET ");
    // Of a single table assignments run from left to right; of joined ones nobody promises that.
    const bool isJoined = update != ProductUpdate{}.update;
    text.append("change_seq = ").append(changeSeq).append(", version = GREATEST(version + 1, ");
    text.append(!isJoined ? floorOf("change_seq") : changeSeq == "?" ? std::string("?") : floorOf(changeSeq));
    text.append("), updated_at = NOW(6)");
    if (!set.empty())
        text.append(", ").append(set);
    return text.append(" WHERE ").append(where);
}

std::string renumberProducts() {
    return std::string(RENUMBER);
}

} // namespace supplierd::catalog
