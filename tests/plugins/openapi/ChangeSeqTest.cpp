#include "tests/plugins/media/api/MediaFixture.h"
#include "tests/support/OperatorClient.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

#include <filesystem>
#include <memory>
#include <set>
#include <sstream>
#include <string>

namespace supplierd::tests {

namespace {

constexpr const char* PLUGINS[] = {"catalog", "inventory", "media", "orders"};

/// What is about no one supplier's state: operators' lists of all of them, work that is only begun, and files, which
/// never change.
const std::set<std::string> OF_NO_NUMBER{"get /platform/products",
                                         "get /platform/products/waiting",
                                         "get /platform/order-days",
                                         "get /platform/order-groups",
                                         "post /platform/order-imports",
                                         "get /platform/order-imports",
                                         "get /platform/order-imports/{id}",
                                         "post /platform/order-imports/{id}/cancel",
                                         "post /platform/order-totals/verify",
                                         "post /platform/media/verify",
                                         "post /platform/media/move",
                                         "post /platform/media/holds",
                                         "post /platform/media/holds/{token}/end",
                                         "get /platform/media/files",
                                         "get /platform/media/files/{a}/{b}/{name}",
                                         "get /media/{a}/{b}/{name}"};

json document(const std::string& plugin) {
    return json::parse(readWholeFile(std::filesystem::path(SUPPLIERD_PLUGIN_SOURCES) / plugin / "openapi.json"));
}

/// "/supplier/orders", or "/media/…".
std::string pathIn(const json& document, const std::string& path, const json& item) {
    const std::string base = "/api/v1";
    std::string server = item.value("servers", document.at("servers")).at(0).at("url");
    if (server.starts_with(base))
        server.erase(0, base.size());
    return server == "/" ? path : server + path;
}

/// Calls `use` with "get /supplier/orders" and what the document says of it.
template <class Use>
void forEachOperation(const Use& use) {
    for (const char* plugin : PLUGINS) {
        const json part = document(plugin);
        for (const auto& [path, item] : part.at("paths").items())
            for (const char* method : {"get", "post"}) {
                const std::string operation = method + (" " + pathIn(part, path, item));
                if (item.contains(method) && !OF_NO_NUMBER.contains(operation))
                    use(operation, item.at(method));
            }
    }
}

} // namespace

/// Every answer about a supplier's products, stock, prices, images or orders says as of which number it is, on every
/// route that the plugins' documents have.
class ChangeSeqTest : public CppUnit::TestFixture {
protected:
    void start() {
        _files.emplace("media");
        const std::string root = (*_files / "files").string();
        _server.emplace(ServerOptions{
            .plugins = {"categories", "catalog", "inventory", "media", "orders", "platform"},
            .configuration = "[plugins.media]\nroot = \"" + root + "\"\nfetch.allow_networks = [\"127.0.0.0/8\"]\n" +
                             "fetch.allow_ports = [" + std::to_string(_origin.port()) + "]\n"});
        _supplier.emplace(SupplierOptions{}, *_server);
        _operator.emplace(*_server);
    }

    void driveProducts() {
        const json body = _supplier->productBody({{"sku", "A"}, {"stock_qty", 50}});
        _product = write(201, "post /supplier/products", _supplier->post("/products", body))["product"]["id"];
        const std::string path = "/products/" + std::to_string(_product);
        write(200, "post /supplier/products/{id}", _supplier->post(path, {{"name", "Rosa"}}));
        same(200, "post /supplier/products/{id}", _supplier->post(path, json::object()));
        write(200, "post /platform/products/{id}/reject", _operator->post(path + "/reject", {{"reason", "blurred"}}));
        const std::string submit = "post /supplier/products/{id}/submit";
        write(200, submit, _supplier->postEmpty(path + "/submit"));
        same(200, submit, _supplier->postEmpty(path + "/submit"));
        write(200, "post /platform/products/{id}/approve", _operator->postEmpty(path + "/approve"));
        same(200, submit, _supplier->postEmpty(path + "/submit"));
        const json named = json::array({_product});
        write(200, "post /platform/products/reject",
              _operator->post("/products/reject", {{"product_ids", named}, {"reason", "blurred"}}));
        write(200, "post /platform/products/approve", _operator->post("/products/approve", {{"product_ids", named}}));
        read("get /platform/products/{id}", *_operator, path);
        read("get /supplier/products/{id}", *_supplier, path);
        for (const char* query : {"", "?sort=name", "?search=ro", "?page=9", "?changed_after=0", "?include=variants",
                                  "?sku=A", "?include_deleted=true", "?status=pending"})
            read("get /supplier/products", *_supplier, "/products" + std::string(query));
    }

    void driveImages() {
        const std::string path = "/products/" + std::to_string(_product) + "/images";
        const std::string operation = "/supplier/products/{id}/images";
        read("get " + operation, *_supplier, path);
        const std::string urls = _origin.serve(smallPicture(1)) + ";" + _origin.serve(smallPicture(2));
        const json images = write(201, "post " + operation, _supplier->post(path, {{"image_url", urls}}))["images"];
        const json all = write(201, "post " + operation + "/upload",
                               _supplier->postText(path + "/upload?name=rose.jpg", smallPicture(3),
                                                   {{"Content-Type", "image/jpeg"}}))["images"];
        const json order{{"image_ids", {all[2]["id"], all[0]["id"], all[1]["id"]}}};
        write(200, "post " + operation + "/order", _supplier->post(path + "/order", order));
        same(200, "post " + operation + "/order", _supplier->post(path + "/order", order));
        read("get " + operation, *_supplier, path);
        const auto imagePath = [&](std::size_t image) { return path + "/" + images[image]["id"].dump(); };
        const std::string primary = "post " + operation + "/{image_id}/primary";
        write(200, primary, _supplier->postEmpty(imagePath(1) + "/primary"));
        same(200, primary, _supplier->postEmpty(imagePath(1) + "/primary"));
        write(200, "post " + operation + "/{image_id}/delete", _supplier->postEmpty(imagePath(0) + "/delete"));
        read("get /supplier/products/{id}", *_supplier, "/products/" + std::to_string(_product));
    }

