#pragma once

#include <supplierd/Database.h>

#include <cstdint>
#include <optional>

namespace supplierd::host {

/// What the host's own parts have of a transaction beyond what plugins see. Thread: the transaction's.
class HostTransaction : public Transaction {
public:
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

} // namespace supplierd::host
