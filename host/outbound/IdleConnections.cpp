#include "host/outbound/IdleConnections.h"

#include <Poco/Exception.h>

#include <poll.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace supplierd::host {

HttpConnection::HttpConnection(std::string place)
    : _place(std::move(place)), _handle(::curl_multi_init()), _request(::curl_easy_init()) {
    if (!_handle || !_request)
        throw Poco::OutOfMemoryException("no memory for an HTTP connection");
}

bool HttpConnection::isQuiet() const {
    pollfd descriptor{socket, POLLIN | POLLRDHUP, 0};
    return ::poll(&descriptor, 1, 0) == 0;
}

std::unique_ptr<HttpConnection> IdleConnections::take(const std::string& place) {
    Connections over; // closed after the lock: under TLS a good-bye is sent
    const std::lock_guard lock(_mutex);
    const auto now = TimeLimit::Clock::now();
    for (auto next = _idle.end(); next != _idle.begin();) {
        const auto candidate = std::prev(next);
        if ((*candidate)->place() != place) {
            next = candidate;
            continue;
        }
        if (!isOver(**candidate, now) && (*candidate)->isQuiet()) {
            auto connection = std::move(*candidate);
            _idle.erase(candidate);
            return connection;
        }
        over.splice(over.end(), _idle, candidate);
    }
    return nullptr;
}

void IdleConnections::put(std::unique_ptr<HttpConnection> connection) {
    Connections over;
    const std::lock_guard lock(_mutex);
    connection->idleSince = TimeLimit::Clock::now();
    const auto isThere = [&](const auto& other) { return other->place() == connection->place(); };
    if (static_cast<std::size_t>(std::ranges::count_if(_idle, isThere)) >= _limits.perPlace)
        over.splice(over.end(), _idle, std::ranges::find_if(_idle, isThere));
    if (_idle.size() >= _limits.all)
        over.splice(over.end(), _idle, _idle.begin());
    _idle.push_back(std::move(connection));
    if (!std::exchange(_wasUsed, true)) {
        if (!_closer.joinable())
            _closer = std::jthread([this](const std::stop_token& stop) { closeIdle(stop); });
        _changed.notify_one();
    }
}

bool IdleConnections::isOver(const HttpConnection& connection, TimeLimit::Clock::time_point now) const {
    return now >= connection.idleSince + _limits.idle || now >= connection.opened() + _limits.age;
}

/// Looks once in the longest time that one may be idle, so that nobody who brings one back has to wake it.
void IdleConnections::closeIdle(const std::stop_token& stop) {
    std::unique_lock lock(_mutex);
    while (!stop.stop_requested()) {
        if (!_wasUsed && _idle.empty())
            _changed.wait(lock, stop, [this] { return _wasUsed; });
        _wasUsed = false;
        _changed.wait_for(lock, stop, _limits.idle, [] { return false; });
        const auto now = TimeLimit::Clock::now();
        Connections over;
        for (auto one = _idle.begin(); one != _idle.end();) {
            const auto next = std::next(one);
            if (isOver(**one, now))
                over.splice(over.end(), _idle, one);
            one = next;
        }
        lock.unlock();
        over.clear();
        lock.lock();
    }
}

} // namespace supplierd::host
