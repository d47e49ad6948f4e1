#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// What a new key is to be. Scopes: empty means all.
struct SUPPLIERD_API NewApiKey {
    /// 0 makes an operator key.
    std::int64_t supplierId = 0;
    std::string name;
    std::optional<std::int64_t> hourlyLimit = std::nullopt;
    std::vector<std::string> scopes = {};
    /// UTC, as QueryReader::time() gives it.
    std::optional<std::string> expiresAt = std::nullopt;
    Reserved reserved = {};
};

struct SUPPLIERD_API IssuedApiKey {
    std::int64_t id = 0;
    /// "sk_ab12cd34", for display.
    std::string prefix;
    /// The whole key. It exists nowhere else: an answer that holds it must set Response::secret.
    std::string secret;
    Reserved reserved = {};
};

/// A service of the host: issues and revokes API keys. Thread: any. Since 1.0.
class SUPPLIERD_API ApiKeys {
public:
    static constexpr std::string_view ID = "supplierd.api-keys/1";

    /// The scopes that a key can have.
    virtual const std::vector<std::string>& knownScopes() const = 0;
    /// Throws ApiError (Validation) for an unknown supplier or scope.
    virtual IssuedApiKey issue(SqlSession& session, const NewApiKey& key) = 0;
    /// False when there is no such key. Revoking twice keeps the first time. Takes effect within 2 seconds.
    virtual bool revoke(SqlSession& session, std::int64_t keyId) = 0;

protected:
    ~ApiKeys() = default;
};

} // namespace supplierd
