#include "host/gate/HeldLedger.h"

#include <utility>

namespace supplierd::host {

namespace {

/// Parts of the limits of everything together.
constexpr std::uint64_t KNOWN_CLIENT = 2; ///< of memory; an eighth of the files
constexpr std::uint64_t SUPPLIER = 2;
constexpr std::uint64_t UNKNOWN_CLIENT = 8;
constexpr std::uint64_t UNKNOWN = 4;
/// Files last longer, since large ones take their time.
constexpr std::uint64_t FILES_BELOW_MEMORY = 2;

HeldLedger::Amount limitsOf(const HeldLedger::Amount& limits, std::uint64_t part) {
    return {limits.memory / part, limits.files / part / FILES_BELOW_MEMORY};
}

/// `memoryUse`: the part of the limit that this use may fill.
bool hasRoom(const HeldLedger::Amount& held, const HeldLedger::Amount& more, const HeldLedger::Amount& limits,
             std::uint64_t memoryUse) {
    return held.memory + more.memory <= limits.memory / memoryUse && held.files + more.files <= limits.files;
}

template <typename Accounts, typename Key>
HeldLedger::Amount heldBy(const Accounts& accounts, const Key& key) {
    const auto found = accounts.find(key);
    return found == accounts.end() ? HeldLedger::Amount() : found->second;
}

void add(HeldLedger::Amount& account, const HeldLedger::Amount& amount) {
    account.memory += amount.memory;
    account.files += amount.files;
}

void subtract(HeldLedger::Amount& account, const HeldLedger::Amount& amount) {
    account.memory -= amount.memory;
    account.files -= amount.files;
}

template <typename Accounts, typename Key>
void subtract(Accounts& accounts, const Key& key, const HeldLedger::Amount& amount) {
    const auto found = accounts.find(key);
    subtract(found->second, amount);
    if (found->second.memory == 0 && found->second.files == 0)
        accounts.erase(found);
}

} // namespace

std::optional<Holding> HeldLedger::holdInMemory(const Holder& holder, std::uint64_t bytes) {
    auto whole = hold(holder, {bytes, 0}, Use::Whole);
    return whole || bytes > WINDOW || !holder.isKnown ? std::move(whole) : holdWindow(holder, 0);
}

std::optional<Holding> HeldLedger::holdInFile(const Holder& holder, std::uint64_t bytes) {
    return bytes <= WINDOW ? std::nullopt : hold(holder, {WINDOW, bytes}, Use::Window);
}

std::optional<Holding> HeldLedger::holdWindow(const Holder& holder, std::uint64_t bytes) {
    return hold(holder, {WINDOW + bytes, 0}, Use::Window);
}

HeldLedger::Amount HeldLedger::held() const {
    const std::lock_guard lock(_mutex);
    return _all;
}

std::optional<Holding> HeldLedger::hold(const Holder& holder, const Amount& amount, Use use) {
    if (amount.memory <= SMALL && amount.files == 0)
        return Holding(nullptr, holder, amount);
    const std::lock_guard lock(_mutex);
    if (!fits(holder, amount, use))
        return std::nullopt;
    add(_all, amount);
    if (!holder.isKnown)
        add(_unknown, amount);
    add(_clients[{holder.client, holder.isKnown}], amount);
    if (holder.supplierId != 0)
        add(_suppliers[holder.supplierId], amount);
    return Holding(this, holder, amount);
}

/// Under the lock.
bool HeldLedger::fits(const Holder& holder, const Amount& amount, Use use) const {
    const std::uint64_t memoryUse = use == Use::Whole ? 2 : 1;
    const auto client = heldBy(_clients, std::pair(holder.client, holder.isKnown));
    const auto clientLimits = limitsOf(_limits, holder.isKnown ? KNOWN_CLIENT : UNKNOWN_CLIENT);
    return hasRoom(_all, amount, _limits, memoryUse) && hasRoom(client, amount, clientLimits, memoryUse) &&
           (holder.isKnown || hasRoom(_unknown, amount, limitsOf(_limits, UNKNOWN), memoryUse)) &&
           (holder.supplierId == 0 ||
            hasRoom(heldBy(_suppliers, holder.supplierId), amount, limitsOf(_limits, SUPPLIER), memoryUse));
}

void HeldLedger::release(const Holder& holder, const Amount& amount) {
    const std::lock_guard lock(_mutex);
    subtract(_all, amount);
    if (!holder.isKnown)
        subtract(_unknown, amount);
    subtract(_clients, std::pair(holder.client, holder.isKnown), amount);
    if (holder.supplierId != 0)
        subtract(_suppliers, holder.supplierId, amount);
}

} // namespace supplierd::host
