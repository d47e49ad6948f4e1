#include "host/auth/FailureLimiter.h"

namespace supplierd::host {

namespace {

constexpr auto WINDOW = std::chrono::minutes(1);
constexpr auto SWEEP_INTERVAL = std::chrono::seconds(1); // a sweep is long: not one for every new address
constexpr std::size_t MAX_ADDRESSES = 50'000;
constexpr auto EVERYBODY_ELSE = "*";

} // namespace

int FailureLimiter::blockedFor(std::string_view address, Clock::time_point now) {
    const std::lock_guard lock(_mutex);
    auto found = _windows.find(std::string(address));
    if (found == _windows.end())
        found = _windows.size() >= MAX_ADDRESSES ? _windows.find(EVERYBODY_ELSE) : _windows.end();
    if (found == _windows.end())
        return 0;
    const auto left = found->second.start + WINDOW - now;
    if (left <= Clock::duration::zero() || found->second.failures < _perMinute)
        return 0;
    return static_cast<int>(std::chrono::ceil<std::chrono::seconds>(left).count());
}

std::string FailureLimiter::keyFor(std::string_view address, Clock::time_point now) {
    std::string key(address);
    if (_windows.size() < MAX_ADDRESSES || _windows.contains(key))
        return key;
    if (now - _sweptAt >= SWEEP_INTERVAL) {
        _sweptAt = now;
        std::erase_if(_windows, [now](const auto& entry) { return entry.second.start + WINDOW <= now; });
    }
    return _windows.size() < MAX_ADDRESSES ? key : EVERYBODY_ELSE;
}

void FailureLimiter::count(std::string_view address, Clock::time_point now) {
    _failures.fetch_add(1, std::memory_order_relaxed);
    const std::lock_guard lock(_mutex);
    auto& window = _windows[keyFor(address, now)];
    if (window.failures == 0 || window.start + WINDOW <= now)
        window = {now, 0};
    ++window.failures;
}

} // namespace supplierd::host
