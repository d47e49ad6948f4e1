#include "tests/browser/BrowserRun.h"
#include "tests/plugins/webhooks/Receiver.h"
#include "tests/support/Control.h"
#include "tests/support/LoopbackOrigin.h"
#include "tests/support/Numbers.h"
#include "tests/support/Places.h"
#include "tests/support/ServerFixture.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace supplierd::tests {

/// The pages in headless Chromium: tests/dashboard/browser, against a real server. The pictures that it takes of every
/// page are in screenshots/dashboard of the build folder. DASHBOARD_TEST=<part of a name> runs some of the tests alone.
class BrowserTest : public CppUnit::TestFixture {
protected:
    static constexpr int PRODUCTS = 212;
    static constexpr int ORDERS = 3;

    struct Account {
        std::string email;
        std::string password = "correct horse battery";
        std::int64_t supplierId = 0;
        std::string key = {};
        bool isStaff = false;

        json toJson() const {
            return {{"email", email}, {"password", password}, {"supplierId", supplierId}, {"key", key}};
        }
    };

    static ServerOptions options(const std::filesystem::path& media, unsigned picturesPort, unsigned receiverPort) {
        return {.plugins = {"categories", "catalog", "orders", "inventory", "platform", "media", "csv", "dashboard",
                            "history", "sandbox", "webhooks"},
                .configuration = "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n[plugins.media]\nroot = \"" +
                                 media.string() +
                                 "\"\n[plugins.media.fetch]\nallow_networks = [\"127.0.0.1/32\"]\nallow_ports = [" +
                                 std::to_string(picturesPort) +
                                 "]\n[plugins.webhooks]\nallow_http = true\nallow_networks = [\"127.0.0.1/32\"]\n"
                                 "allow_ports = [" +
                                 std::to_string(receiverPort) + "]\n"};
    }

    static void addUser(ServerFixture& fixture, const Account& account) {
        const auto file = fixture.server().directory() / "password";
        writeWholeFile(file, account.password + "\n");
        std::vector<std::string> arguments{"user", "add", account.email, "--password-file", file};
        if (account.supplierId != 0)
            arguments.insert(arguments.end(), {"--supplier", std::to_string(account.supplierId)});
        if (account.isStaff)
            arguments.emplace_back("--staff");
        requireControl(fixture.server(), arguments);
    }

    /// "Tulipa 000001" and so on, approved and without a history, by SQL: so many take minutes by the API.
    static void fill(ServerFixture& fixture, const Account& account, int count) {
        const std::string supplier = std::to_string(account.supplierId);
        const std::string many = std::to_string(count);
        fixture.database().exec(
            "INSERT INTO products (supplier_id, name, category_id, base_price, unit, stock_qty, approval, change_seq) "
            "SELECT " +
            supplier + ", CONCAT('Tulipa ', LPAD(seq, 6, '0')), " + std::to_string(fixture.category()) +
            ", 1 + seq MOD 7, 1, seq MOD 5, 1, seq FROM " + numbersTo(many));
        fixture.database().exec("UPDATE supplier_state SET change_seq = " + many + " WHERE supplier_id = " + supplier);
    }

