#pragma once

#include "host/config/ClientNetwork.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace supplierd::host {

class Holding;

/// What the server holds for others: bodies that arrive, in memory or in files, and responses that wait to be accepted.
/// Counted by client, by supplier, for all callers that are not known together, and in all. Nobody gets so much of it
/// that others get none: see fits(). Thread: any.
class HeldLedger {
public:
    struct Amount {
        std::uint64_t memory = 0;
        std::uint64_t files = 0;
    };
    /// For whom something is held.
    struct Holder {
        ClientNetwork client;
        std::int64_t supplierId = 0; ///< 0: no supplier's
        bool isKnown = false;        ///< has shown who it is, by a key or a session
    };

    /// What is smaller is not counted: connections have their own limit.
    static constexpr std::uint64_t SMALL = std::uint64_t{4} << 10;
    /// Memory beside what is in a file, or is still to be made.
    static constexpr std::uint64_t WINDOW = std::uint64_t{128} << 10;

    /// The limits of everything together.
    explicit HeldLedger(const Amount& limits) : _limits(limits) {}
    HeldLedger(const HeldLedger&) = delete;
    HeldLedger& operator=(const HeldLedger&) = delete;

    /// Room in memory for all of it; nothing when there is none. It leaves room for the windows, which what is no
    /// larger may use for somebody who is known.
    std::optional<Holding> holdInMemory(const Holder& holder, std::uint64_t bytes);
    /// Room in a file, and a window in memory; nothing when there is none, and for what is no larger than a window.
    std::optional<Holding> holdInFile(const Holder& holder, std::uint64_t bytes);
    /// Room for a window alone, beside `bytes` that are there already; nothing when there is none.
    std::optional<Holding> holdWindow(const Holder& holder, std::uint64_t bytes);

    Amount held() const;
    /// How often something had to be refused or cut off, since there was no room.
    std::uint64_t refused() const { return _refused.load(std::memory_order_relaxed); }
    void noteRefused() { _refused.fetch_add(1, std::memory_order_relaxed); }

private:
    friend class Holding;

    enum class Use {
        Whole, ///< in memory
        Window ///< may use what Whole leaves
    };

    std::optional<Holding> hold(const Holder& holder, const Amount& amount, Use use);
    bool fits(const Holder& holder, const Amount& amount, Use use) const;
    void release(const Holder& holder, const Amount& amount);

    const Amount _limits;
    mutable std::mutex _mutex;
    Amount _all;
    Amount _unknown;
    std::map<std::pair<ClientNetwork, bool>, Amount> _clients; ///< known and unknown callers of one network apart
    std::map<std::int64_t, Amount> _suppliers;
    std::atomic<std::uint64_t> _refused{0};
};

/// Something that is held, for as long as this lives. Lifetime: the ledger's. Thread: one at a time.
class Holding {
public:
    Holding(Holding&& other) noexcept
        : _ledger(std::exchange(other._ledger, nullptr)), _holder(other._holder), _amount(other._amount) {}
    Holding& operator=(Holding&& other) noexcept {
        std::swap(_ledger, other._ledger);
        std::swap(_holder, other._holder);
        std::swap(_amount, other._amount);
        return *this;
    }
    ~Holding() {
        if (_ledger)
            _ledger->release(_holder, _amount);
    }

    const HeldLedger::Amount& amount() const { return _amount; }

private:
    friend class HeldLedger;

    Holding(HeldLedger* ledger, const HeldLedger::Holder& holder, const HeldLedger::Amount& amount)
        : _ledger(ledger), _holder(holder), _amount(amount) {}

    HeldLedger* _ledger; ///< null: nothing is counted
    HeldLedger::Holder _holder;
    HeldLedger::Amount _amount;
};

} // namespace supplierd::host
