#include "AccountRoutes.h"
#include "Brand.h"
#include "PageRegister.h"
#include "PeopleRoutes.h"
#include "StoreRoutes.h"
#include "UsageStore.h"
#include "WebFiles.h"
#include "dashboardDescription.h"
#include "mail/MailJob.h"

#include <supplierd/Html.h>
#include <supplierd/Plugin.h>
#include <supplierd/services/Jobs.h>
#include <supplierd/services/Operations.h>
#include <supplierd/services/Orders.h>

#include <memory>
#include <optional>

namespace supplierd::dashboard {

namespace {

/// One address may try so many passwords a minute, of whichever accounts.
constexpr std::int64_t SIGN_INS_PER_MINUTE = 30;

constexpr std::int64_t MIN_SESSION = 60'000;
constexpr std::int64_t MAX_SESSION = std::int64_t{1'000} * 3'600 * 24 * 365;

} // namespace

/// Pages for people, on the API that programs use.
class DashboardPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription about = supplierd_dashboard_generated::description();
        about.summary = "Pages for suppliers and operators";
        about.offers = {std::string(Dashboard::ID)};
        about.after = {std::string(Orders::ID)};
        about.config = {
            {"public_url", ConfigType::Text, "\"\"", "The address that browsers call, for links that are handed out"},
            {"texts", ConfigType::Text, "\"\"", "A folder with further texts, <language>.json"},
            {"name", ConfigType::Text, "\"\"", "The marketplace's name, on pages and in apps for sign-in codes"},
            {"logo", ConfigType::Text, "\"\"", "An SVG image, on pages and in browsers' tabs"},
            {"accent", ConfigType::Text, "\"\"", "The colour of buttons and links, \"#0b62a8\""},
            {"session_idle", ConfigType::Duration, "\"12h\"", "A session that nobody uses ends", MIN_SESSION,
             MAX_SESSION},
            {"session_longest", ConfigType::Duration, "\"30d\"", "Every session ends", MIN_SESSION, MAX_SESSION},
            {"link_lifetime", ConfigType::Duration, "\"72h\"", "How long a link to choose a password is good",
             MIN_SESSION, MAX_SESSION},
            {"secret_file", ConfigType::Text, "\"\"",
             "What secrets of sign-in codes are sealed with; empty: one of its own"}};
        addMailKeys(about.config);
        addAccountRoutes(about.routes);
        addStoreRoutes(about.routes);
        addPeopleRoutes(about.routes);
        Route files{Method::Get, "/dashboard/{rest...}", Audience::Public};
        files.perMinute = -1;
        files.errorPage = [](const FailedRequest& error) { return htmlPage(error.message, "", error.status); };
        files.handler = [this](Request& request) { return _files->get(request); };
        about.routes.push_back(std::move(files));
        for (const auto& [path, status] : {std::pair("/dashboard", 308), std::pair("/", 302)}) {
            Route entrance{Method::Get, path, Audience::Public};
            entrance.perMinute = -1;
            entrance.handler = [status](Request&) { return Response::redirect("/dashboard/", status); };
            about.routes.push_back(std::move(entrance));
        }
        return about;
    }

    void configure(const Config& config) override {
        _publicUrl = config.text("public_url");
        if (!_publicUrl.empty() && !_publicUrl.starts_with("https://") && !_publicUrl.starts_with("http://"))
            throw ConfigError("public_url", "must begin with https:// or http://");
        while (_publicUrl.ends_with('/'))
            _publicUrl.pop_back();
        _texts = config.text("texts");
        _branding = readBranding(config);
        _secretFile = config.text("secret_file");
        if (!_secretFile.empty() && !_secretFile.is_absolute())
            throw ConfigError("secret_file", "must be a path that begins with /");
        _accent = config.text("accent");
        _mailSettings = readMailSettings(config, _publicUrl);
        _lifetimes.idle = std::chrono::duration_cast<std::chrono::seconds>(config.duration("session_idle"));
        _lifetimes.longest = std::chrono::duration_cast<std::chrono::seconds>(config.duration("session_longest"));
        _linkLifetime = std::chrono::duration_cast<std::chrono::seconds>(config.duration("link_lifetime"));
    }

