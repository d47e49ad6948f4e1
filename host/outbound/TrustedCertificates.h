#pragma once

#include "host/outbound/HttpUrl.h"

#include <filesystem>
#include <memory>

struct ssl_ctx_st;
struct x509_store_st;

namespace supplierd::host {

/// The certificates that are trusted, read once for all connections. Thread: any, after construction.
class TrustedCertificates {
public:
    /// Those of the PEM file, or of the system's store when it is empty; what is added to that store later is found
    /// too. Throws std::runtime_error when the file cannot be read.
    explicit TrustedCertificates(const std::filesystem::path& file = {});

    /// Connections of `context` accept a certificate only when it leads to a trusted one and names the host among its
    /// alternative names; libcurl alone would take a common name, too. False when that cannot be had.
    bool require(ssl_ctx_st* context, const UrlHost& host) const;

private:
    struct Free {
        void operator()(x509_store_st* store) const;
    };
    std::unique_ptr<x509_store_st, Free> _store;
};

} // namespace supplierd::host
