// The plugin of which a binary is kept for every major, to prove that it still loads and works: it uses each of the
// host's interfaces that tests have a fake of, takes what the host gives, and gives what the host takes.
#include <supplierd/Csv.h>
#include <supplierd/Html.h>
#include <supplierd/Plugin.h>
#include <supplierd/RequestAuthenticator.h>
#include <supplierd/RequestObserver.h>
#include <supplierd/Validation.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/ChangeReaders.h>
#include <supplierd/services/Crypto.h>
#include <supplierd/services/Dashboard.h>
#include <supplierd/services/HttpClient.h>
#include <supplierd/services/Jobs.h>
#include <supplierd/services/Operations.h>
#include <supplierd/services/PluginSettings.h>
#include <supplierd/services/Products.h>
#include <supplierd/services/StateFolder.h>

#include <stdexcept>

namespace kept {

using namespace supplierd;

class Text final : public Content {
public:
    explicit Text(std::string text) : _text(std::move(text)) {}
    std::uint64_t size() const override { return _text.size(); }
    std::string read(std::uint64_t offset, std::size_t size) const override { return _text.substr(offset, size); }

private:
    std::string _text;
};

/// "word" so many times.
class Repeated final : public ContentStream {
public:
    Repeated(std::string word, std::int64_t times) : _word(std::move(word)), _times(times) {}
    std::size_t read(std::span<char> to) override {
        if (_times-- <= 0)
            return 0;
        return _word.copy(to.data(), to.size());
    }

private:
    std::string _word;
    std::int64_t _times;
};

struct Greeter {
    static constexpr std::string_view ID = "kept.greeter/1";
    std::string word;
};

class KeptPlugin final : public Plugin, private RequestAuthenticator, private RequestObserver {
public:
    PluginDescription describe() override {
        PluginDescription about;
        about.summary = "Kept to prove that it still loads";
        about.config = {{"word", ConfigType::Text, "\"hello\"", "What it says"},
                        {"times", ConfigType::Integer, "2", "How often", 1, 9},
                        {"pause", ConfigType::Duration, "\"5s\"", "Unused"},
                        {"room", ConfigType::Size, "\"1KiB\"", "Unused"},
                        {"loud", ConfigType::Boolean, "true", "Unused"},
                        {"names", ConfigType::TextList, "[\"a\", \"b\"]", "Unused"},
                        {"numbers", ConfigType::IntegerList, "[1, 2]", "Unused"},
                        {.name = "stall",
                         .type = ConfigType::TableList,
                         .defaultValue = "[]",
                         .help = "Unused",
                         .keys = {{"place", ConfigType::Text, "", "Unused"}}}};
        about.migrations = {{1, "words", "CREATE TABLE kept_words (id BIGINT PRIMARY KEY, word VARCHAR(40));\n"}};
        about.after = {"catalog"};
        about.offers = {std::string(Greeter::ID)};
        about.routes = {route(Method::Get, "/kept/{id:int}/{name}", Body::None, &KeptPlugin::read),
                        route(Method::Post, "/kept", Body::Json, &KeptPlugin::write),
                        route(Method::Get, "/kept/bytes", Body::None, &KeptPlugin::bytes),
                        route(Method::Delete, "/kept", Body::None, &KeptPlugin::refuse),
                        route(Method::Get, "/kept/stream", Body::None, &KeptPlugin::stream),
                        route(Method::Get, "/kept/product/{id:int}", Body::None, &KeptPlugin::product),
                        route(Method::Put, "/kept/word", Body::Form, &KeptPlugin::setWord),
                        route(Method::Post, "/kept/words.csv", Body::Raw, &KeptPlugin::upload),
                        route(Method::Post, "/kept/tell", Body::None, &KeptPlugin::tell)};
        about.routes.back().errorPage = [](const FailedRequest& error) {
            return htmlPage(error.message, "<p>" + escapeHtml(error.code), error.status);
        };
        about.scopes = {{"kept:read", "Read what is kept"}};
        about.openapi = R"({"openapi": "3.0.3", "paths": {"/kept/{id}/{name}": {"get": {}}, "/kept/bytes": {"get": {}},
                            "/kept": {"post": {}, "delete": {}}, "/kept/stream": {"get": {}},
                            "/kept/product/{id}": {"get": {}}, "/kept/word": {"put": {}},
                            "/kept/words.csv": {"post": {}}, "/kept/tell": {"post": {}}}})";
        return about;
    }

    void configure(const Config& config) override {
        _greeter.word = config.text("word");
        _times = config.integer("times");
        const bool whole = config.duration("pause").count() == 5000 && config.size("room") == 1024 &&
                           config.boolean("loud") && config.textList("names").size() == 2 &&
                           config.integerList("numbers").back() == 2 &&
                           config.tables("stall").at(1).get().text("place") == "Aalsmeer";
        if (!whole)
            throw ConfigError("names", "the configuration came in another form than it had at 1.0");
    }

    void start(Host& host) override {
        _host = &host;
        host.offer<Greeter>(_greeter);
        host.addAuthenticator(Audience::Public, *this);
        host.addObserver(*this, {.requestBody = 8, .headers = {"User-Agent"}});
        host.require<Jobs>().add({"tidy", std::chrono::minutes(10), [](JobRun& run) {
                                      run.report("tidied " + std::to_string(run.inPieces([](Transaction& transaction) {
                                                     return transaction.execute("DELETE FROM kept_words LIMIT 2");
                                                 })));
                                  }});
        host.require<ChangeReaders>().add(
            {"queue", [](Transaction& transaction, std::int64_t supplierId, const ChangePage& page) {
                 for (const ChangeEntry& entry : page.entries)
                     for (const ChangedObjects& objects : entry.objects)
                         transaction.execute("INSERT INTO kept_queue VALUES (?, ?, ?, ?, ?)",
                                             {supplierId, entry.seq, objects.kind, objects.ids.back(), page.committed});
             }});
        addOperations(host.require<Operations>());
        addDashboardPage(host, {.id = "kept", .titles = {{"en", "Kept"}}, .script = "/kept/page.js"});
        _calls = &host.metrics().counter("calls_total", "Calls", {{"kind", "any"}});
        host.metrics().gauge("open", "Open").set(1);
        host.metrics().gauge("open", "Open").add(-1);
        host.metrics().histogram("seconds", "Time", {0.1, 1}).observe(0.5);
        host.log().information("started", {{"word", _greeter.word}, {"times", _times}});
    }

    void ready() override {
        if (host().service<Greeter>() != &_greeter)
            throw std::logic_error("its own service is not found any more");
    }
    void drain() override { host().log().debug("drained"); }
    void stop() noexcept override { _host = nullptr; }

