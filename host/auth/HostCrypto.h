#pragma once

#include <supplierd/services/Crypto.h>

#include <Poco/Semaphore.h>

namespace supplierd::host {

/// The service "supplierd.crypto/1". Thread: any.
class HostCrypto final : public Crypto {
public:
    HostCrypto();

    std::string hashPassword(std::string_view password) override;
    bool verifyPassword(std::string_view password, std::string_view hash) override;
    bool needsRehash(std::string_view hash) override;
    std::string randomBytes(std::size_t count) override;
    std::string randomToken(std::size_t bytes) override;
    std::string sha256(std::string_view bytes) override;
    std::string hmacSha256(std::string_view key, std::string_view message) override;
    bool equal(std::string_view a, std::string_view b) override;

private:
    class Turn;

    Poco::Semaphore _turns; ///< each of them takes memory
};

} // namespace supplierd::host
