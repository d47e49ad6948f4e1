#pragma once

#include <supplierd/Database.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::host {

/// Who acts in a transaction, for the change log.
struct ChangeOrigin {
    std::string actor = "supplierd"; ///< as AuditEntry::actor
    std::string requestId = {};
};

/// What one attempt of a transaction changes of one supplier.
class NotedChange final : public Change {
public:
    /// More ids of one kind are not kept: the log then says that any may have changed.
    static constexpr std::size_t MAX_IDS = 4'000;

    /// `giveBack` makes the number the next one's again.
    NotedChange(std::int64_t seq, std::function<void()> giveBack) : _seq(seq), _giveBack(std::move(giveBack)) {}

    std::int64_t seq() const override { return _seq; }
    void note(std::string_view kind, std::span<const std::int64_t> ids) override;
    std::int64_t withdraw() override;
    void note(std::string_view kind, std::span<const std::int64_t> ids,
              std::function<void(bool isOnly)> onCommit) override;

    bool isWithdrawn() const { return _isWithdrawn; }
    /// Somebody else of the transaction has it now, too.
    void share() { _isShared = true; }
    /// Once it was withdrawn: it is taken again, and has this number.
    void renew(std::int64_t seq);

    /// Nothing for a kind of which there were more than MAX_IDS.
    using Ids = std::optional<std::vector<std::int64_t>>;
    /// By kind; ascending, each once.
    std::map<std::string, Ids, std::less<>> ids() const;
    /// Adds what is to be called when it is committed.
    void takeActions(std::vector<std::function<void()>>& actions);

private:
    std::int64_t _seq;
    std::function<void()> _giveBack;
    bool _isShared = false;
    bool _isWithdrawn = false;
    std::map<std::string, Ids, std::less<>> _ids;           ///< as they were noted
    std::map<std::string, std::size_t, std::less<>> _notes; ///< how many, by what stands before the dot
    std::vector<std::pair<std::string, std::function<void(bool isOnly)>>> _onCommit; ///< with that
};

/// A row of the change log.
struct ChangeRow {
    std::int64_t supplierId = 0;
    std::int64_t seq = 0;
    std::string kinds;
    std::string ids; ///< packed
    const ChangeOrigin* origin = nullptr;
};

/// Appends the rows to the change log, several with one statement.
void writeChanges(SqlSession& session, std::span<const ChangeRow> rows);

/// What one attempt of a work changes, by supplier. Thread: one.
class TransactionChanges {
public:
    /// Null: there is none yet.
    NotedChange* find(std::int64_t supplierId);
    NotedChange& add(std::int64_t supplierId, std::int64_t seq, std::function<void()> giveBack);
    /// Adds a row for each supplier of whom a change was not withdrawn; the origin outlives them.
    void addRows(std::vector<ChangeRow>& rows, const ChangeOrigin& origin) const;
    /// Adds what is to be called when they are committed.
    void takeActions(std::vector<std::function<void()>>& actions);

private:
    std::map<std::int64_t, NotedChange> _bySupplier; ///< callers hold references
};

} // namespace supplierd::host
