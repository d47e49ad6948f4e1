#pragma once

#include "host/base/Digest.h"

#include <supplierd/services/Crypto.h>

#include <Poco/Semaphore.h>

#include <algorithm>
#include <atomic>

namespace supplierd::host {

/// The service "supplierd.crypto/1". Thread: any.
class HostCrypto final : public Crypto {
public:
    /// So many passwords are in work, and on at most half of the threads; for others there is no room.
    static constexpr int AT_ONCE = 8;

    HostCrypto();

    /// Before it is used: how many threads there are.
    void share(int threads) { _places = std::clamp(threads / 2, 1, AT_ONCE); }

    std::string hashPassword(std::string_view password) override;
    bool verifyPassword(std::string_view password, std::string_view hash) override;
    bool needsRehash(std::string_view hash) override;
    std::string randomBytes(std::size_t count) override;
    std::string randomToken(std::size_t bytes) override;
    std::string sha256(std::string_view bytes) override;
    std::string hmacSha256(std::string_view key, std::string_view message) override;
    bool equal(std::string_view a, std::string_view b) override;

private:
    class Place;

    explicit HostCrypto(int turns) : _turns(turns, turns) {}

    int _places = AT_ONCE;
    std::atomic<int> _taken{0};
    Poco::Semaphore _turns; ///< each takes memory and a processor
};

} // namespace supplierd::host
