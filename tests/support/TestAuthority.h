#pragma once

#include "tests/support/LoopbackOrigin.h"
#include "tests/support/TemporaryDirectory.h"

#include <string>

namespace supplierd::tests {

/// Certificates that the openssl command makes: an authority, and what it has signed.
class TestAuthority {
public:
    TestAuthority();

    std::string certificate() const { return path("ca.pem"); }

    struct Options {
        int days = 2;       ///< that it is valid; -1: it has expired
        bool isRsa = false; ///< else its key is of an elliptic curve
        std::string curve = "P-256";
    };

    /// `names` as in subjectAltName: "DNS:a.example.com,IP:1.1.1.1".
    LoopbackOrigin::Certificate issue(const std::string& name, const std::string& names);
    LoopbackOrigin::Certificate issue(const std::string& name, const std::string& names, const Options& options);

private:
    LoopbackOrigin::Certificate issueExpired(const std::string& name) const;
    std::string path(const std::string& name) const { return (_directory / name).string(); }

    TemporaryDirectory _directory{"certificates"};
};

} // namespace supplierd::tests
