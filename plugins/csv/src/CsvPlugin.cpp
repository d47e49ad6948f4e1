#include "csvAssets.h"
#include "csvDescription.h"
#include "exports/OrderExport.h"
#include "exports/ProductExport.h"
#include "imports/ImportIntake.h"
#include "imports/ImportRoutes.h"
#include "imports/ImportRun.h"

#include <supplierd/Assets.h>
#include <supplierd/Plugin.h>
#include <supplierd/services/Dashboard.h>
#include <supplierd/services/Jobs.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace supplierd::csv {

namespace {

constexpr std::int64_t MAX_FILE = 50 << 20;
constexpr std::size_t MAX_FILTERS = 4'000;
/// The plugin media's: an HttpClient with the rules by which images are fetched.
constexpr std::string_view IMAGE_HTTP = "supplierd.image-http/1";
constexpr const char* CSV_TYPE = "text/csv; charset=utf-8";

ImportMetrics metricsOf(Host& host) {
    const auto counter = [&host](const char* outcome) -> Counter& {
        return host.metrics().counter("import_rows_total", "Rows of imports, by what became of them",
                                      {{"outcome", outcome}});
    };
    return {counter("created"), counter("updated"), counter("unchanged"), counter("failed")};
}

/// Products and orders as files for spreadsheets, and products from such files.
class CsvPlugin final : public Plugin {
public:
    PluginDescription describe() override {
        PluginDescription about = supplierd_csv_generated::description();
        about.summary = "Products and orders as CSV files, and products from CSV files";
        about.after = {std::string(Orders::ID), std::string(Dashboard::ID), std::string(ImageIngest::ID),
                       std::string(IMAGE_HTTP)};
        about.config = {
            {"imports_at_once", ConfigType::Integer, "2", "Imports that a supplier may have under way", 1, 100},
            {"batch_rows", ConfigType::Integer, "200", "Rows that are imported in one transaction", 1,
             static_cast<std::int64_t>(Products::MAX_BATCH)},
            {"max_failed_rows", ConfigType::Integer, "10000", "Rows of an import whose errors are kept", 1, 1'000'000},
            {"max_files", ConfigType::Integer, "10", "Files of a supplier's imports that have ended which are kept", 1,
             1'000},
            {"max_imports", ConfigType::Integer, "1000", "Imports of a supplier that have ended which are shown", 10,
             100'000},
            {"keep_files_days", ConfigType::Integer, "7", "How long the file of an import is kept, in days", 1, 3'650},
            {"keep_image_urls_days", ConfigType::Integer, "730",
             "How long an import knows which images it has fetched, in days", 1, 3'650},
            {"keep_days", ConfigType::Integer, "90", "How long an import is shown, in days", 1, 3'650},
        };
        addExports(about.routes);
        addImports(about.routes);
        about.routes.push_back(_pages.route("/csv/{rest...}"));
        return about;
    }

    void configure(const Config& config) override {
        _atOnce = config.integer("imports_at_once");
        _batchRows = static_cast<std::size_t>(config.integer("batch_rows"));
        _maxFailedRows = config.integer("max_failed_rows");
        _most = {config.integer("max_files"), config.integer("max_imports")};
        _keepFilesDays = config.integer("keep_files_days");
        _keepDays = config.integer("keep_days");
        _keepImageUrlsDays = config.integer("keep_image_urls_days");
    }

    void start(Host& host) override {
        _host = &host;
        _products = &host.require<Products>();
        _orders = host.service<Orders>();
        Jobs& jobs = host.require<Jobs>();
        _store.emplace(host.database());
        _intake.emplace(*_store, jobs, _atOnce, _most);
        _routes.emplace(*_store, *_intake, host.require<Accounts>());
        _services.emplace(ImportServices{*_store, *_products, host.require<CategoryTree>(), host.log(), metricsOf(host),
                                         _batchRows, _maxFailedRows});
        // Also now and then: a run that a server left is gone on with.
        jobs.add({std::string(IMPORT_JOB), std::chrono::minutes(1),
                  [this](JobRun& run) { ImportRun(*_services, run, false).work(); }});
        jobs.add({std::string(IMAGES_JOB), std::chrono::minutes(1),
                  [this](JobRun& run) { ImportRun(*_services, run, true).work(); }});
        jobs.add({"remove-old", std::chrono::hours(1), [this](JobRun& run) { removeOld(run); }});
        addDashboardPage(host, {.id = "spreadsheets",
                                .titles = {{"en", "Spreadsheets"}, {"nl", "Spreadsheets"}, {"de", "Tabellen"}},
                                .script = "/csv/page.js",
                                .scope = "products:write"});
    }

    void ready() override { // the plugin media needs catalog, so that it offers these only now
        _services->images = _host->service<ImageIngest>();
        _services->uploads = _host->service<ImageUploads>();
        _services->imageHttp = static_cast<const HttpClient*>(_host->findService(IMAGE_HTTP));
    }

private:
    void addExports(std::vector<Route>& routes) {
        Route products{Method::Get, "/products/export.csv", Audience::Supplier, "products:read"};
        products.handler = [this](Request& request) { return exportProducts(request); };
        Route orders{Method::Get, "/orders/export.csv", Audience::Supplier, "orders:read"};
        orders.handler = [this](Request& request) { return exportOrders(request); };
        Route operators{Method::Get, "/suppliers/{id:int}/products/export.csv", Audience::Operator};
        operators.handler = products.handler;
        routes.insert(routes.end(), {products, orders, operators});
    }

    void addImports(std::vector<Route>& routes) {
        Route upload{Method::Post, "/products/import", Audience::Supplier, "products:write", Body::Raw};
        upload.handler = [this](Request& request) { return _routes->upload(request); };
        upload.admit = [this](Request& request) { return _routes->admit(request); };
        upload.maxBody = MAX_FILE;
        // What browsers call such a file, which on Windows is Excel's.
        upload.accepts = {"text/csv",        "text/tab-separated-values", "text/plain",
                          "application/csv", "application/vnd.ms-excel",  "application/octet-stream"};
        Route list{Method::Get, "/imports", Audience::Supplier, "products:read"};
        list.handler = [this](Request& request) { return _routes->list(request); };
        Route read{Method::Get, "/imports/{id:int}", Audience::Supplier, "products:read"};
        read.handler = [this](Request& request) { return _routes->read(request); };
        Route errors{Method::Get, "/imports/{id:int}/errors.csv", Audience::Supplier, "products:read"};
        errors.handler = [this](Request& request) { return _routes->errors(request); };
        Route cancel{Method::Post, "/imports/{id:int}/cancel", Audience::Supplier, "products:write"};
        cancel.handler = [this](Request& request) { return _routes->cancel(request); };
        routes.insert(routes.end(), {upload, list, read, errors, cancel});
        upload.pattern = "/suppliers/{id:int}/products/import";
        for (Route* const route : {&upload, &read}) {
            route->audience = Audience::Operator;
            route->scope.clear();
            routes.push_back(*route);
        }
    }

    Response exportProducts(Request& request) {
        Details details;
        QueryReader query(request.query(), details);
        const CsvStyle style = readStyle(query);
        const std::string filters = request.principal().isOperator ? query.text("query", MAX_FILTERS).value_or("")
                                                                   : std::string(request.rawQuery());
        details.throwIfAny();
        auto walk = _products->walk(_store->database(), _routes->supplierOf(request), filters);
        return file(std::make_shared<ProductExport>(std::move(walk), style), "products.csv");
    }

    Response exportOrders(Request& request) {
        if (_orders == nullptr)
            throw ApiError::notFound("There are no orders: the plugin orders is not enabled");
        Details details;
        QueryReader query(request.query(), details);
        const CsvStyle style = readStyle(query);
        details.throwIfAny();
        return file(std::make_shared<OrderExport>(_store->database(), *_orders, request.principal().supplierId,
                                                  request.query(), style),
                    "orders.csv");
    }

    static Response file(std::shared_ptr<ContentStream> stream, const std::string& name) {
        return std::move(Response::of(std::move(stream), CSV_TYPE)
                             .addHeader("Content-Disposition", "attachment; filename=\"" + name + "\""));
    }

    void removeOld(JobRun& run) const {
        std::int64_t removed = run.inPieces(
            [&](Transaction& transaction) { return ImportStore::removeFiles(transaction, _keepFilesDays); });
        removed +=
            run.inPieces([&](Transaction& transaction) { return ImportStore::removeImports(transaction, _keepDays); });
        removed += run.inPieces(
            [&](Transaction& transaction) { return ImportStore::removeImages(transaction, _keepImageUrlsDays); });
        run.withTransaction([](Transaction& transaction) { ImportStore::giveUpReceiving(transaction); });
        run.report("removed " + std::to_string(removed) + " files and imports");
    }

    Assets _pages{supplierd_csv_web::assets()};
    std::int64_t _atOnce = 0;
    std::size_t _batchRows = 0;
    std::int64_t _maxFailedRows = 0;
    ImportRetention _most;
    std::int64_t _keepFilesDays = 0;
    std::int64_t _keepDays = 0;
    std::int64_t _keepImageUrlsDays = 0;
    Host* _host = nullptr;
    Products* _products = nullptr;
    Orders* _orders = nullptr;
    std::optional<ImportStore> _store;
    std::optional<ImportIntake> _intake;
    std::optional<ImportRoutes> _routes;
    std::optional<ImportServices> _services;
};

} // namespace

} // namespace supplierd::csv

SUPPLIERD_PLUGIN(SUPPLIERD_PLUGIN_ID, SUPPLIERD_PLUGIN_VERSION, supplierd::csv::CsvPlugin)