    static json created(const HttpResponse& response) {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 201, response.status);
        return response.data();
    }

    /// "ROW-001" to "ROW-212", approved; the first one's id.
    static std::int64_t addProducts(ServerFixture& fixture, HttpClient& supplier, HttpClient& operatorClient) {
        std::vector<std::int64_t> ids;
        for (int i = 1; i <= PRODUCTS; ++i) {
            std::string number = std::to_string(i);
            number.insert(0, 3 - number.size(), '0');
            const json product = created(supplier.post("/products", {{"name", "Row " + number},
                                                                     {"sku", "ROW-" + number},
                                                                     {"category_id", fixture.category()},
                                                                     {"base_price", 0.5},
                                                                     {"unit", "stem"},
                                                                     {"description", "Packed by twenty."},
                                                                     {"stock_qty", 1'000}}))
                                     .at("product");
            ids.push_back(product.at("id").get<std::int64_t>());
        }
        const auto response = operatorClient.post("/products/approve", {{"product_ids", ids}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, PRODUCTS, response.data().at("approved").get<int>());
        return ids.front();
    }

    /// Products with names as they are in shops, and with pictures; two are approved, the last one waits.
    static std::vector<std::int64_t> addRealProducts(HttpClient& supplier, HttpClient& operatorClient,
                                                     std::int64_t category, const std::string& picture) {
        std::vector<std::int64_t> ids;
        for (const std::string name : {"Chrysanthemum indicum ‘Anastasia Dark Green’ geselecteerd, 70 cm",
                                       "Donaudampfschifffahrtsgesellschaftskapitänsmützenrosenstrauß 1",
                                       "ALSTROEMERIA_PREMIUM_EXTRA_LANG_90CM_WITTE_ROOS_2026_NAJAAR"}) {
            const json product{{"name", name},
                               {"sku", "CHRYSANTHEMUM-INDICUM-ANASTASIA-70CM-" + std::to_string(ids.size() + 1)},
                               {"category_id", category},
                               {"base_price", 12'345.6789},
                               {"unit", "stem"},
                               {"stock_qty", 123'456'789},
                               {"image_url", picture}};
            ids.push_back(created(supplier.post("/products", product)).at("product").at("id"));
        }
        waitFor("the pictures", [&] {
            return std::ranges::all_of(ids, [&](std::int64_t id) {
                return !supplier.get("/products/" + std::to_string(id)).data().at("product").at("images").empty();
            });
        });
        const json approved{{"product_ids", {ids[0], ids[1]}}};
        CPPUNIT_ASSERT_EQUAL(200, operatorClient.post("/products/approve", approved).status);
        return ids;
    }

    /// A checked spreadsheet with a wrong row; its id.
    static std::int64_t addImport(HttpClient& supplier) {
        const auto response = supplier.postText("/products/import?dry_run=true&file_name=assortment-of-next-spring.csv",
                                                "sku,name,category,price,unit\nNEXT-1,Tulip,Cut flowers,free,stem\n",
                                                {{"Content-Type", "text/csv"}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 202, response.status);
        const std::int64_t id = response.data().at("import").at("id");
        waitFor("the check of the spreadsheet", [&] {
            return supplier.get("/imports/" + std::to_string(id)).data().at("import").at("state") == "done";
        });
        return id;
    }

    static std::int64_t addOrder(HttpClient& operatorClient, std::int64_t product, int number) {
        const json address{
            {"line1", "Utrechtsestraat 41"}, {"postal_code", "1017 VH"}, {"city", "Amsterdam"}, {"country", "NL"}};
        const json order{{"order_number", "ORDER-" + std::to_string(number)},
                         {"customer",
                          {{"company_name", "Koninklijke Bloemengroothandel De Roos-Vanderstraeten & Dochters"},
                           {"contact_name", "Sanne de Wit"},
                           {"email", "inkoop@roos.example"},
                           {"phone", "+31 20 555 0142"},
                           {"billing_address", address},
                           {"shipping_address", address}}},
                         {"items", {{{"product_id", product}, {"quantity", 20}}}}};
        return created(operatorClient.post("/orders", order)).at("order").at("groups").at(0).at("id");
    }

    /// The id under which a wrong request of the supplier's program is in his history.
    static std::int64_t addWrongRequest(HttpClient& supplier) {
        const json body{{"name", "Rosé 🌹 <b>red</b>"}, {"unit", "barrel"}, {"password", "tulips"}};
        CPPUNIT_ASSERT_EQUAL(422, supplier.post("/products", body).status);
        json found = json::array();
        waitFor("the recorded request", [&] {
            found = supplier.get("/requests?errors=true").data().at("requests");
            return !found.empty();
        });
        return found.at(0).at("id");
    }

    /// Two webhooks: one has taken stocks (that of an order just before it may be among them) and refused a price,
    /// which waits; the other has had nothing. The first one's id.
    static std::int64_t addWebhooks(HttpClient& supplier, Receiver& receiver, std::int64_t product) {
        receiver.on("/webhooks/supplierd", [](OriginConnection& connection, const Received& delivery) {
            const bool isTaken = delivery.type() == "stock.changed";
            connection.answer(isTaken ? "200 OK" : "503 Service Unavailable", isTaken ? "thanks" : "busy");
        });
        const auto add = [&](const std::string& path, const std::string& body, const json& events) {
            const json webhook{
                {"url", receiver.url(path)}, {"events", events}, {"body", body}, {"description", "The till"}};
            return created(supplier.post("/webhooks", webhook)).at("webhook").at("id").get<std::int64_t>();
        };
        const std::int64_t id = add("/webhooks/supplierd", "full", {"price.changed", "stock.changed"});
        add("/key", "thin", {"key.revoked"});
        const json stock{{"items", {{{"product_id", product}, {"stock_qty", 900}}}}};
        const json price{{"items", {{{"product_id", product}, {"base_price", 0.45}}}}};
        CPPUNIT_ASSERT_EQUAL(200, supplier.post("/stock", stock).status);
        CPPUNIT_ASSERT_EQUAL(200, supplier.post("/prices", price).status);
        waitFor("one delivery that was taken and one that was not", [&] {
            const std::string path = "/webhooks/" + std::to_string(id) + "/deliveries";
            const json all = supplier.get(path).data().at("deliveries");
            return !all.empty() && all.front().at("type") == "price.changed" && !all.front().at("response").is_null() &&
                   all.back().at("status") == "delivered";
        });
        return id;
    }
};

TEST(BrowserTest, pagesInABrowser) {
    requireBrowser();
    const std::string picture = readWholeFile(sourcePath("packaging/demo/pictures/rose-red.jpg"));
    LoopbackOrigin pictures(
        [&](OriginConnection& connection) { connection.answer("200 OK", picture, "Content-Type: image/jpeg\r\n"); });
    Receiver receiver;
    const TemporaryDirectory media;
    ServerFixture fixture(options(media.path(), pictures.port(), receiver.port()));
    auto& server = fixture.server();
    Account supplier{.email = "ann@store.example", .supplierId = server.createSupplier("Van der Berg Bloemen")};
    supplier.key = server.createKey(supplier.supplierId, {{"hourly_limit", "100000"}});
    const Account operatorAccount{.email = "olga@market.example"};
    const Account staff{.email = "staff@kwekerij.example",
                        .supplierId =
                            server.createSupplier("Koninklijke Kwekerij Van den Berghe-Vanderstraeten en Zonen B.V."),
                        .key = {},
                        .isStaff = true};
    for (const Account& account : {supplier, operatorAccount, staff})
        addUser(fixture, account);
    Account small{.email = "small@store.example", .supplierId = server.createSupplier("Small")};
    Account large{.email = "large@store.example", .supplierId = server.createSupplier("Large")};
    for (const Account& account : {small, large})
        addUser(fixture, account);
    Account twin{.email = "twin@store.example"};
    {
        auto operatorClient = server.operatorClient(server.createOperatorKey());
        const std::string path = "/suppliers/" + std::to_string(supplier.supplierId) + "/sandbox";
        twin.supplierId = created(operatorClient.post(path, json::object())).at("supplier").at("id");
    }
    addUser(fixture, twin);
    twin.key = server.createKey(twin.supplierId);
    fill(fixture, small, 100);
    fill(fixture, large, 100'000);
    std::int64_t product = 0;
    std::int64_t order = 0;
    std::int64_t request = 0;
    std::int64_t webhook = 0;
    std::int64_t import = 0;
    std::vector<std::int64_t> real;
    json ofStaff;
    const std::string pictureUrl = "http://127.0.0.1:" + std::to_string(pictures.port()) + "/rose.jpg";
    {
        auto client = server.client(supplier.key);
        auto operatorClient = server.operatorClient(server.createOperatorKey());
        product = addProducts(fixture, client, operatorClient);
        request = addWrongRequest(client);
        for (int number = 1; number <= ORDERS; ++number)
            order = addOrder(operatorClient, product, number);
        webhook = addWebhooks(client, receiver, product);
        import = addImport(client);
        real = addRealProducts(client, operatorClient, fixture.category(), pictureUrl);
        const std::string rejection = "/products/" + std::to_string(real.back()) + "/reject";
        const json reason{{"reason", "The picture shows another flower, and what the bunch weighs is missing."}};
        CPPUNIT_ASSERT_EQUAL(200, operatorClient.post(rejection, reason).status);
        auto other = server.client(server.createKey(staff.supplierId));
        const std::int64_t item = addRealProducts(other, operatorClient, fixture.category(), pictureUrl).front();
        ofStaff = {{"product", item}, {"order", addOrder(operatorClient, item, ORDERS + 1)}};
    }
    const json world{{"url", server.rootUrl()},
                     {"supplier", supplier.toJson()},
                     {"operator", operatorAccount.toJson()},
                     {"twin", twin.toJson()},
                     {"staff", staff.toJson()},
                     {"small", small.toJson()},
                     {"large", large.toJson()},
                     {"operatorKey", server.createOperatorKey({{"hourly_limit", "100000"}})},
                     {"category", fixture.category()},
                     {"product", product},
                     {"real", real.front()},
                     {"ofStaff", ofStaff},
                     {"import", import},
                     {"order", order},
                     {"request", request},
                     {"webhook", webhook},
                     {"pictureFile", sourcePath("packaging/demo/pictures/rose-red.jpg")},
                     {"picture", pictureUrl}};
    const auto file = server.directory() / "world.json";
    writeWholeFile(file, world.dump());
    const char* const part = std::getenv("DASHBOARD_TEST");
    runInBrowser(sourcePath("tests/dashboard/browser/run.js"), part ? part : "", server.rootUrl(), "dashboard",
                 {{"WORLD", file.string()}});
}

} // namespace supplierd::tests
