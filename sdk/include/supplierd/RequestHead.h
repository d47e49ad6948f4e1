#pragma once

#include <supplierd/Abi.h>

#include <optional>
#include <string_view>

namespace supplierd {

/// What is known of a request before its body, and of who sent it. Thread: that of the call it was given to. Lifetime:
/// that of the call. Since 1.0.
class SUPPLIERD_API RequestHead {
public:
    /// As it came: "GET", "HEAD", "POST".
    virtual std::string_view method() const = 0;
    /// The raw path as it came, without the query.
    virtual std::string_view path() const = 0;
    /// The raw query as it came, without the '?'.
    virtual std::string_view rawQuery() const = 0;
    virtual std::string_view requestId() const = 0;
    /// The first line of this name, in any case.
    virtual std::optional<std::string_view> header(std::string_view name) const = 0;
    /// The first cookie of this name (in its case), without the quotes that it may have; nothing is decoded.
    virtual std::optional<std::string_view> cookie(std::string_view name) const = 0;
    /// The client's IP address as the host sees it: behind the proxies of `trusted_proxies` the one that they name.
    virtual std::string_view clientAddress() const = 0;
    /// "https" or "http": what a trusted proxy says that the client spoke, otherwise what the server itself does.
    virtual std::string_view scheme() const = 0;

protected:
    ~RequestHead() = default;
};

} // namespace supplierd
