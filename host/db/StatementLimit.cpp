#include "host/db/StatementLimit.h"

#include <algorithm>

namespace supplierd::host {

namespace {

constexpr std::chrono::seconds ONE_REFUSAL{1};
constexpr std::chrono::minutes RECOVERY{10};

} // namespace

std::size_t StatementLimit::current() noexcept {
    const std::size_t current = _current;
    if (current == MOST)
        return current;
    const Clock::rep now = Clock::now().time_since_epoch().count();
    Clock::rep changedAt = _changedAt;
    if (now - changedAt > Clock::duration(RECOVERY).count() && _changedAt.compare_exchange_strong(changedAt, now))
        _current = std::min(MOST, current * 2);
    return _current;
}

void StatementLimit::lower() noexcept {
    const Clock::rep now = Clock::now().time_since_epoch().count();
    Clock::rep changedAt = _changedAt;
    const bool isFirst = changedAt == 0 || now - changedAt > Clock::duration(ONE_REFUSAL).count();
    if (isFirst && _changedAt.compare_exchange_strong(changedAt, now))
        _current = std::max(LEAST, _current / 2);
}

} // namespace supplierd::host
