#include "WebhooksFixture.h"
#include "tests/plugins/orders/OrdersFixture.h"
#include "tests/support/Test.h"

#include <future>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

Receiver& receiver() {
    static Receiver one;
    return one;
}

ServerFixture& fixture() {
    static ServerFixture one(
        {.plugins = WEBHOOKS_PLUGINS, .configuration = webhooksConfiguration({receiver().port()})});
    return one;
}

namespace {

/// As large as the API takes one: a quarter of a megabyte, since each of these characters takes six bytes in JSON.
json largeProduct() {
    json variants = json::array();
    for (int i = 0; i < 100; ++i)
        variants.push_back({{"name", std::to_string(i) + std::string(250, '\x01') + "x"}});
    return {{"description", "x" + std::string(9'990, '\x01') + "x"}, {"variants", variants}};
}

} // namespace

/// What suppliers' servers are told, and how.
class DeliveryTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<WebhookClient>(); }

protected:
    /// The newest delivery, once it is in that state.
    json waitForState(std::int64_t webhook, const std::string& state) {
        json newest;
        receiver().waitUntil([&] {
            const json deliveries = _supplier->deliveries(webhook);
            newest = deliveries.empty() ? json() : deliveries.front();
            return !deliveries.empty() && newest.at("status") == state;
        });
        return newest;
    }

    std::unique_ptr<WebhookClient> _supplier;
};

TEST(DeliveryTest, changedStockIsToldSigned) {
    const std::int64_t product = idOf(_supplier->create());
    const json webhook = _supplier->addWebhook(receiver().url("/signed"));
    const std::int64_t seq = _supplier->setStock(product, 7);
    const Received delivery = receiver().waitFor("/signed", 1).front();
    CPPUNIT_ASSERT(isSignedWith(webhook.at("secret"), delivery));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, signatureCount(delivery));
    CPPUNIT_ASSERT_EQUAL(std::string("stock.changed"), delivery.type());
    CPPUNIT_ASSERT_EQUAL(json({{"change_seq", seq}, {"object", "product"}, {"all", false}, {"ids", {product}}}),
                         delivery.data());
    CPPUNIT_ASSERT_EQUAL(std::string::npos, delivery.id.find('.'));
}

TEST(DeliveryTest, deliveryIsListedWithRequestAndAnswer) {
    const std::int64_t product = idOf(_supplier->create());
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/listed")));
    _supplier->setStock(product, 7);
    const Received received = receiver().waitFor("/listed", 1).front();
    const json delivery = waitForState(webhook, "delivered");
    CPPUNIT_ASSERT_EQUAL(json(received.id), delivery.at("message_id"));
    CPPUNIT_ASSERT_EQUAL(received.body(), delivery.at("request").at("body"));
    CPPUNIT_ASSERT_EQUAL(json(1), delivery.at("attempts"));
    CPPUNIT_ASSERT_EQUAL(json(200), delivery.at("response").at("status"));
    CPPUNIT_ASSERT_EQUAL(json("thanks"), delivery.at("response").at("body"));
    CPPUNIT_ASSERT_EQUAL(json(nullptr), delivery.at("response").at("error"));
    const std::string id = std::to_string(idOf(delivery));
    CPPUNIT_ASSERT_EQUAL(delivery, dataOf(_supplier->get(pathOf(webhook, "/deliveries/" + id))).at("delivery"));
    CPPUNIT_ASSERT_EQUAL(json(0), _supplier->webhook(webhook).at("failures"));
}

TEST(DeliveryTest, bulkRequestIsOneThinDelivery) {
    const std::vector<std::int64_t> products = _supplier->fill(60);
    _supplier->addWebhook(receiver().url("/bulk"));
    json items = json::array();
    for (const std::int64_t product : products)
        items.push_back({{"product_id", product}, {"stock_qty", 3}});
    requireStatus(200, _supplier->post("/stock", {{"items", items}}));
    _supplier->setStock(products.front(), 8);
    const auto deliveries = receiver().waitFor("/bulk", 2);
    CPPUNIT_ASSERT_EQUAL(json(products), deliveries.at(0).data().at("ids"));
    CPPUNIT_ASSERT_EQUAL(json({products.front()}), deliveries.at(1).data().at("ids"));
}

