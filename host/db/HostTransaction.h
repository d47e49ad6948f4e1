#pragma once

#include <supplierd/Database.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

namespace supplierd::host {

/// What the host's own stores have of a transaction beyond what plugins see. Whoever wraps one passes it on. Thread:
/// the transaction's.
class HostTransaction : public Transaction {
public:
    /// Runs it once the transaction is committed; not at all when it never is, or when that stays unknown. On whichever
    /// thread commits, without a session. It throws nothing but std::bad_alloc.
    virtual void afterCommit(std::function<void()> action) = 0;
    /// Grows with whatever in it may have written or locked something.
    virtual std::uint64_t effects() const = 0;

protected:
    ~HostTransaction() = default;
};

/// HostTransaction::effects(); nothing in a transaction of somebody else's (tests').
inline std::optional<std::uint64_t> effectsOf(const Transaction& transaction) {
    const auto* const own = dynamic_cast<const HostTransaction*>(&transaction);
    return own ? std::optional(own->effects()) : std::nullopt;
}

/// As HostTransaction::afterCommit(). Throws std::logic_error for a transaction that is somebody else's: nobody would
/// know when it is committed.
inline void afterCommit(Transaction& transaction, std::function<void()> action) {
    auto* const own = dynamic_cast<HostTransaction*>(&transaction);
    if (own == nullptr)
        throw std::logic_error("this transaction does not say when it is committed");
    own->afterCommit(std::move(action));
}

} // namespace supplierd::host
