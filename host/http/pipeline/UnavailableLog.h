#pragma once

#include <supplierd/Log.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace supplierd::host {

/// Why requests are answered with a 503: what is away is away for all of them, so each reason is written once in a
/// while, with how many requests have had it since. The access log has every one. Thread: any.
class UnavailableLog {
public:
    using Clock = std::chrono::steady_clock;

    static constexpr std::chrono::seconds PAUSE{10};
    /// So many reasons are remembered.
    static constexpr std::size_t REASONS = 64;

    explicit UnavailableLog(Logger& log) : _log(log) {}

    /// `where`: the request, its plugin and route.
    void note(const std::string& reason, std::vector<LogField> where, Clock::time_point now = Clock::now());

private:
    struct Told {
        Clock::time_point nextAt;
        std::uint64_t since = 0;
    };

    Logger& _log;
    std::mutex _mutex;
    std::map<std::string, Told> _told;
};

} // namespace supplierd::host
