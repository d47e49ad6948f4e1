#pragma once

#include "tests/system/faults/FaultFixture.h"

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

/// Clients that read the same pages of a catalog that nobody changes, without a pause. Every response must be word
/// for word what it was at the start, or a 503 with Retry-After; what else comes is kept as a complaint.
class ReadingLoad {
public:
    ReadingLoad(const FaultFixture& fixture, std::size_t account, std::vector<std::string> paths, int clients);
    ~ReadingLoad();
    ReadingLoad(const ReadingLoad&) = delete;
    ReadingLoad& operator=(const ReadingLoad&) = delete;

    std::size_t answered() const { return _answered; } ///< with 200
    std::size_t refused() const { return _refused; }   ///< with 503
    void finish();
    const std::vector<std::string>& complaints() const { return _complaints; }

private:
    void run();
    void read(HttpClient& http, std::size_t path);
    void reportFailure(const std::string& what);

    const FaultFixture& _fixture;
    const std::size_t _account;
    const std::vector<std::string> _paths;
    std::vector<std::string> _bodies;
    std::atomic<bool> _stopping{false};
    std::atomic<std::size_t> _answered{0};
    std::atomic<std::size_t> _refused{0};
    std::mutex _mutex;
    std::vector<std::string> _complaints;
    std::vector<std::thread> _threads;
};

} // namespace supplierd::tests
