#pragma once

#include <cstdint>
#include <string>

using X509 = struct x509_st;

namespace supplierd::host {

/// What a certificate says of itself. Thread: one.
struct TlsCertificate {
    /// How long before its end it is spoken of: certbot renews 30 days before.
    static constexpr int WARNED_DAYS = 21;

    std::string names;          ///< "shop.example, 192.0.2.1"; of one without any, its common name
    std::int64_t expiresAt = 0; ///< seconds since 1970

    static TlsCertificate of(const X509& certificate);

    /// "2027-01-31 12:00 UTC".
    std::string expiry() const;
    bool hasExpired(std::int64_t now) const { return expiresAt <= now; }
    /// Empty, or a sentence for the operator when it has expired or soon does.
    std::string expiryProblem(std::int64_t now) const;
};

} // namespace supplierd::host