    void start(Host& host) override {
        _host = &host;
        Database& database = host.database();
        Crypto& crypto = *host.service<Crypto>();
        Accounts& accounts = *host.service<Accounts>();
        _status = host.service<ServerStatus>();
        _sessions.emplace(database, crypto, _lifetimes);
        _secrets.emplace(crypto, *host.service<StateFolder>(), _secretFile);
        _mails.emplace(*host.service<Jobs>(), _mailSettings.has_value());
        _users.emplace(crypto, *host.service<AuditLog>(), accounts, *host.service<ApiKeyVerifier>(), *_secrets, *_mails,
                       UserStore::Settings{_publicUrl, _linkLifetime});
        _signIn.emplace(database, crypto, *_secrets, host.log());
        _pages.emplace(_branding);
        _files.emplace(_texts, _branding);
        _usage.emplace(database, host.log());
        _account.emplace(AccountRoutes::Dependencies{*_sessions, *_signIn, *_users, accounts,
                                                     *host.service<ApiKeyVerifier>(), crypto, *_pages, _status, *_mails,
                                                     _branding.name.empty() ? "supplierd" : _branding.name});
        _store.emplace(StoreRoutes::Dependencies{*_sessions, accounts, *host.service<ApiKeyVerifier>(), _status});
        _people.emplace(PeopleRoutes::Dependencies{*_sessions, *_users, *host.service<ApiKeyVerifier>()});
        host.offer<Dashboard>(*_pages);
        _suppliers.emplace(*_sessions, false);
        _operators.emplace(*_sessions, true);
        host.addAuthenticator(Audience::Supplier, *_suppliers);
        host.addAuthenticator(Audience::Operator, *_operators);
        host.addObserver(*_usage);
        host.service<Operations>()->addAuditKind("user");
        host.service<Operations>()->addCheck({"sign-in codes", [this] { return checkCodes(); }});
        host.service<Jobs>()->add(
            {"purge", std::chrono::hours(1), [this](JobRun& run) {
                 run.inPieces([this](Transaction& transaction) { return _users->sealSecrets(transaction); });
                 run.inPieces(Sessions::purge);
                 run.inPieces(UserStore::purgeLinks);
                 run.inPieces(SignIn::purge);
                 run.inPieces(UsageStore::purge);
                 run.inPieces(MailQueue::purge);
             }});
        if (_mailSettings)
            startMail(host, accounts);
    }

    void ready() override {
        _secrets->check();
        reportCodes();
        _usage->begin(_status);
    }
    void drain() override { _usage->end(); }
    void stop() noexcept override { _usage.reset(); }

private:
    template <class Part>
    Route& add(std::vector<Route>& routes, Method method, const std::string& path, Body body, std::optional<Part>& part,
               Response (Part::*member)(Request&)) {
        Route route{method, "/dashboard/api" + path, Audience::Public};
        route.body = body;
        route.handler = [&part, member](Request& request) { return ((*part).*member)(request); };
        routes.push_back(std::move(route));
        return routes.back();
    }

    void startMail(Host& host, Accounts& accounts) {
        MailSources sources({host.database(), *_mails, *host.service<AuditLog>(), accounts, host.service<Orders>(),
                             _mailSettings->digestInterval});
        _mail.emplace(MailJob::Dependencies{host.database(), *_users, host.log(), host.metrics(), std::move(sources)},
                      *_mailSettings, MailTexts({_branding.name, _accent, _publicUrl}, _texts));
        host.service<Jobs>()->add(
            {std::string(MailQueue::JOB), std::chrono::seconds(30), [this](JobRun& run) { _mail->run(run); }});
        host.service<Operations>()->addCheck({"mail server", [this] { return _mail->check(); }});
    }

    /// The file that seals their secrets is no part of the database, so nothing else finds out that a server, or a
    /// database that was restored, has another one.
    CheckResult checkCodes() {
        using enum CheckResult::Level;
        const auto seen = _users->lookAtSecrets(_host->database());
        if (seen.all == 0 && _secretFile.empty())
            return {Good, "nobody has turned them on", ""};
        const std::string file = _secrets->file().string();
        if (seen.foreign > 0)
            return {Error,
                    std::to_string(seen.foreign) + " of " + std::to_string(seen.all) +
                        " were sealed with another secret than that of " + file + ": this server refuses them",
                    "give all servers of this database the same plugins.dashboard.secret_file, that of the time when "
                    "they were turned on"};
        if (_secrets->isOpenToAll())
            return {Error, "every user of this machine can read " + file + ", which they are sealed with",
                    "run: chmod o-rwx " + file};
        return {Good, "this server can check them", ""};
    }

    /// Codes that are refused are no reason not to serve: recovery codes work still.
    void reportCodes() {
        try {
            if (const CheckResult codes = checkCodes(); codes.level != CheckResult::Level::Good)
                _host->log().error("the sign-in codes of users", {{"reason", codes.message}, {"fix", codes.fix}});
        } catch (const std::exception& failure) {
            _host->log().error("nobody knows whether this server can check sign-in codes",
                               {{"reason", std::string(failure.what())}});
        }
    }

