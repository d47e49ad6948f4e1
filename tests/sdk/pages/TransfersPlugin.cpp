#include <supplierd/JsonWriter.h>
#include <supplierd/Plugin.h>
#include <supplierd/RequestObserver.h>
#include <supplierd/Validation.h>
#include <supplierd/services/ApiKeys.h>
#include <supplierd/services/ProductLookup.h>

#include <TestTransfersMigrations.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>

namespace supplierd::tests {

namespace {

constexpr std::string_view ADD_ROW = "INSERT INTO transfers_rows (n) VALUES (?)";
constexpr std::string_view COUNT_ROWS = "SELECT COUNT(*) FROM transfers_rows";
constexpr std::string_view SELECT_ROWS = "SELECT n FROM transfers_rows ORDER BY n";

/// Lines of text that are made while they are sent.
class Export final : public ContentStream {
public:
    Export(std::int64_t lines, std::int64_t failsAt) : _lines(lines), _failsAt(failsAt) {}

    std::size_t read(std::span<char> to) override {
        if (_line.empty() && _next < _lines) {
            if (++_next == _failsAt)
                throw std::runtime_error("the export broke: tulip-secret");
            _line = "line " + std::to_string(_next) + "\n";
        }
        const auto size = std::min(_line.size(), to.size());
        std::copy_n(_line.begin(), size, to.begin());
        _line.erase(0, size);
        return size;
    }

private:
    std::int64_t _lines;
    std::int64_t _failsAt;
    std::int64_t _next = 0;
    std::string _line;
};

} // namespace

/// Files that come and go in pieces, a scope of its own, keys, writing without a transaction, and an observer.
class TransfersPlugin final : public Plugin, private RequestObserver {
public:
    PluginDescription describe() override {
        PluginDescription about;
        about.summary = "Uploads and exports, for tests";
        about.migrations = supplierd_test_transfers_generated::migrations();
        about.scopes = {{"transfers:write", "Upload files"}};
        const auto add = [&](Method method, std::string pattern,
                             Response (TransfersPlugin::*handler)(Request&)) -> Route& {
            Route route{method, std::move(pattern)};
            route.handler = [this, handler](Request& request) { return (this->*handler)(request); };
            about.routes.push_back(std::move(route));
            return about.routes.back();
        };
        Route& upload = add(Method::Post, "/transfers", &TransfersPlugin::upload);
        upload.scope = "transfers:write";
        upload.body = Body::Raw;
        upload.maxBody = 4 << 20;
        upload.accepts = {"text/csv", "multipart/form-data"};
        add(Method::Post, "/transfers/ignored", &TransfersPlugin::ignore).body = Body::Raw;
        add(Method::Get, "/transfers/export", &TransfersPlugin::send);
        add(Method::Post, "/transfers/text", &TransfersPlugin::text).body = Body::Json;
        add(Method::Get, "/transfers/key", &TransfersPlugin::verify);
        add(Method::Post, "/transfers/rows", &TransfersPlugin::addRow);
        add(Method::Get, "/transfers/nested", &TransfersPlugin::nest);
        add(Method::Get, "/transfers/write-while-reading", &TransfersPlugin::writeWhileReading);
        add(Method::Get, "/transfers/observed", &TransfersPlugin::observed);
        add(Method::Get, "/transfers/products", &TransfersPlugin::findProducts);
        about.after = {std::string(ProductLookup::ID)};
        return about;
    }

    void start(Host& host) override {
        _keys = host.service<ApiKeys>();
        _products = host.service<ProductLookup>();
        host.addObserver(*this, {.requestBody = 12, .errorBody = 40, .headers = {"Content-Type", "X-Tulip"}});
    }

private:
    void answered(std::span<const AnsweredRequest> requests) override {
        const std::lock_guard lock(_mutex);
        for (const auto& request : requests)
            _observed[request.requestId] = request;
        _told.notify_all();
    }

    Response upload(Request& request) {
        auto& body = request.rawBody();
        std::array<char, 1'000> piece{};
        std::int64_t bytes = 0;
        std::int64_t lines = 0;
        while (const auto size = body.read(piece)) {
            bytes += static_cast<std::int64_t>(size);
            lines += std::count(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(size), '\n');
        }
        Response response = request.reply(201);
        JsonWriter(response.data)
            .beginObject()
            .field("bytes", bytes)
            .field("lines", lines)
            .field("declared", static_cast<std::int64_t>(body.size()))
            .endObject();
        return response;
    }

