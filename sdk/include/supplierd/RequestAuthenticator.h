#pragma once

#include <supplierd/Request.h>

#include <optional>

namespace supplierd {

/// Knows who sends a request that has no `Authorization` header: by a session cookie, say. Registered by
/// Host::addAuthenticator(); the host asks before the route is looked for, in the order of the plugins' starts, and the
/// first answer counts. Without one a public route has an anonymous caller, and another one is 401.
///
/// The principal fits the audience: a supplier's has `supplierId`, an operator's has `isOperator`. The host checks that
/// the supplier is verified, and that the key of `keyId` (0: none) is neither revoked nor expired. The request counts
/// against its address's limit, never against a key's.
///
/// A cookie comes along whoever made the browser send the request: against forged ones (CSRF) set cookies with
/// `SameSite=Lax; HttpOnly`, `Secure` and `Path`, and return nothing here for a method other than GET and HEAD whose
/// `Origin` is not the site's own, or that lacks a token of the session in a header.
///
/// Thread: any, many at once. Lifetime: until the plugin's stop() returns. An ApiError answers the request; whatever
/// else is thrown is a 500. Since 1.0.
class SUPPLIERD_API RequestAuthenticator {
public:
    virtual std::optional<Principal> authenticate(const RequestHead& head) = 0;

protected:
    ~RequestAuthenticator() = default;
};

} // namespace supplierd