    void addAccountRoutes(std::vector<Route>& routes) {
        const auto get = [&](const std::string& path, Response (AccountRoutes::*member)(Request&)) {
            add(routes, Method::Get, path, Body::None, _account, member);
        };
        const auto post = [&](const std::string& path, Body body,
                              Response (AccountRoutes::*member)(Request&)) -> Route& {
            return add(routes, Method::Post, path, body, _account, member);
        };
        get("/session", &AccountRoutes::session);
        post("/sign-in", Body::Json, &AccountRoutes::signIn).perMinute = SIGN_INS_PER_MINUTE;
        post("/sign-out", Body::None, &AccountRoutes::signOut);
        post("/mail-link", Body::Json, &AccountRoutes::mailLink).perMinute = SIGN_INS_PER_MINUTE;
        post("/link", Body::Json, &AccountRoutes::readLink).perMinute = SIGN_INS_PER_MINUTE;
        post("/link/accept", Body::Json, &AccountRoutes::acceptLink).perMinute = SIGN_INS_PER_MINUTE;
        post("/test-mode", Body::Json, &AccountRoutes::setTestMode);
        post("/me", Body::Json, &AccountRoutes::change);
        post("/me/mails", Body::Json, &AccountRoutes::chooseMails);
        post("/me/password", Body::Json, &AccountRoutes::changePassword);
        get("/me/sessions", &AccountRoutes::listSessions);
        post("/me/sessions/{id:int}/end", Body::None, &AccountRoutes::endSession);
        post("/me/sessions/end-others", Body::None, &AccountRoutes::endOtherSessions);
        get("/me/sign-ins", &AccountRoutes::listSignIns);
        post("/me/second-factor", Body::None, &AccountRoutes::beginSecondFactor);
        post("/me/second-factor/confirm", Body::Json, &AccountRoutes::confirmSecondFactor);
        post("/me/second-factor/remove", Body::Json, &AccountRoutes::removeSecondFactor);
    }

    void addStoreRoutes(std::vector<Route>& routes) {
        const auto get = [&](const std::string& path, Response (StoreRoutes::*member)(Request&)) {
            add(routes, Method::Get, path, Body::None, _store, member);
        };
        const auto post = [&](const std::string& path, Body body, Response (StoreRoutes::*member)(Request&)) {
            add(routes, Method::Post, path, body, _store, member);
        };
        get("/keys", &StoreRoutes::listKeys);
        post("/keys", Body::Json, &StoreRoutes::issueKey);
        post("/keys/{id:int}/revoke", Body::None, &StoreRoutes::revokeKey);
        get("/usage", &StoreRoutes::usage);
        post("/store", Body::Json, &StoreRoutes::updateStore);
        get("/server", &StoreRoutes::server);
        get("/server/history", &StoreRoutes::serverHistory);
    }

    /// Owners' by the API of the pages, operators' by their own.
    void addPeopleRoutes(std::vector<Route>& routes) {
        const auto forOwners = [&](Method method, const std::string& path, Body body,
                                   Response (PeopleRoutes::*member)(Request&)) {
            add(routes, method, path, body, _people, member);
        };
        const auto forOperators = [&](Method method, const std::string& path, Body body,
                                      Response (PeopleRoutes::*member)(Request&)) {
            Route& route = add(routes, method, path, body, _people, member);
            route.pattern = path;
            route.audience = Audience::Operator;
        };
        const auto forBoth = [&](Method method, const std::string& path, Body body,
                                 Response (PeopleRoutes::*member)(Request&)) {
            forOwners(method, path, body, member);
            forOperators(method, path, body, member);
        };
        forBoth(Method::Get, "/users", Body::None, &PeopleRoutes::list);
        forBoth(Method::Post, "/users", Body::Json, &PeopleRoutes::invite);
        forBoth(Method::Post, "/users/{id:int}", Body::Json, &PeopleRoutes::update);
        forBoth(Method::Post, "/users/{id:int}/disable", Body::None, &PeopleRoutes::disable);
        forBoth(Method::Post, "/users/{id:int}/enable", Body::None, &PeopleRoutes::enable);
        forBoth(Method::Post, "/users/{id:int}/link", Body::None, &PeopleRoutes::link);
        forOperators(Method::Post, "/users/{id:int}/remove-second-factor", Body::None,
                     &PeopleRoutes::removeSecondFactor);
    }

    Host* _host = nullptr;
    std::string _publicUrl;
    std::string _texts;
    Branding _branding;
    std::string _accent;
    std::optional<MailSettings> _mailSettings;
    std::filesystem::path _secretFile;
    Sessions::Lifetimes _lifetimes;
    std::chrono::seconds _linkLifetime{};
    ServerStatus* _status = nullptr;
    std::optional<PageRegister> _pages;
    std::optional<Sessions> _sessions;
    std::optional<SecretBox> _secrets;
    std::optional<MailQueue> _mails;
    std::optional<UserStore> _users;
    std::optional<MailJob> _mail;
    std::optional<SignIn> _signIn;
    std::optional<WebFiles> _files;
    std::optional<UsageStore> _usage;
    std::optional<AccountRoutes> _account;
    std::optional<StoreRoutes> _store;
    std::optional<PeopleRoutes> _people;
    std::optional<SessionAuthenticator> _suppliers;
    std::optional<SessionAuthenticator> _operators;
};

} // namespace supplierd::dashboard

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::dashboard::DashboardPlugin)
