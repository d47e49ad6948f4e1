#include "host/db/TransactionChanges.h"

#include "host/db/PackedIds.h"

#include <supplierd/services/ChangeLog.h>

#include <algorithm>
#include <stdexcept>

namespace supplierd::host {

namespace {

constexpr std::string_view INSERT_CHANGE = R"sql(
INSERT INTO changes (supplier_id, change_seq, kind, ids, actor, request_id) VALUES (?, ?, ?, ?, ?, ?)
)sql";

void sortOnce(std::vector<std::int64_t>& ids) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

} // namespace

void NotedChange::note(std::string_view kind, std::span<const std::int64_t> ids) {
    checkChangeKind(kind);
    auto known = _ids.find(kind);
    if (known == _ids.end()) {
        if (_ids.size() == MAX_KINDS)
            throw std::length_error("a change has at most " + std::to_string(MAX_KINDS) + " kinds");
        known = _ids.emplace(kind, std::vector<std::int64_t>()).first;
    }
    Ids& noted = known->second;
    if (!noted)
        return;
    noted->insert(noted->end(), ids.begin(), ids.end());
    if (noted->size() <= MAX_IDS)
        return;
    sortOnce(*noted);
    if (noted->size() > MAX_IDS)
        noted.reset();
}

std::map<std::string, NotedChange::Ids, std::less<>> NotedChange::ids() const {
    std::map<std::string, Ids, std::less<>> sorted;
    for (const auto& [kind, ids] : _ids) {
        if (ids && ids->empty())
            continue;
        const auto added = sorted.emplace(kind, ids).first;
        if (added->second)
            sortOnce(*added->second);
    }
    return sorted;
}

Change* TransactionChanges::find(std::int64_t supplierId) {
    const auto known = _bySupplier.find(supplierId);
    return known == _bySupplier.end() ? nullptr : &known->second;
}

Change& TransactionChanges::add(std::int64_t supplierId, std::int64_t seq) {
    return _bySupplier.try_emplace(supplierId, seq).first->second;
}

std::vector<std::int64_t> TransactionChanges::suppliers() const {
    std::vector<std::int64_t> found;
    for (const auto& [supplierId, change] : _bySupplier)
        found.push_back(supplierId);
    return found;
}

void TransactionChanges::write(SqlSession& session, const ChangeOrigin& origin) const {
    for (const auto& [supplierId, change] : _bySupplier) {
        std::string kinds;
        std::string packed;
        for (const auto& [kind, ids] : change.ids()) {
            kinds.append(kinds.empty() ? "" : " ").append(kind);
            packIds(packed, ids);
        }
        const SqlParam requestId = origin.requestId.empty() ? SqlParam(nullptr) : SqlParam(origin.requestId);
        session.execute(INSERT_CHANGE, {supplierId, change.seq(), kinds, packed, origin.actor, requestId});
    }
}

} // namespace supplierd::host
