#include "host/auth/AddressLimiter.h"

namespace supplierd::host {

namespace {

constexpr auto WINDOW = std::chrono::minutes(1);
constexpr auto SWEEP_INTERVAL = std::chrono::seconds(1); // a sweep is long: not one for every new address
constexpr std::size_t MAX_ADDRESSES = 50'000;
constexpr auto EVERYBODY_ELSE = "*";

} // namespace

int AddressLimiter::secondsLeft(const Window& window, Clock::time_point now) const {
    const auto left = window.start + WINDOW - now;
    if (left <= Clock::duration::zero() || window.counted < _perMinute)
        return 0;
    return static_cast<int>(std::chrono::ceil<std::chrono::seconds>(left).count());
}

void AddressLimiter::countIn(Window& window, Clock::time_point now) {
    if (window.counted == 0 || window.start + WINDOW <= now)
        window = {now, 0};
    ++window.counted;
}

int AddressLimiter::blockedFor(std::string_view address, Clock::time_point now) {
    const std::lock_guard lock(_mutex);
    auto found = _windows.find(std::string(address));
    if (found == _windows.end())
        found = _windows.size() >= MAX_ADDRESSES ? _windows.find(EVERYBODY_ELSE) : _windows.end();
    return found == _windows.end() ? 0 : secondsLeft(found->second, now);
}

std::string AddressLimiter::keyFor(std::string_view address, Clock::time_point now) {
    std::string key(address);
    if (_windows.size() < MAX_ADDRESSES || _windows.contains(key))
        return key;
    if (now - _sweptAt >= SWEEP_INTERVAL) {
        _sweptAt = now;
        std::erase_if(_windows, [now](const auto& entry) { return entry.second.start + WINDOW <= now; });
    }
    return _windows.size() < MAX_ADDRESSES ? key : EVERYBODY_ELSE;
}

void AddressLimiter::count(std::string_view address, Clock::time_point now) {
    _total.fetch_add(1, std::memory_order_relaxed);
    const std::lock_guard lock(_mutex);
    countIn(_windows[keyFor(address, now)], now);
}

int AddressLimiter::take(std::string_view address, Clock::time_point now) {
    const std::lock_guard lock(_mutex);
    auto& window = _windows[keyFor(address, now)];
    const int seconds = secondsLeft(window, now);
    if (seconds == 0)
        countIn(window, now);
    return seconds;
}

} // namespace supplierd::host
