#include <supplierd/Assets.h>
#include <supplierd/Cookies.h>
#include <supplierd/Plugin.h>
#include <supplierd/RequestAuthenticator.h>
#include <supplierd/Validation.h>
#include <supplierd/services/Crypto.h>

#include <TestPagesAssets.h>

#include <map>
#include <mutex>
#include <stdexcept>

namespace supplierd::tests {

/// A shop for browsers: pages, files, a form to sign in with, and errors that are pages too.
class PagesPlugin final : public Plugin, private RequestAuthenticator {
public:
    PluginDescription describe() override {
        PluginDescription about;
        about.summary = "A shop for browsers, for tests";
        about.scopes = {{"shop:enter", "See the account page"}, {"shop:rule", "See the back room"}};
        const auto add = [&](Method method, std::string pattern, Response (PagesPlugin::*handler)(Request&)) -> Route& {
            Route route{method, std::move(pattern), Audience::Public};
            route.handler = [this, handler](Request& request) { return (this->*handler)(request); };
            route.errorPage = errorPage;
            about.routes.push_back(std::move(route));
            return about.routes.back();
        };
        add(Method::Get, "/shop/{rest...}", &PagesPlugin::file);
        add(Method::Get, "/shop", &PagesPlugin::toShop);
        add(Method::Get, "/shop-teapot", &PagesPlugin::teapot);
        add(Method::Get, "/shop-broken", &PagesPlugin::broken);
        add(Method::Get, "/shop-caller", &PagesPlugin::caller);
        auto& signIn = add(Method::Post, "/shop-sign-in", &PagesPlugin::signIn);
        signIn.body = Body::Form;
        signIn.maxBody = 512;
        add(Method::Get, "/shop-account", &PagesPlugin::account).scope = "shop:enter";
        add(Method::Get, "/shop-back-room", &PagesPlugin::account).scope = "shop:rule";
        add(Method::Post, "/shop-order", &PagesPlugin::account).scope = "shop:enter";
        add(Method::Get, "/shop-twice-a-minute", &PagesPlugin::teapot).perMinute = 2;
        add(Method::Get, "/shop-unlimited", &PagesPlugin::teapot).perMinute = -1;
        Route& mine = add(Method::Get, "/shop-mine", &PagesPlugin::account);
        mine.audience = Audience::Supplier;
        mine.errorPage = nullptr;
        return about;
    }

    void start(Host& host) override {
        _crypto = host.service<Crypto>();
        _password = _crypto->hashPassword("correct horse");
        host.addAuthenticator(Audience::Public, *this);
        host.addAuthenticator(Audience::Supplier, *this);
    }

private:
    static Response errorPage(const RequestError& error) {
        if (error.status == 401)
            return Response::redirect("/shop-sign-in");
        std::string page = "<h1>" + std::to_string(error.status) + " " + std::string(error.code) + "</h1><p>" +
                           std::string(error.message) + "</p><p>" + std::string(error.head.path()) + "</p>";
        for (const auto& detail : error.details)
            page += "<li>" + detail.field + "</li>";
        return Response::html(std::move(page), error.status);
    }

    std::optional<Principal> authenticate(const RequestHead& head) override {
        const auto token = head.cookie("session");
        const bool changes = head.method() != "GET" && head.method() != "HEAD";
        if (!token || (changes && head.header("Origin") != "http://shop.example"))
            return std::nullopt;
        const std::lock_guard lock(_mutex);
        const auto session = _sessions.find(_crypto->sha256(*token));
        return session == _sessions.end() ? std::nullopt : std::optional(session->second);
    }

    Response file(Request& request) { return _assets.get(request.pathText("rest")); }
    Response toShop(Request&) { return Response::redirect("/shop/", 308); }
    Response teapot(Request&) { return Response::text("short and stout", 418); }
    Response broken(Request&) { throw std::runtime_error("tulip-secret"); }

    Response caller(Request& request) {
        return Response::text(std::string(request.clientAddress()) + " " + std::string(request.scheme()) + " " +
                              std::string(request.cookie("colour").value_or("-")) + " " +
                              (request.principal().isKnown() ? "known" : "unknown"));
    }

    Response signIn(Request& request) {
        Details details;
        QueryReader form(request.form(), details);
        const auto password = form.text("password", 100);
        const auto supplier = form.integer("supplier", 1);
        details.throwIfAny();
        if (!_crypto->verifyPassword(password.value_or(""), _password))
            throw ApiError(ErrorKind::Forbidden, "Wrong password for " + form.text("name", 50).value_or("nobody"));
        const auto token = _crypto->randomToken();
        Principal principal;
        principal.supplierId = supplier.value_or(0);
        principal.keyPrefix = "shop:" + form.text("name", 50).value_or("nobody");
        principal.scopes = {"shop:enter"};
        const std::lock_guard lock(_mutex);
        _sessions[_crypto->sha256(token)] = principal;
        return Response::redirect("/shop-account")
            .header("Set-Cookie",
                    setCookie("session", token, {.maxAge = 3'600, .secure = request.scheme() == "https"}));
    }

    Response account(Request& request) {
        const auto& principal = request.principal();
        return Response::html("<p>" + principal.keyPrefix + " of " + std::to_string(principal.supplierId) + ", " +
                              (principal.hasScope("shop:rule") ? "ruler" : "guest") + "</p>");
    }

    Assets _assets{supplierd_test_pages_generated::assets(), "public, max-age=60"};
    Crypto* _crypto = nullptr;
    std::string _password;
    std::mutex _mutex;
    std::map<std::string, Principal> _sessions; ///< by the SHA-256 of their token
};

} // namespace supplierd::tests

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::tests::PagesPlugin)
