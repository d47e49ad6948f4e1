#pragma once

#include <filesystem>
#include <memory>

struct ssl_ctx_st;

namespace supplierd::media {

/// What all TLS connections of a fetcher share: TLS 1.2 or newer, and the certificates that are trusted.
/// Thread: any, after construction.
class TlsContext {
public:
    /// Trusts the certificates of the PEM file `trusted`, or the system's store when it is empty; what is added to the
    /// store later is found too. Throws Poco::FileException when the file cannot be read.
    explicit TlsContext(const std::filesystem::path& trusted = {});

    ssl_ctx_st* get() const { return _context.get(); }

private:
    struct Free {
        void operator()(ssl_ctx_st* context) const;
    };
    std::unique_ptr<ssl_ctx_st, Free> _context;
};

} // namespace supplierd::media
