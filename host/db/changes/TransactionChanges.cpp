#include "host/db/changes/TransactionChanges.h"

#include "host/db/changes/PackedIds.h"

#include <supplierd/services/ChangeLog.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace supplierd::host {

namespace {

constexpr std::string_view INSERT_CHANGE = R"sql(
INSERT INTO changes (supplier_id, change_seq, kind, ids, actor, request_id) VALUES (?, ?, ?, ?, ?, ?))sql";
constexpr std::string_view ONE_MORE = ", (?, ?, ?, ?, ?, ?)";

/// So that few texts are prepared.
constexpr std::size_t MOST_ROWS = 8;

std::string objectOf(std::string_view kind) {
    return std::string(kind.substr(0, kind.find('.')));
}

void sortOnce(std::vector<std::int64_t>& ids) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

} // namespace

void NotedChange::note(std::string_view kind, std::span<const std::int64_t> ids) {
    checkChangeKind(kind);
    ++_notes[objectOf(kind)];
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

std::int64_t NotedChange::withdraw() {
    if (_isShared || !_ids.empty())
        return _seq;
    if (!_isWithdrawn)
        _giveBack();
    _isWithdrawn = true;
    return _seq - 1;
}

void NotedChange::renew(std::int64_t seq) {
    _seq = seq;
    _isWithdrawn = false;
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

void NotedChange::note(std::string_view kind, std::span<const std::int64_t> ids,
                       std::function<void(bool isOnly)> onCommit) {
    note(kind, ids);
    _onCommit.emplace_back(objectOf(kind), std::move(onCommit));
}

void NotedChange::takeActions(std::vector<std::function<void()>>& actions) {
    for (auto& [object, action] : _onCommit)
        actions.push_back([action = std::move(action), isOnly = _notes[object] == 1] { action(isOnly); });
    _onCommit.clear();
}

NotedChange* TransactionChanges::find(std::int64_t supplierId) {
    const auto known = _bySupplier.find(supplierId);
    return known == _bySupplier.end() ? nullptr : &known->second;
}

NotedChange& TransactionChanges::add(std::int64_t supplierId, std::int64_t seq, std::function<void()> giveBack) {
    return _bySupplier.try_emplace(supplierId, seq, std::move(giveBack)).first->second;
}

void TransactionChanges::addRows(std::vector<ChangeRow>& rows, const ChangeOrigin& origin) const {
    for (const auto& [supplierId, change] : _bySupplier) {
        if (change.isWithdrawn())
            continue;
        ChangeRow& row = rows.emplace_back(ChangeRow{supplierId, change.seq(), {}, {}, &origin});
        for (const auto& [kind, ids] : change.ids()) {
            row.kinds.append(row.kinds.empty() ? "" : " ").append(kind);
            packIds(row.ids, ids);
        }
    }
}

void TransactionChanges::takeActions(std::vector<std::function<void()>>& actions) {
    for (auto& [supplierId, change] : _bySupplier)
        change.takeActions(actions);
}

void writeChanges(SqlSession& session, std::span<const ChangeRow> rows) {
    for (; !rows.empty(); rows = rows.subspan(std::min(rows.size(), MOST_ROWS))) {
        std::string sql(INSERT_CHANGE);
        std::vector<SqlParam> params;
        for (const ChangeRow& row : rows.first(std::min(rows.size(), MOST_ROWS))) {
            if (!params.empty())
                sql += ONE_MORE;
            const std::string& requestId = row.origin->requestId;
            params.insert(params.end(), {row.supplierId, row.seq, row.kinds, row.ids, row.origin->actor,
                                         requestId.empty() ? SqlParam(nullptr) : SqlParam(requestId)});
        }
        session.execute(sql, SqlParams(params));
    }
}

} // namespace supplierd::host