    void driveStockAndPrices() {
        for (const auto& [path, field] : {std::pair("/stock", "stock_qty"), std::pair("/prices", "base_price")}) {
            const std::string operation = std::string("post /supplier") + path;
            const auto send = [&, path = path, field = field](const json& name, const json& value) {
                json item{{"sku", name}, {field, value}};
                return _supplier->post(path, {{"items", json::array({item})}});
            };
            write(200, operation, send("A", 40));
            same(200, operation, send("A", -1));
            same(200, operation, send(nullptr, 40));
        }
        json expected{{"sku", "A"}, {"stock_qty", 40}, {"expected_stock_qty", 40}};
        same(200, "post /supplier/stock", _supplier->post("/stock", {{"items", json::array({expected})}}));
        expected["expected_stock_qty"] = 3;
        same(200, "post /supplier/stock", _supplier->post("/stock", {{"items", json::array({expected})}}));
    }

    void driveOrders() {
        const json body{{"order_number", "N-1"},
                        {"customer", {{"company_name", "Bloemen Jansen"}}},
                        {"items", {{{"product_id", _product}, {"quantity", 2}}}}};
        const json order = write(201, "post /platform/orders", _operator->post("/orders", body))["order"];
        same(200, "post /platform/orders", _operator->post("/orders", body));
        const std::string id = order["groups"][0]["id"].dump();
        for (const char* status : {"confirmed", "processing", "shipped", "delivered"})
            write(200, "post /supplier/orders/{id}/status",
                  _supplier->post("/orders/" + id + "/status", {{"status", status}}));
        write(200, "post /platform/order-groups/{id}/complete",
              _operator->postEmpty("/order-groups/" + id + "/complete"));
        read("get /platform/order-groups/{id}", *_operator, "/order-groups/" + id);
        read("get /supplier/orders/{id}", *_supplier, "/orders/" + id);
        for (const char* query : {"", "?status=completed", "?status=pending", "?page=2", "?changed_after=0",
                                  "?updated_since=2020-01-01T00:00:00Z"})
            read("get /supplier/orders", *_supplier, "/orders" + std::string(query));
    }

    void driveDeletion() {
        const HttpHeaders once{{"Idempotency-Key", "once"}};
        const std::string path = "/products/" + std::to_string(_product) + "/delete";
        write(200, "post /supplier/products/{id}/delete", _supplier->postEmpty(path, once));
        same(200, "post /supplier/products/{id}/delete", _supplier->postEmpty(path, once)); // replayed
        read("get /supplier/products", *_supplier, "/products?include_deleted=true");
    }

    /// Committed under the next number.
    json write(int status, const std::string& operation, const HttpResponse& response) {
        ++_number;
        return same(status, operation, response);
    }

    /// Shows the present number.
    json same(int status, const std::string& operation, const HttpResponse& response) {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(operation + "\n" + response.body, status, response.status);
        CPPUNIT_ASSERT_EQUAL(_number, _supplier->changeSeq());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(operation + "\n" + response.body, std::to_string(_number),
                                     response.header("X-Change-Seq"));
        _tried.insert(operation);
        return status == 304 ? json() : response.data();
    }

    /// From the database and from memory, and where it has a tag, unchanged.
    void read(const std::string& operation, HttpClient& client, const std::string& path) {
        same(200, operation, client.get(path));
        const HttpResponse response = client.get(path);
        same(200, operation, response);
        if (response.hasHeader("ETag"))
            same(304, operation, client.get(path, {{"If-None-Match", response.header("ETag")}}));
    }

    PictureOrigin _origin;
    std::optional<TemporaryDirectory> _files;
    std::optional<ServerFixture> _server;
    std::optional<SupplierClient> _supplier;
    std::optional<OperatorClient> _operator;
    std::int64_t _product = 0;
    std::int64_t _number = 0;
    std::set<std::string> _tried;
};

TEST(ChangeSeqTest, everyAnswerCarriesTheNumber) {
    start();
    driveProducts();
    driveImages();
    driveStockAndPrices();
    driveOrders();
    driveDeletion();
    forEachOperation([this](const std::string& operation, const json&) {
        CPPUNIT_ASSERT_MESSAGE(operation + " is not tried here", _tried.contains(operation));
    });
}

TEST(ChangeSeqTest, everyDocumentSaysSo) {
    std::ostringstream missing;
    forEachOperation([&](const std::string& operation, const json& said) {
        for (const auto& [status, response] : said.at("responses").items())
            if ((status[0] == '2' || status == "304") &&
                !response.value("headers", json::object()).contains("X-Change-Seq"))
                missing << operation << ": " << status << '\n';
    });
    CPPUNIT_ASSERT_EQUAL(std::string(), missing.str());
}

} // namespace supplierd::tests
