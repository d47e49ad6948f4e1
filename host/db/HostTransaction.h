#pragma once

#include <supplierd/Database.h>

#include <cstdint>
#include <functional>
#include <optional>

namespace supplierd::host {

/// What the host's own stores have of a transaction beyond what plugins see. Thread: the transaction's.
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

/// As HostTransaction::afterCommit(); at once in a transaction of somebody else's (tests').
inline void afterCommit(Transaction& transaction, const std::function<void()>& action) {
    if (auto* const own = dynamic_cast<HostTransaction*>(&transaction))
        own->afterCommit(action);
    else
        action();
}

} // namespace supplierd::host
