#include "ApprovalRequest.h"
#include "CachedProducts.h"
#include "OperatorProductList.h"
#include "ProductApproval.h"
#include "ProductUpdate.h"
#include "ProductsService.h"
#include "catalogMigrations.h"
#include "catalogOpenApi.h"
#include "stock/StockService.h"
#include "write/DeletedProducts.h"
#include "write/PendingSkus.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/Plugin.h>
#include <supplierd/Validation.h>
#include <supplierd/internal/ImageIngest.h>
#include <supplierd/services/Accounts.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/Jobs.h>
#include <supplierd/services/Operations.h>

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace supplierd::catalog {

namespace {

constexpr const char* NO_PRODUCT = "Product not found";

/// Products: /products and below, for their supplier and for operators, whose actions the service Products has for
/// everybody else. Lists come from memory.
class CatalogPlugin : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription description;
        description.summary = "Products and their variants: list, read, create, change, delete; for operators: list, "
                              "read, approve, reject";
        description.openapi = supplierd_catalog_generated::openapi();
        description.migrations = supplierd_catalog_generated::migrations();
        description.renumber = {renumberProducts()};
        description.needs = {"categories"};
        description.offers = {std::string(Products::ID), std::string(ProductImages::ID), std::string(Stock::ID)};
        description.scopes = {{"products:read", "Read products and their images"},
                              {"products:write", "Create, change and delete products and their images"}};
        addSuppliersRoutes(description.routes);
        addOperatorsRoutes(description.routes);
        return description;
    }

    void start(Host& host) override {
        _host = &host;
        _audit = &host.require<AuditLog>();
        _accounts = &host.require<Accounts>();
        auto& memory = host.require<CacheMemory>();
        _lists.emplace(
            CatalogCache::Dependencies{host.database(), host.require<ChangeLog>(), memory, host.log(), host.metrics()});
        host.require<Operations>().addCheck(
            {"memory", [this, &memory] { return checkIndexMemory(_host->database(), memory.bound()); }});
        _cached.emplace(_lists->indexes, memory);
        host.offer<Products>(_products.emplace(*_audit, *_accounts, host.require<CategoryTree>(), *_lists));
        host.offer<ProductImages>(*_products);
        host.offer<Stock>(_stock.emplace(&_lists->indexes));
        _deleted.emplace(DeletedProducts::Dependencies{host.database(), _lists->changes, host.log()});
        host.require<Jobs>().add(
            {"remove-deleted", std::chrono::hours(24), [this](JobRun& run) { _deleted->remove(run); }});
    }

    void stop() noexcept override {
        _products.reset();
        _stock.reset();
        _cached.reset();
        _lists.reset();
    }

    /// Who offers images needs this plugin, and so starts after it.
    void ready() override {
        _lists->images = _host->service<ImageIngest>();
        _deleted->useImages(_lists->images);
        giveKeysToPendingSkus(_host->database(), _host->log());
    }

private:
    void addSuppliersRoutes(std::vector<Route>& routes) {
        const auto route = [&routes](Method method, std::string pattern, std::string scope, Body body,
                                     Handler handler) {
            routes.push_back(
                {method, std::move(pattern), Audience::Supplier, std::move(scope), body, std::move(handler)});
        };
        route(Method::Get, "/products", "products:read", Body::None,
              [this](Request& request) { return ProductList(request, *_lists).respond(); });
        route(Method::Get, "/products/{id:int}", "products:read", Body::None,
              [this](Request& request) { return _cached->respond(request, _lists->images); });
        route(Method::Post, "/products", "products:write", Body::Json,
              [this](Request& request) { return editor(request).create(request); });
        route(Method::Post, "/products/{id:int}", "products:write", Body::Json,
              [this](Request& request) { return editor(request).update(request); });
        route(Method::Post, "/products/{id:int}/submit", "products:write", Body::None,
              [this](Request& request) { return editor(request).submit(request); });
        route(Method::Post, "/products/{id:int}/delete", "products:write", Body::None,
              [this](Request& request) { return editor(request).remove(request); });
    }

    void addOperatorsRoutes(std::vector<Route>& routes) {
        const auto route = [&routes](Method method, std::string pattern, Body body, Handler handler) {
            routes.push_back({method, std::move(pattern), Audience::Operator, {}, body, std::move(handler)});
        };
        route(Method::Get, "/products", Body::None, [this](Request& request) { return listOfAll(request); });
        route(Method::Get, "/products/{id:int}", Body::None, [this](Request& request) { return readOfAny(request); });
        route(Method::Get, "/products/waiting", Body::None, [this](Request& request) { return waiting(request); });
        route(Method::Post, "/products/approve", Body::Json,
              [this](Request& request) { return decideMany(request, false); });
        route(Method::Post, "/products/reject", Body::Json,
              [this](Request& request) { return decideMany(request, true); });
        route(Method::Post, "/products/{id:int}/approve", Body::None, [this](Request& request) {
            return request.transact([&](Transaction& transaction) {
                ofOne([&](const auto& ids) { _products->approve(transaction, ids, actorOf(request)); }, request);
                return productResponse(request, anyProduct(request, transaction));
            });
        });
        route(Method::Post, "/products/{id:int}/reject", Body::Json,
              [this](Request& request) { return reject(request); });
    }

    ProductEditor editor(Request& request) {
        return _products->editor(request.principal().supplierId, actorOf(request), request.header("If-Match"));
    }

    Response listOfAll(Request& request) {
        const auto products = _products->list(request.database(), request.query());
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject();
        writeList(json, "products", products);
        json.endObject();
        return response;
    }

    Response readOfAny(Request& request) {
        return request.database().snapshot([&](SqlSession& snapshot) {
            const ProductRecord product = anyProduct(request, snapshot);
            Response response = productResponse(request, product);
            const std::int64_t present = _lists->changes.committed(snapshot, product.supplierId);
            response.addHeader(std::string(CHANGE_SEQ_HEADER), std::to_string(present));
            return response;
        });
    }

    Response reject(Request& request) {
        Details details;
        const auto reason = ObjectReader(request.body(), details).text("reason", {Products::MAX_REASON, true});
        if (!details.empty())
            readOfAny(request); // a product that is not there is 404, whatever the body says
        details.throwIfAny();
        return request.transact([&](Transaction& transaction) {
            ofOne([&](const auto& ids) { _products->reject(transaction, ids, *reason.value, actorOf(request)); },
                  request);
            return productResponse(request, anyProduct(request, transaction));
        });
    }

    Response waiting(Request& request) {
        const auto suppliers = waitingSuppliers(request.database(), request.query(), *_accounts);
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject();
        writeList(json, "suppliers", suppliers, [](JsonWriter& to, const WaitingSupplier& one) {
            to.beginObject().field("id", one.supplierId).field("name", one.supplierName);
            to.field("products", one.products).endObject();
        });
        json.endObject();
        return response;
    }

    void requireSupplier(Database& database, std::int64_t id) {
        if (database.read([&](SqlSession& session) { return _accounts->findSupplier(session, id); }))
            return;
        Details details;
        details.add("supplier_id", "unknown_reference", "supplier_id must be a supplier");
        details.throwIfAny();
    }

    /// Of products that are named, or of all that wait of one supplier: these in transactions of APPROVAL_BATCH, so
    /// that the supplier's own requests go on in between.
    Response decideMany(Request& request, bool isRejection) {
        const ApprovalRequest wanted = ApprovalRequest::read(request.body(), isRejection);
        std::int64_t decided = 0;
        std::vector<std::int64_t> ids = wanted.productIds;
        if (wanted.supplierId) {
            requireSupplier(request.database(), *wanted.supplierId);
            const auto next = [&](std::int64_t after) {
                return request.database().read(
                    [&](SqlSession& session) { return waitingProducts(session, *wanted.supplierId, after); });
            };
            for (ids = next(0); ids.size() == APPROVAL_BATCH; ids = next(ids.back())) {
                std::int64_t batch = 0;
                request.database().withTransaction([&](Transaction& transaction) {
                    std::set<std::int64_t> deleted;
                    batch = decideOnProducts(transaction, *_audit, ids, wanted.reason, actorOf(request), deleted);
                });
                decided += batch;
            }
        }
        return request.transact([&](Transaction& transaction) {
            std::set<std::int64_t> missing;
            const std::int64_t last =
                ids.empty() ? 0 : decideOnProducts(transaction, *_audit, ids, wanted.reason, actorOf(request), missing);
            if (wanted.supplierId)
                missing.clear(); // nobody named them
            Response response = request.reply();
            JsonWriter json(response.data);
            json.beginObject().field(isRejection ? "rejected" : "approved", decided + last).key("errors").beginArray();
            for (const std::int64_t id : missing)
                json.beginObject()
                    .field("product_id", id)
                    .field("code", "not_found")
                    .field("error", NO_PRODUCT)
                    .endObject();
            json.endArray().endObject();
            return response;
        });
    }

    /// The path names the one product already: the message need not.
    template <class Decide>
    static void ofOne(const Decide& decide, const Request& request) {
        try {
            decide(std::vector{request.pathInteger("id")});
        } catch (const ApiError& error) {
            if (error.kind() != ErrorKind::NotFound)
                throw;
            throw ApiError::notFound(NO_PRODUCT);
        }
    }

    ProductRecord anyProduct(Request& request, SqlSession& session) {
        auto product = _products->find(session, request.pathInteger("id"));
        if (!product)
            throw ApiError::notFound(NO_PRODUCT);
        return *std::move(product);
    }

    static Response productResponse(Request& request, const ProductRecord& product) {
        Response response = request.reply();
        JsonWriter json(response.data);
        json.beginObject().key("product");
        writeJson(json, product);
        json.endObject();
        return response;
    }

    Host* _host = nullptr;
    AuditLog* _audit = nullptr;
    Accounts* _accounts = nullptr;
    std::optional<ListSources> _lists;
    std::optional<CachedProducts> _cached;
    std::optional<DeletedProducts> _deleted;
    std::optional<ProductsService> _products;
    std::optional<StockService> _stock;
};

} // namespace

} // namespace supplierd::catalog

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::catalog::CatalogPlugin)