TEST(DeliveryTest, fullBodyHasTheProductAsTheApiShowsIt) {
    _supplier->addWebhook(receiver().url("/full"),
                          {{"body", "full"}, {"events", {"product.created", "product.deleted"}}});
    const std::int64_t product = idOf(_supplier->create({{"sku", "A"}}));
    const Received created = receiver().waitFor("/full", 1).front();
    CPPUNIT_ASSERT_EQUAL(_supplier->read(product), created.data().at("product"));
    _supplier->remove(product);
    const Received removed = receiver().waitFor("/full", 2).at(1);
    CPPUNIT_ASSERT_EQUAL(std::string("product.deleted"), removed.type());
    CPPUNIT_ASSERT_EQUAL(json(nullptr), removed.data().at("product"));
    CPPUNIT_ASSERT_EQUAL(json({product}), removed.data().at("ids"));
}

TEST(DeliveryTest, fullBodyHasTheOrderAsItsSupplierSeesIt) {
    _supplier->addWebhook(receiver().url("/orders"),
                          {{"body", "full"}, {"events", {"order.created", "order.updated"}}});
    const std::int64_t product = idOf(_supplier->create({{"stock_qty", 100}}));
    fixture().server().approveProduct(product);
    const json placed = place({{{"product_id", product}, {"quantity", 2}}});
    const std::int64_t group = idOf(placed.at("groups").at(0));
    const Received created = receiver().waitFor("/orders", 1).front();
    CPPUNIT_ASSERT_EQUAL(std::string("order.created"), created.type());
    CPPUNIT_ASSERT_EQUAL(dataOf(_supplier->get("/orders/" + std::to_string(group))).at("order"),
                         created.data().at("order"));
    requireStatus(200, _supplier->post("/orders/" + std::to_string(group) + "/status", {{"status", "confirmed"}}));
    const Received moved = receiver().waitFor("/orders", 2).at(1);
    CPPUNIT_ASSERT_EQUAL(std::string("order.updated"), moved.type());
    CPPUNIT_ASSERT_EQUAL(json("confirmed"), moved.data().at("order").at("status"));
}

TEST(DeliveryTest, onlyWhatWasAskedForIsTold) {
    _supplier->addWebhook(receiver().url("/chosen"), {{"events", {"product.deleted", "price.changed"}}});
    const std::int64_t product = idOf(_supplier->create());
    _supplier->setStock(product, 7);
    requireStatus(200, _supplier->post("/prices", {{"items", {{{"product_id", product}, {"base_price", 2.5}}}}}));
    _supplier->remove(product);
    const auto deliveries = receiver().waitFor("/chosen", 2);
    CPPUNIT_ASSERT_EQUAL(std::string("price.changed"), deliveries.at(0).type());
    CPPUNIT_ASSERT_EQUAL(std::string("product.deleted"), deliveries.at(1).type());
}

TEST(DeliveryTest, revokedKeyIsTold) {
    _supplier->addWebhook(receiver().url("/keys"), {{"events", {"key.revoked"}}, {"body", "full"}});
    HttpClient platform = fixture().server().operatorClient(fixture().server().createOperatorKey());
    const json key = dataOf(platform.post(_supplier->path("/keys"), {{"name", "till"}}), 201).at("key");
    requireStatus(200, platform.postEmpty("/keys/" + std::to_string(idOf(key)) + "/revoke"));
    const Received delivery = receiver().waitFor("/keys", 1).front();
    CPPUNIT_ASSERT_EQUAL(json({idOf(key)}), delivery.data().at("ids"));
    CPPUNIT_ASSERT_EQUAL(json("till"), delivery.data().at("key").at("name"));
    CPPUNIT_ASSERT(!delivery.data().at("key").at("revoked_at").is_null());
}

TEST(DeliveryTest, nobodyIsToldOfOthersChanges) {
    WebhookClient other;
    _supplier->addWebhook(receiver().url("/own"));
    other.addWebhook(receiver().url("/other"));
    const std::int64_t product = idOf(other.create());
    other.setStock(product, 7);
    receiver().waitFor("/other", 1);
    _supplier->setStock(idOf(_supplier->create()), 7);
    receiver().waitFor("/own", 1);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, receiver().received("/own").size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, receiver().received("/other").size());
}

