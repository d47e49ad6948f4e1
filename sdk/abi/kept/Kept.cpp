// The plugin of which a binary is kept for every major, to prove that it still loads and works: it calls every function
// that the host gave it at 1.0 at least once.
#include <supplierd/Plugin.h>
#include <supplierd/Validation.h>
#include <supplierd/services/AuditLog.h>

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

struct Greeter {
    static constexpr std::string_view ID = "kept.greeter/1";
    std::string word;
};

class KeptPlugin final : public Plugin {
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
                        route(Method::Delete, "/kept", Body::None, &KeptPlugin::refuse)};
        about.openapi = R"({"openapi": "3.0.3", "paths": {"/kept/{id}/{name}": {"get": {}}, "/kept/bytes": {"get": {}},
                            "/kept": {"post": {}, "delete": {}}}})";
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
        host.offer(_greeter);
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
        response.header("X-Kept", std::string(request.header("X-Kept").value_or("none")));
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

    Greeter _greeter;
    std::int64_t _times = 0;
    Host* _host = nullptr;
    Counter* _calls = nullptr;
};

} // namespace kept

SUPPLIERD_PLUGIN("kept", "1.0.0", kept::KeptPlugin)
