#include "ProductUpdate.h"

namespace supplierd::catalog {

std::string ProductUpdate::sql() const {
    std::string text;
    text.reserve(200 + unless.size() + set.size() + where.size());
    text.append("UPDATE ").append(rows).append(" SET ");
    if (unless.empty()) {
        text.append("change_seq = ").append(changeSeq).append(", version = version + 1, updated_at = NOW(6)");
    } else {
        // Assignments run from left to right, so each sees whether the first one has stamped the row.
        text.append("change_seq = IF(").append(unless).append(", change_seq, ").append(changeSeq);
        text.append("), version = version + (change_seq = ").append(changeSeq);
        text.append("), updated_at = IF(change_seq = ").append(changeSeq).append(", NOW(6), updated_at)");
    }
    if (!set.empty())
        text.append(", ").append(set);
    return text.append(" WHERE ").append(where);
}

} // namespace supplierd::catalog