TEST(DeliveryTest, testIsDelivered) {
    const json webhook = _supplier->addWebhook(receiver().url("/test"));
    const json delivery = dataOf(_supplier->postEmpty(pathOf(idOf(webhook), "/test")), 202).at("delivery");
    CPPUNIT_ASSERT_EQUAL(json("waiting"), delivery.at("status"));
    const Received received = receiver().waitFor("/test", 1).front();
    CPPUNIT_ASSERT_EQUAL(std::string("endpoint.test"), received.type());
    CPPUNIT_ASSERT_EQUAL(delivery.at("message_id"), json(received.id));
    CPPUNIT_ASSERT(isSignedWith(webhook.at("secret"), received));
}

TEST(DeliveryTest, deliveryIsSentAgainUnderItsId) {
    const std::int64_t product = idOf(_supplier->create());
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/again"), {{"body", "full"}}));
    _supplier->setStock(product, 7);
    const json first = waitForState(webhook, "delivered");
    _supplier->update(product, {{"name", "Another name"}});
    const std::string id = std::to_string(idOf(first));
    requireStatus(202, _supplier->postEmpty(pathOf(webhook, "/deliveries/" + id + "/redeliver")));
    const auto received = receiver().waitFor("/again", 2);
    CPPUNIT_ASSERT_EQUAL(received.at(0).id, received.at(1).id);
    CPPUNIT_ASSERT_EQUAL(received.at(0).text, received.at(1).text);
}

TEST(DeliveryTest, allSinceANumberIsSentAgain) {
    const std::int64_t product = idOf(_supplier->create());
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/since")));
    const std::int64_t first = _supplier->setStock(product, 1);
    _supplier->setStock(product, 2);
    const std::int64_t last = _supplier->setStock(product, 3);
    const auto before = receiver().waitFor("/since", 3);
    const json data = dataOf(_supplier->post(pathOf(webhook, "/redeliver"), {{"since", first}}), 202);
    CPPUNIT_ASSERT_EQUAL(json({{"queued", 2}, {"last_change_seq", last}, {"has_more", false}, {"complete", true}}),
                         data);
    const auto after = receiver().waitFor("/since", 5);
    CPPUNIT_ASSERT_EQUAL(before.at(1).id, after.at(3).id);
    CPPUNIT_ASSERT_EQUAL(before.at(2).id, after.at(4).id);
}

/// A dozen megabytes that wait to be written down: others' deliveries do not wait behind them for good.
TEST(DeliveryTest, manyLargeBodiesAreRecordedTogether) {
    constexpr std::size_t PRODUCTS = 45;
    json items = json::array();
    for (std::size_t i = 0; i < PRODUCTS; ++i)
        items.push_back({{"product_id", idOf(_supplier->create(largeProduct()))}, {"stock_qty", 7}});
    std::promise<void> promise;
    receiver().on("/large-bodies", [released = promise.get_future().share()](OriginConnection& to, const Received&) {
        released.wait();
        to.answer("200 OK", "");
    });
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/large-bodies"), {{"body", "full"}}));
    requireStatus(200, _supplier->post("/stock", {{"items", items}}));
    receiver().waitFor("/large-bodies", 4);
    TestDatabase& database = _supplier->on().database();
    database.exec("BEGIN"); // nothing is recorded for now
    database.query("SELECT 1 FROM webhooks_queues WHERE endpoint_id = " + std::to_string(webhook) + " FOR UPDATE");
    promise.set_value();
    receiver().waitFor("/large-bodies", 20);
    database.exec("COMMIT");
    receiver().waitFor("/large-bodies", PRODUCTS);
    receiver().waitUntil([&] { return _supplier->webhook(webhook).at("waiting") == 0; });
    const json delivered = dataOf(_supplier->get(pathOf(webhook, "/deliveries?status=delivered&per_page=100")));
    CPPUNIT_ASSERT_EQUAL(json(PRODUCTS), delivered.at("pagination").at("total_items"));
    const json& newest = delivered.at("deliveries").at(0);
    CPPUNIT_ASSERT_EQUAL(json(nullptr), newest.at("request").at("body")); // of a list
    const json one = dataOf(_supplier->get(pathOf(webhook, "/deliveries/" + newest.at("id").dump())));
    CPPUNIT_ASSERT_EQUAL(json("stock.changed"), one.at("delivery").at("request").at("body").at("type"));
    const std::int64_t other = idOf(_supplier->addWebhook(receiver().url("/behind-large-bodies")));
    requireStatus(202, _supplier->postEmpty(pathOf(other, "/test")));
    receiver().waitFor("/behind-large-bodies", 1);
}

} // namespace supplierd::tests
