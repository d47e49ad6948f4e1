#include "ProductWriters.h"

#include "tests/support/ChildProcess.h"
#include "tests/support/Control.h"

#include <chrono>
#include <map>
#include <thread>

namespace supplierd::tests {

namespace {

constexpr unsigned WRITERS = 14;
constexpr auto BETWEEN_NAMES = std::chrono::milliseconds(100);
/// So many of the first suppliers' products are kept about there.
constexpr std::size_t PRODUCTS = 150;
constexpr int BULK = 40;

int number(std::mt19937& random, int below) {
    return std::uniform_int_distribution<int>(0, below - 1)(random);
}

std::string pathOf(std::int64_t product) {
    return "/products/" + std::to_string(product);
}

json anyVariant(std::mt19937& random) {
    json variant{{"name", randomName(random)}, {"stock_qty", number(random, 60)}};
    if (number(random, 2) == 0)
        variant["sku"] = randomSku(random);
    if (number(random, 2) == 0)
        variant["base_price"] = number(random, 500) / 4.0;
    return variant;
}

} // namespace

ProductWriters::ProductWriters(ListServers& servers, unsigned seed) : RecordingWriters(servers) {
    for (unsigned i = 0; i < WRITERS; ++i)
        start(seed + i, [this](Writer& writer) { write(writer); });
    start(seed + WRITERS, [this](Writer& writer) { writeByTool(writer); });
    start(seed + WRITERS + 1, [this](Writer& writer) { renameCategory(writer); });
}

void ProductWriters::write(Writer& writer) {
    std::mt19937& random = writer.random;
    const int dice = number(random, 10);
    ListedSupplier& supplier = servers().supplier(dice < 5 ? 0 : dice < 9 ? 1 : 2);
    HttpClient& http = writer.connections.to(writer.server, supplier.key);
    const std::int64_t id = supplier.anyProduct(random);
    const auto send = [&](const std::string& what, const std::string& path, const json& body) {
        const HttpResponse response = http.post(path, body);
        count(what, response.status);
        if (response.status == 503)
            std::this_thread::sleep_for(AFTER_A_REFUSAL);
        if (response.hasHeader("X-Change-Seq"))
            supplier.heard.acknowledge(std::stoll(response.header("X-Change-Seq")));
        return response;
    };
    // Which items are named twice is left to chance: the last one stands.
    const auto sendAll = [&](const std::string& path, const char* field, const char* replayed, int parts) {
        json items = json::array();
        std::map<std::int64_t, json> last;
        for (int i = 1 + number(random, BULK); i > 0; --i) {
            const std::int64_t product = supplier.anyProduct(random);
            const int value = number(random, 400);
            items.push_back({{"product_id", product}, {field, value * parts / 4.0}});
            if (parts == 4)
                items.back()[field] = value;
            last[product] = parts == 4 ? value : value * 2'500;
        }
        const HttpResponse response = send(path, path, {{"items", items}});
        if (response.status == 200 && response.data().at("failed") == 0)
            for (const auto& [product, value] : last)
                acknowledge(supplier, response, product, replayed, value);
    };
    switch (number(random, 20)) {
    case 0:
    case 1:
        if (supplier.products() < 2 * PRODUCTS) {
            json body{{"name", randomName(random)},
                      {"category_id", servers().categories()[static_cast<std::size_t>(number(random, 2))]},
                      {"base_price", number(random, 900) / 4.0},
                      {"unit", "bunch"},
                      {"stock_qty", number(random, 60)},
                      {"min_order_qty", 1 + number(random, 10)}};
            if (number(random, 2) == 0)
                body["sku"] = randomSku(random);
            if (number(random, 3) == 0)
                body["variants"] = json::array({anyVariant(random), anyVariant(random)});
            if (number(random, 6) == 0)
                body["image_url"] = "https://pictures.example/new.jpg";
            const HttpResponse response = send("create", "/products", body);
            if (response.status == 201) {
                const auto created = response.data().at("product").at("id").get<std::int64_t>();
                supplier.add(created);
                acknowledge(supplier, response, created, "name", body.at("name"));
            }
        }
        break;
    case 2:
        if (supplier.products() > PRODUCTS - 50) {
            supplier.remove(id);
            if (const HttpResponse response = send("delete", pathOf(id) + "/delete", json::object());
                response.status == 200)
                acknowledge(supplier, response, id, "deleted", 1);
        }
        break;
    case 3:
    case 4: {
        const std::string name = randomName(random);
        const HttpResponse response = send("name", pathOf(id),
                                           {{"name", name},
                                            {"description", name},
                                            {"is_active", number(random, 3) != 0},
                                            {"lead_time_days", number(random, 365)}});
        if (response.status == 200)
            acknowledge(supplier, response, id, "name", name);
        break;
    }
    case 5:
        send("sku", pathOf(id), {{"sku", randomSku(random)}});
        break;
    case 6:
        send("category", pathOf(id),
             {{"category_id", servers().categories()[static_cast<std::size_t>(number(random, 2))]}});
        break;
    case 7:
        send("variant", pathOf(id), {{"variants", json::array({anyVariant(random)})}});
        break;
    case 8: { // one of its variants goes, or changes
        const HttpResponse read = http.get(pathOf(id));
        if (read.status != 200 || read.data().at("product").at("variants").empty())
            break;
        json variant{{"id", read.data().at("product").at("variants").at(0).at("id")}};
        if (number(random, 2) == 0)
            variant["delete"] = true;
        else
            variant["sku"] = randomSku(random);
        send("variant", pathOf(id), {{"variants", json::array({variant})}});
        break;
    }
    case 9:
        send("image", pathOf(id), {{"image_url", "https://pictures.example/" + std::to_string(id) + ".jpg"}});
        break;
    case 10:
    case 11:
    case 12:
        sendAll("/stock", "stock_qty", "stock", 4);
        break;
    case 13:
        sendAll("/prices", "base_price", "price", 1);
        break;
    case 14:
    case 15: { // by SKU, of products and variants
        json items = json::array();
        for (int i = 1 + number(random, BULK); i > 0; --i)
            items.push_back({{"sku", randomSku(random)}, {"stock_qty", number(random, 400)}});
        send("/stock by sku", "/stock", {{"items", items}});
        break;
    }
    case 16: {
        json items = json::array();
        for (int i = 1 + number(random, BULK); i > 0; --i)
            items.push_back({{"sku", randomSku(random)}, {"base_price", (1 + number(random, 400)) / 4.0}});
        send("/prices by sku", "/prices", {{"items", items}});
        break;
    }
    case 17:
        send("service", "/test/stock", {{"product_id", id}, {"quantity", number(random, 5)}});
        break;
    case 18:
        send("put back", "/test/move", {{"product_id", id}, {"quantity", 1 + number(random, 5)}});
        break;
    default: {
        HttpClient platform = servers().server(0).operatorClient(servers().operatorKey()); // never killed
        const HttpResponse response = number(random, 3) == 0
                                          ? platform.post(pathOf(id) + "/reject", {{"reason", "blurred"}})
                                          : platform.postEmpty(pathOf(id) + "/approve");
        count("approval", response.status);
        if (response.status == 200 && response.hasHeader("X-Change-Seq"))
            supplier.heard.acknowledge(std::stoll(response.header("X-Change-Seq")));
        break;
    }
    }
}

void ProductWriters::writeByTool(Writer& writer) {
    ListedSupplier& supplier = servers().supplier(static_cast<std::size_t>(writer.number(2)));
    std::vector<std::string> arguments{"product", "approve"};
    for (int i = 1 + writer.number(4); i > 0; --i)
        arguments.push_back(std::to_string(supplier.anyProduct(writer.random)));
    count("supplierctl", runControl(servers().server(0), std::move(arguments)).exitCode);
    supplier.heard.show(servers().committed(supplier.id));
}

void ProductWriters::renameCategory(Writer& writer) {
    std::this_thread::sleep_for(BETWEEN_NAMES);
    const std::int64_t id = servers().categories()[static_cast<std::size_t>(writer.number(3))];
    const HttpResponse response =
        writer.connections.toPlatform(writer.server)
            .post("/categories/" + std::to_string(id), {{"name", "Category " + std::to_string(writer.random())}});
    count("category name", response.status);
    if (response.hasHeader("X-Change-Seq"))
        servers().marketplaceHeard().acknowledge(std::stoll(response.header("X-Change-Seq")));
    servers().marketplaceHeard().show(servers().committed(0));
}

void ProductWriters::acknowledge(ListedSupplier& supplier, const HttpResponse& response, std::int64_t product,
                                 const char* field, const json& value) {
    keep({supplier.id, std::stoll(response.header("X-Change-Seq")), product, field, value});
}

} // namespace supplierd::tests
