#include "host/auth/AddressLimiter.h"

#include <utility>

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

void AddressLimiter::share(SharedCounts* counts, std::string name) {
    _shared = counts;
    _sharedName = std::move(name);
}

/// Nothing when they cannot be asked.
std::optional<int> AddressLimiter::askShared(std::string_view address, bool counts, Clock::time_point now) {
    if (!_shared)
        return std::nullopt;
    SharedCountRequest request{_sharedName + ":" + std::string(address), _perMinute, WINDOW, counts, {}, 0, 0, 0};
    {
        const std::lock_guard lock(_mutex);
        const auto found = _windows.find(std::string(address));
        if (found != _windows.end() && now < found->second.start + WINDOW) {
            request.knownLeft = std::chrono::ceil<std::chrono::milliseconds>(found->second.start + WINDOW - now);
            request.knownUsed = request.leastUsed = found->second.counted;
        }
    }
    const auto count = _shared->count(request);
    if (count.outcome != SharedCount::Outcome::Answered)
        return std::nullopt;
    if (count.used > 0) {
        const std::lock_guard lock(_mutex);
        if (const auto key = keyFor(address, now); key == address)
            _windows[key] = {now + count.left - WINDOW, count.used};
    }
    return count.allowed ? 0 : static_cast<int>(std::chrono::ceil<std::chrono::seconds>(count.left).count());
}

int AddressLimiter::blockedFor(std::string_view address, Clock::time_point now) {
    if (const auto seconds = askShared(address, false, now))
        return *seconds;
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

int AddressLimiter::take(std::string_view address, Clock::time_point now) {
    if (const auto seconds = askShared(address, true, now))
        return *seconds;
    const std::lock_guard lock(_mutex);
    auto& window = _windows[keyFor(address, now)];
    const int seconds = secondsLeft(window, now);
    if (seconds == 0)
        countIn(window, now);
    return seconds;
}

} // namespace supplierd::host