    Response ignore(Request&) { return Response(200, R"({"read":false})"); }

    Response send(Request& request) {
        Details details;
        QueryReader query(request.query(), details);
        const auto lines = query.integer("lines", 0).value_or(0);
        const auto failsAt = query.integer("fails_at", 1).value_or(0);
        details.throwIfAny();
        return Response::of(std::make_shared<Export>(lines, failsAt), "text/csv; charset=utf-8")
            .header("Content-Disposition", R"(attachment; filename="lines.csv")");
    }

    Response text(Request& request) {
        return request.transact([&](Transaction& transaction) {
            transaction.execute(ADD_ROW, {1'000 + ++_texts});
            return Response::text("text " + std::to_string(_texts), 201);
        });
    }

    Response verify(Request& request) {
        const auto principal = _keys->verify(request.header("X-Shown-Key").value_or(""), request.clientAddress());
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject().field("supplier_id", principal.supplierId).field("operator", principal.isOperator);
        json.key("scopes").beginArray();
        for (const auto& scope : principal.scopes)
            json.value(scope);
        json.endArray().endObject();
        return response;
    }

    Response addRow(Request& request) {
        const auto changed = request.database().execute(ADD_ROW, {static_cast<int>(++_rows)});
        return Response(201, R"({"changed":)" + std::to_string(changed) + "}");
    }

    Response nest(Request& request) {
        int count = 0;
        request.database().withSession([&](SqlSession& session) {
            Rows& rows = session.query(SELECT_ROWS);
            while (rows.next()) {
                ++count;
                session.query(COUNT_ROWS).next();
            }
        });
        return Response(200, std::to_string(count));
    }

    Response writeWhileReading(Request& request) {
        request.database().withSession([](SqlSession& session) { session.execute(ADD_ROW, {77}); });
        return Response(200, "{}");
    }

    /// Waits until the request of that id was told of.
    Response observed(Request& request) {
        Details details;
        const auto id = QueryReader(request.query(), details).text("id", 100).value_or("");
        details.throwIfAny();
        std::unique_lock lock(_mutex);
        if (!_told.wait_for(lock, std::chrono::seconds(30), [&] { return _observed.contains(id); }))
            throw ApiError::notFound("Nobody told of it");
        const auto& seen = _observed[id];
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject().key("headers").beginObject();
        for (const auto& [name, value] : seen.headers)
            json.field(name, value);
        json.endObject()
            .field("query", seen.query)
            .field("body", seen.requestBody)
            .field("body_size", seen.requestBodySize)
            .field("error_body", seen.errorBody)
            .field("method", seen.method)
            .field("path", seen.path)
            .field("route", seen.route)
            .field("status", std::int64_t{seen.status})
            .field("error", seen.errorCode)
            .field("client", seen.clientAddress)
            .field("supplier_id", seen.supplierId)
            .field("key", seen.keyPrefix)
            .field("bytes", static_cast<std::int64_t>(seen.bytesSent))
            .endObject();
        return response;
    }

    /// Whose the SKUs of an upload are.
    Response findProducts(Request& request) {
        Details details;
        std::istringstream skus(QueryReader(request.query(), details).text("skus", 1'000).value_or(""));
        details.throwIfAny();
        std::vector<std::string> wanted;
        for (std::string sku; std::getline(skus, sku, ';');)
            wanted.push_back(sku);
        const auto found = request.database().read(
            [&](SqlSession& session) { return _products->bySku(session, request.principal().supplierId, wanted); });
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject().key("found").beginArray();
        for (const auto& product : found)
            json.value(product
                           ? std::to_string(product->productId) + "/" + std::to_string(product->variantId.value_or(0))
                           : std::string("none"));
        json.endArray().endObject();
        return response;
    }

    ApiKeys* _keys = nullptr;
    ProductLookup* _products = nullptr;
    std::atomic<int> _rows{0};
    std::atomic<int> _texts{0};
    std::mutex _mutex;
    std::condition_variable _told;
    std::map<std::string, AnsweredRequest> _observed;
};

} // namespace supplierd::tests

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::tests::TransfersPlugin)
