#pragma once

#include "tests/support/HttpClient.h"
#include "tests/support/ServerFixture.h"

#include <cstdint>
#include <optional>
#include <string>

namespace supplierd::tests {

/// Somebody at a browser: keeps the cookies of the session and of the browser, and sends its CSRF token as the pages
/// do. Each has an address of its own, since attempts to sign in are limited by address.
class Visitor {
public:
    Visitor();

    HttpResponse get(const std::string& path);
    HttpResponse post(const std::string& path, const Json& body);
    HttpResponse post(const std::string& path);
    /// With further headers, and with the CSRF token only when told so.
    HttpResponse send(const std::string& method, const std::string& path, const HttpHeaders& headers,
                      const std::optional<std::string>& body = std::nullopt, bool withToken = true);

    /// POST /dashboard/api/sign-in; takes the cookie and asks for the token.
    HttpResponse signIn(const std::string& email, const std::string& password, const std::string& code = {});
    /// `session` of /dashboard/api/session.
    Json session();

    const std::string& cookie() const { return _cookie; }
    const std::string& address() const { return _address; }

private:
    void take(const HttpResponse& response);

    HttpClient _client;
    std::string _address;
    std::string _cookie;
    std::string _browserCookie; ///< by which the browser is known once somebody has signed in
    std::string _csrfToken;
};

inline const std::string PASSWORD = "correct horse battery";

struct TestUser {
    std::int64_t id = 0;
    std::int64_t supplierId = 0; ///< 0: an operator
    std::string email;
};

/// Somebody new with PASSWORD, made with supplierctl. `supplierId` 0: an operator.
TestUser createUser(std::int64_t supplierId);
/// A new supplier's.
TestUser createSupplierUser(const std::string& status = "verified");
/// Signed in.
Visitor visitorOf(const TestUser& user);

/// supplierctl on the fixture's server, with --json; its output. Fails when it does.
Json control(const std::vector<std::string>& arguments);

} // namespace supplierd::tests
