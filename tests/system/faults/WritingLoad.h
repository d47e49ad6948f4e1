#pragma once

#include "tests/system/faults/FaultFixture.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

/// One product that a client wanted created.
struct Write {
    std::string name;
    std::string key; ///< the Idempotency-Key; empty: none
    std::size_t account = 0;
    int status = 0; ///< of the last response; 0: the connection broke first
    std::int64_t productId = 0;

    bool acknowledged() const { return status == 201; }
    HttpHeaders headers() const;
};

/// Clients that create products without a pause, each product under a name of its own. Every response must be a 201 or
/// a 503 with Retry-After; what else comes is kept as a complaint.
class WritingLoad {
public:
    struct Settings {
        int clients = 4;
        std::string prefix = "Product";
        /// Every other product without an Idempotency-Key.
        bool someWithoutKey = false;
        /// A client ends when its connection breaks (the server is to be killed); otherwise that is a complaint.
        bool serverMayVanish = false;
    };

    WritingLoad(const SuppliersFixture& fixture, std::size_t accounts, Settings settings);
    ~WritingLoad();
    WritingLoad(const WritingLoad&) = delete;
    WritingLoad& operator=(const WritingLoad&) = delete;

    std::size_t acknowledged() const { return _acknowledged; }
    /// Ends the clients. What they wrote, and what failed.
    void finish();
    std::vector<Write>& writes() { return _writes; }
    const std::vector<std::string>& complaints() const { return _complaints; }

private:
    void run(std::size_t client);
    bool post(HttpClient& http, Write& write);
    void reportFailure(const std::string& what);

    const SuppliersFixture& _fixture;
    const std::size_t _accounts;
    const Settings _settings;
    std::atomic<bool> _stopping{false};
    std::atomic<std::size_t> _acknowledged{0};
    std::mutex _mutex;
    std::vector<Write> _writes;
    std::vector<std::string> _complaints;
    std::vector<std::thread> _threads;
};

/// Judges every write by the database, once nothing runs any more: an acknowledged product is there exactly once, with
/// its number; one without a response, or refused, at most once; one with a key can be asked for again, and is there
/// then, exactly once.
void requireWritesAsAcknowledged(SuppliersFixture& fixture, std::vector<Write>& writes);

} // namespace supplierd::tests
