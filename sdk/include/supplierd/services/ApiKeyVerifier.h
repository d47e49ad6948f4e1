#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/Request.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// A service of the host: which scopes keys can have, and whose a key is. Accounts manages them. Thread: any.
/// Since 1.0.
class SUPPLIERD_API ApiKeyVerifier {
public:
    static constexpr std::string_view ID = "supplierd.api-key-verifier/1";

    /// The scopes that a key can have: those that the enabled plugins declare, in alphabetical order.
    virtual std::vector<std::string> knownScopes() const = 0;
    /// Whose key this text is, of whichever audience. Throws ApiError as a request with it would be answered:
    /// Unauthorized (no such key), Forbidden (revoked, expired, supplier not verified), RateLimited (too many failures
    /// from `clientAddress`, against which an unknown key counts); Unavailable where nothing is served.
    virtual Principal verify(std::string_view key, std::string_view clientAddress) = 0;

protected:
    ~ApiKeyVerifier() = default;
};

} // namespace supplierd