private:
    std::optional<Principal> authenticate(const RequestHead& head) override {
        const auto token = head.cookie("kept");
        if (!token || !host().require<Crypto>().equal(*token, "token-1"))
            return std::nullopt;
        return Principal{.supplierId = 7, .keyPrefix = std::string(head.clientAddress()), .scopes = {"kept:read"}};
    }

    bool wants(const RequestSummary& summary) override { return summary.status >= 400; }
    void answered(std::span<const AnsweredRequest> requests) override {
        for (const AnsweredRequest& request : requests)
            host().log().warning("observed", {{"code", request.errorCode}, {"body", request.requestBody}});
    }

    void addOperations(Operations& operations) {
        operations.addCheck({"folder", [this] {
                                 const auto folder = host().require<StateFolder>().path();
                                 return CheckResult{CheckResult::Level::Warning, folder, "empty it"};
                             }});
        operations.addReadiness([this] { return _greeter.word.empty() ? std::string("no word") : std::string(); });
        operations.addAuditKind("kept_word");
    }

    Host& host() const { return *_host; }

    Route route(Method method, std::string pattern, Body body, Response (KeptPlugin::*handler)(Request&)) {
        return {
            method, std::move(pattern), Audience::Supplier, "products:read", body, [this, handler](Request& request) {
                _calls->add();
                return (this->*handler)(request);
            }};
    }

    Response read(Request& request) {
        Response response = request.reply();
        response.addHeader("X-Kept", std::string(request.header("X-Kept").value_or("none")));
        const std::string word = request.database().read([&](SqlSession& session) {
            Rows& rows = session.query("SELECT word, id, price, made_at FROM kept_words WHERE id = ?",
                                       {request.pathInteger("id")});
            if (!rows.next() || rows.isNull(0))
                return std::string("nothing");
            return std::string(rows.text(0)) + " " + std::to_string(rows.integer(1)) + " " +
                   rows.decimal(2).toString() + " " + rows.time(3);
        });
        JsonWriter json(response.data);
        json.beginObject().field("word", word).field("name", request.pathText("name"));
        json.field("query", request.query().empty() ? "" : request.query().front().second);
        json.field("supplier", request.principal().supplierId).field("key", request.principal().keyPrefix);
        json.field("path", request.path()).field("times", _times).endObject();
        return response;
    }

    Response write(Request& request) {
        Details details;
        ObjectReader body(request.body(), details);
        const Field<std::string> word = body.text("word", {40, true});
        const Field<Decimal> price = body.decimal("price", {});
        details.throwIfAny();
        return request.transact([&](Transaction& transaction) {
            Change& change = transaction.change(request.principal().supplierId);
            transaction.execute("INSERT INTO kept_words (word, price, sequence) VALUES (?, ?, ?)",
                                {*word.value, price.value, change.seq()});
            change.note("kept_word.written", transaction.lastInsertId());
            Response response = request.reply(201);
            JsonWriter(response.data).beginObject().field("id", transaction.lastInsertId()).endObject();
            return response;
        });
    }

    Response bytes(Request&) { return Response::of(std::make_shared<Text>(_greeter.word), "text/plain"); }

    Response refuse(Request&) {
        throw ApiError(ErrorKind::Conflict, "It is kept", {{"word", "kept", "it is kept"}}).withRetryAfter(7);
    }

    Response stream(Request&) { return Response::of(std::make_shared<Repeated>(_greeter.word, _times), "text/plain"); }

    Response product(Request& request) {
        return request.database().snapshot([&](SqlSession& session) {
            const ProductOffer offer =
                host().require<Products>().require(session, request.principal().supplierId, request.pathInteger("id"));
            Response response = request.reply();
            JsonWriter json(response.data);
            json.beginObject().field("name", offer.name).field("unit", offer.unit).field("price", offer.basePrice);
            json.field("sku", offer.sku).field("stock", offer.stock).endObject();
            return response.warn("id", "unsupported", "kept");
        });
    }

    Response setWord(Request& request) {
        Details details;
        QueryReader form(request.form(), details);
        const std::string word = form.text("word", 40).value_or("");
        details.throwIfAny();
        PluginSettings& settings = host().require<PluginSettings>();
        return request.transactTogether([&](Transaction& transaction) {
            const std::string before = settings.get(transaction, "word").value_or("nothing");
            settings.set(transaction, "word", word);
            AuditEntry entry = auditEntry(actorOf(request), "kept_word", "set", 7, request.principal().supplierId);
            entry.before = before;
            host().require<AuditLog>().record(transaction, entry);
            return Response::redirect("/" + before).addHeader("X-Token", host().require<Crypto>().randomToken());
        });
    }

    Response upload(Request& request) {
        Details details;
        CsvReader csv(request.rawBody(), details, {.columns = {"word"}});
        std::string words;
        while (csv.next())
            words += csv.text("word", {.required = true}).valueOr("");
        details.throwIfAny();
        request.database().execute("INSERT INTO kept_words (word) VALUES (?)", {words});
        return Response::html(escapeHtml(words));
    }

    Response tell(Request&) {
        HttpRequest request;
        request.method = Method::Post;
        request.url = "https://kept.example/";
        request.headers = {{"Content-Type", "text/plain"}};
        request.body = _greeter.word;
        try {
            const HttpResponse response = host().require<HttpClient>().withRules({.userAgent = "kept"})->send(request);
            return Response::text(response.body, response.status);
        } catch (const HttpError& error) {
            return Response::text(error.what(), error.code() == HttpErrorCode::Timeout ? 504 : 502);
        }
    }

    Greeter _greeter;
    std::int64_t _times = 0;
    Host* _host = nullptr;
    Counter* _calls = nullptr;
};

} // namespace kept

SUPPLIERD_PLUGIN("kept", "1.0.0", kept::KeptPlugin)
