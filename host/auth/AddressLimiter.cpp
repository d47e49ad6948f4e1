#include "host/auth/AddressLimiter.h"

namespace supplierd::host {

namespace {

constexpr auto WINDOW = std::chrono::minutes(1);
constexpr std::size_t MAX_CLIENTS = 50'000;

int wholeSeconds(std::chrono::steady_clock::duration time) {
    return static_cast<int>(std::chrono::ceil<std::chrono::seconds>(time).count());
}

} // namespace

void AddressLimiter::share(SharedCounts* counts, std::string name) {
    _shared = counts;
    _sharedName = std::move(name);
}

void AddressLimiter::begin(const ClientNetwork& client, Window& window, Clock::time_point start) {
    _byStart.erase({window.start, client});
    _byStart.emplace(start, client);
    window = {start, 0};
}

AddressLimiter::Window& AddressLimiter::windowOf(const ClientNetwork& client, Clock::time_point now) {
    if (const auto found = _windows.find(client); found != _windows.end()) {
        if (found->second.start + WINDOW <= now)
            begin(client, found->second, now);
        return found->second;
    }
    while (!_byStart.empty() && (_windows.size() >= MAX_CLIENTS || _byStart.begin()->first + WINDOW <= now)) {
        _windows.erase(_byStart.begin()->second);
        _byStart.erase(_byStart.begin());
    }
    auto& window = _windows[client];
    begin(client, window, now);
    return window;
}

/// Nothing when they cannot be asked.
std::optional<int> AddressLimiter::askShared(const ClientNetwork& client, Clock::time_point now) {
    if (!_shared)
        return std::nullopt;
    SharedCountRequest request{_sharedName + ":" + client.toString(), _perMinute, WINDOW, true, {}};
    {
        const std::lock_guard lock(_mutex);
        const auto found = _windows.find(client);
        if (found != _windows.end() && now < found->second.start + WINDOW) {
            request.known.left = std::chrono::ceil<std::chrono::milliseconds>(found->second.start + WINDOW - now);
            request.known.used = found->second.counted;
        }
    }
    const auto count = _shared->count(request);
    if (!count)
        return std::nullopt;
    if (count->used > 0) {
        const std::lock_guard lock(_mutex);
        auto& window = windowOf(client, now);
        begin(client, window, now + count->left - WINDOW);
        window.counted = count->used;
    }
    return count->allowed ? 0 : wholeSeconds(count->left);
}

int AddressLimiter::take(std::string_view address, Clock::time_point now) {
    const auto client = ClientNetwork::ofText(address);
    if (const auto seconds = askShared(client, now))
        return *seconds;
    const std::lock_guard lock(_mutex);
    auto& window = windowOf(client, now);
    if (window.counted >= _perMinute)
        return wholeSeconds(window.start + WINDOW - now);
    ++window.counted;
    return 0;
}

} // namespace supplierd::host
