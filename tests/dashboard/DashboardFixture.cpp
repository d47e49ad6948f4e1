#include "tests/dashboard/DashboardFixture.h"

#include "tests/support/Control.h"

#include <Poco/String.h>

#include <cppunit/TestAssert.h>

namespace supplierd::tests {

namespace {

int visitors = 0;
int users = 0;

std::string newAddress() {
    ++visitors;
    return "198.51." + std::to_string(100 + visitors / 250) + "." + std::to_string(visitors % 250 + 1);
}

const HttpHeaders JSON{{"Content-Type", "application/json"}};

} // namespace

Visitor::Visitor() : _client(fixture().server().rootClient()), _address(newAddress()) {}

void Visitor::take(const HttpResponse& response) {
    for (const auto& [name, field] : response.headers)
        if (Poco::icompare(name, "Set-Cookie") == 0)
            (field.find("-known=") == std::string::npos ? _cookie : _browserCookie) = field.substr(0, field.find(';'));
}

HttpResponse Visitor::send(const std::string& method, const std::string& path, const HttpHeaders& headers,
                           const std::optional<std::string>& body, bool withToken) {
    HttpHeaders all = headers;
    all.emplace_back("X-Forwarded-For", _address);
    const std::string both = _cookie.empty() || _browserCookie.empty() ? "" : "; ";
    if (const std::string cookies = _cookie + both + _browserCookie; !cookies.empty())
        all.emplace_back("Cookie", cookies);
    if (withToken && !_csrfToken.empty())
        all.emplace_back("X-CSRF-Token", _csrfToken);
    auto response = _client.request(method, path, all, body);
    take(response);
    return response;
}

HttpResponse Visitor::get(const std::string& path) {
    return send("GET", path, {});
}

HttpResponse Visitor::post(const std::string& path, const Json& body) {
    return send("POST", path, JSON, body.dump());
}

HttpResponse Visitor::post(const std::string& path) {
    return send("POST", path, {}, "");
}

HttpResponse Visitor::signIn(const std::string& email, const std::string& password, const std::string& code) {
    Json body{{"email", email}, {"password", password}};
    if (!code.empty())
        body["code"] = code;
    auto response = post("/dashboard/api/sign-in", body);
    if (response.status == 200)
        session();
    return response;
}

Json Visitor::session() {
    auto found = get("/dashboard/api/session").data().at("session");
    _csrfToken = found.is_null() ? std::string() : found.at("csrf_token").get<std::string>();
    return found;
}

Json control(const std::vector<std::string>& arguments) {
    return controlJson(fixture().server(), arguments);
}

TestUser createUser(std::int64_t supplierId) {
    static const auto file = [] {
        const auto path = fixture().server().directory() / "password";
        writeWholeFile(path, PASSWORD + "\n");
        return path.string();
    }();
    TestUser user;
    user.supplierId = supplierId;
    user.email = "user" + std::to_string(++users) + "@store.example";
    std::vector<std::string> arguments{"user", "add", user.email, "--password-file", file};
    if (supplierId != 0) {
        arguments.emplace_back("--supplier");
        arguments.push_back(std::to_string(supplierId));
    }
    user.id = control(arguments).at("user").at("id");
    return user;
}

TestUser createSupplierUser(const std::string& status) {
    return createUser(fixture().server().createSupplier("Store " + std::to_string(users), status));
}

Visitor visitorOf(const TestUser& user) {
    Visitor visitor;
    const auto response = visitor.signIn(user.email, PASSWORD);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    return visitor;
}

} // namespace supplierd::tests
