#include "WebhooksFixture.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <atomic>
#include <memory>
#include <string>

namespace supplierd::tests {

/// Webhooks as their owner registers, changes and deletes them.
class EndpointTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<WebhookClient>(); }

protected:
    /// With another key of the same supplier.
    HttpClient clientWith(const std::string& scopes) {
        ServerProcess& server = fixture().server();
        return server.client(server.createKey(_supplier->id(), {{"scopes", "'" + scopes + "'"}}));
    }

    std::unique_ptr<WebhookClient> _supplier;
};

TEST(EndpointTest, secretIsShownOnceAndNeverReplayed) {
    const json body = {{"url", receiver().url("/once")}, {"events", {"stock.changed"}}};
    const HttpHeaders key = {{"Idempotency-Key", "once-" + std::to_string(_supplier->id())}};
    const json webhook = dataOf(_supplier->post("/webhooks", body, key), 201).at("webhook");
    CPPUNIT_ASSERT(webhook.at("secret").get<std::string>().starts_with("whsec_"));
    requireProblems(_supplier->post("/webhooks", body, key), {"Idempotency-Key:duplicate"});
    CPPUNIT_ASSERT(!_supplier->webhook(idOf(webhook)).contains("secret"));
    const json all = dataOf(_supplier->get("/webhooks"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, all.at("webhooks").size());
    CPPUNIT_ASSERT(!all.at("webhooks").at(0).contains("secret"));
    CPPUNIT_ASSERT_EQUAL(json(1), all.at("pagination").at("total_items"));
}

TEST(EndpointTest, everyProblemOfARegistrationIsTold) {
    requireProblems(_supplier->post("/webhooks", json::object()), {"url:required", "events:required"});
    requireProblems(_supplier->post("/webhooks", {{"url", "ftp://127.0.0.1/"},
                                                  {"events", {"stock.changed", "stock.sold", 7}},
                                                  {"body", "fat"},
                                                  {"enabled", "yes"},
                                                  {"description", std::string(300, 'x')}}),
                    {"url:unsupported", "events[1]:not_in_set", "events[2]:not_in_set", "body:not_in_set",
                     "enabled:type", "description:too_long"});
    requireProblems(_supplier->post("/webhooks", {{"url", receiver().url("/")}, {"events", json::array()}}),
                    {"events:required"});
    const auto unknown = _supplier->post("/webhooks", {{"url", receiver().url("/")}, {"events", {"endpoint.test"}}});
    requireProblems(unknown, {"events[0]:not_in_set"});
    const auto message = unknown.error().at("details").at(0).at("message").get<std::string>();
    CPPUNIT_ASSERT_MESSAGE(message, message.starts_with("events[0] must be one of product.created, product.updated, "));
}

TEST(EndpointTest, innerAddressesAreRefused) {
    for (const std::string url : {"http://10.0.0.1/", "http://169.254.169.254/latest", "http://localhost:1/",
                                  "http://user:password@127.0.0.1/", "http://127.0.0.1:1/"})
        requireProblems(_supplier->post("/webhooks", {{"url", url}, {"events", {"stock.changed"}}}),
                        {"url:unsupported"});
}

TEST(EndpointTest, webhookIsChangedInPart) {
    const json made = _supplier->addWebhook(receiver().url("/part"), {{"description", "till"}});
    json expected = made;
    expected.erase("secret");
    CPPUNIT_ASSERT_EQUAL(expected, _supplier->webhook(idOf(made)));
    json changed = _supplier->changeWebhook(idOf(made), {{"body", "full"}, {"description", nullptr}});
    CPPUNIT_ASSERT_EQUAL(json("full"), changed.at("body"));
    CPPUNIT_ASSERT_EQUAL(json(nullptr), changed.at("description"));
    CPPUNIT_ASSERT_EQUAL(made.at("events"), changed.at("events"));
    CPPUNIT_ASSERT_EQUAL(made.at("url"), changed.at("url"));
    changed = _supplier->changeWebhook(idOf(made), {{"events", {"order.created", "stock.changed"}}});
    CPPUNIT_ASSERT_EQUAL(json({"stock.changed", "order.created"}), changed.at("events"));
    requireProblems(_supplier->post(pathOf(idOf(made)), {{"url", ""}}), {"url:required"});
}

TEST(EndpointTest, othersWebhooksAreNotThere) {
    const std::int64_t webhook = idOf(WebhookClient().addWebhook(receiver().url("/others")));
    requireError(404, "NOT_FOUND", _supplier->get(pathOf(webhook)));
    requireError(404, "NOT_FOUND", _supplier->post(pathOf(webhook), {{"body", "full"}}));
    for (const std::string rest : {"/delete", "/rotate-secret", "/test", "/deliveries/1/redeliver"})
        requireError(404, "NOT_FOUND", _supplier->postEmpty(pathOf(webhook, rest)));
    requireError(404, "NOT_FOUND", _supplier->post(pathOf(webhook, "/redeliver"), {{"since", 0}}));
    requireError(404, "NOT_FOUND", _supplier->get(pathOf(webhook, "/deliveries")));
}

TEST(EndpointTest, scopesAreAskedFor) {
    WebhookClient reader({.scopes = "webhooks:read"});
    requireStatus(200, reader.get("/webhooks"));
    requireForbidden("scope", reader.post("/webhooks", json::object()));
    WebhookClient writer({.scopes = "webhooks:write"});
    requireForbidden("scope", writer.get("/webhooks"));
}

TEST(EndpointTest, fullBodyNeedsTheScopesOfWhatItShows) {
    const auto full = [](const std::string& event) {
        return json{{"url", receiver().url("/scopes")}, {"events", {event}}, {"body", "full"}};
    };
    HttpClient narrow = clientWith("webhooks:read webhooks:write");
    requireForbidden("scope", narrow.post("/webhooks", full("order.created")));
    requireForbidden("scope", narrow.post("/webhooks", full("stock.changed")));
    CPPUNIT_ASSERT_EQUAL(json(0), dataOf(_supplier->get("/webhooks")).at("pagination").at("total_items"));
    dataOf(narrow.post("/webhooks", full("key.revoked")), 201);
    HttpClient readsOrders = clientWith("webhooks:write orders:read");
    dataOf(readsOrders.post("/webhooks", full("order.created")), 201);
    requireForbidden("scope", readsOrders.post("/webhooks", full("product.created")));

    json thin = full("order.created");
    thin["body"] = "thin"; // which names what changed, and shows nothing of it
    const std::int64_t made = idOf(dataOf(narrow.post("/webhooks", thin), 201).at("webhook"));
    requireForbidden("scope", narrow.post(pathOf(made), {{"body", "full"}}));
    CPPUNIT_ASSERT_EQUAL(json("thin"), _supplier->webhook(made).at("body"));
    const json others = dataOf(_supplier->post("/webhooks", full("order.created")), 201).at("webhook");
    requireForbidden("scope", narrow.post(pathOf(idOf(others)), {{"url", receiver().url("/stolen")}}));
    CPPUNIT_ASSERT_EQUAL(others.at("url"), _supplier->webhook(idOf(others)).at("url"));
}

TEST(EndpointTest, bodiesAreHiddenFromWhoMayNotReadWhatTheyShow) {
    const std::int64_t product = idOf(_supplier->create());
    receiver().on("/hidden", [](OriginConnection& to, const Received& delivery) {
        to.answer("200 OK", delivery.text); // which shows it, too
    });
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/hidden"), {{"body", "full"}}));
    _supplier->setStock(product, 7);
    receiver().waitUntil([&] { return !_supplier->deliveries(webhook, "status=delivered").empty(); });
    const json shown = _supplier->deliveries(webhook).at(0);
    CPPUNIT_ASSERT_EQUAL(json(product), shown.at("request").at("body").at("data").at("product").at("id"));
    CPPUNIT_ASSERT(!shown.at("request").contains("needs_scope"));
    HttpClient narrow = clientWith("webhooks:read webhooks:write");
    const std::string path = pathOf(webhook, "/deliveries/" + std::to_string(idOf(shown)));
    for (const json& hidden :
         {dataOf(narrow.get(pathOf(webhook, "/deliveries"))).at("deliveries").at(0),
          dataOf(narrow.get(path)).at("delivery"), dataOf(narrow.postEmpty(path + "/redeliver"), 202).at("delivery")}) {
        CPPUNIT_ASSERT_EQUAL(json(nullptr), hidden.at("request").at("body"));
        CPPUNIT_ASSERT_EQUAL(json("products:read"), hidden.at("request").at("needs_scope"));
        CPPUNIT_ASSERT_EQUAL(std::string::npos, hidden.dump().find("\"product\":"));
    }
    CPPUNIT_ASSERT_EQUAL(json(200), dataOf(narrow.get(path)).at("delivery").at("response").at("status"));
    HttpClient readsProducts = clientWith("webhooks:read products:read");
    CPPUNIT_ASSERT_EQUAL(shown, dataOf(readsProducts.get(path)).at("delivery"));
}

TEST(EndpointTest, thereAreNoMoreThanTheLimit) {
    std::atomic<int> made = 0;
    together(14, [&](int) {
        HttpClient client = _supplier->anotherClient();
        const HttpResponse response =
            client.post("/webhooks", {{"url", receiver().url("/many")}, {"events", {"stock.changed"}}});
        made += response.status == 201 ? 1 : 0;
    });
    CPPUNIT_ASSERT(made <= 10);
    while (_supplier->post("/webhooks", {{"url", receiver().url("/many")}, {"events", {"stock.changed"}}}).status ==
           201)
        ++made;
    CPPUNIT_ASSERT_EQUAL(10, made.load());
    CPPUNIT_ASSERT_EQUAL(json(10), dataOf(_supplier->get("/webhooks")).at("pagination").at("total_items"));
}

TEST(EndpointTest, deletedWebhookIsGone) {
    const std::int64_t product = idOf(_supplier->create());
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/deleted")));
    _supplier->addWebhook(receiver().url("/staying"));
    requireStatus(200, _supplier->postEmpty(pathOf(webhook, "/delete")));
    requireError(404, "NOT_FOUND", _supplier->get(pathOf(webhook)));
    requireError(404, "NOT_FOUND", _supplier->postEmpty(pathOf(webhook, "/delete")));
    _supplier->setStock(product, 7);
    receiver().waitFor("/staying", 1);
    CPPUNIT_ASSERT(receiver().received("/deleted").empty());
}

TEST(EndpointTest, bothSecretsSignAfterARotation) {
    const std::int64_t product = idOf(_supplier->create());
    const json first = _supplier->addWebhook(receiver().url("/rotated"));
    const json second = dataOf(_supplier->postEmpty(pathOf(idOf(first), "/rotate-secret"))).at("webhook");
    CPPUNIT_ASSERT(first.at("secret") != second.at("secret"));
    CPPUNIT_ASSERT(!second.at("old_secret_until").is_null());
    _supplier->setStock(product, 7);
    const Received delivery = receiver().waitFor("/rotated", 1).front();
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, signatureCount(delivery));
    CPPUNIT_ASSERT(isSignedWith(first.at("secret"), delivery));
    CPPUNIT_ASSERT(isSignedWith(second.at("secret"), delivery));
}

TEST(EndpointTest, secondRotationInARowEndsTheFirstSecret) {
    const std::int64_t product = idOf(_supplier->create());
    const json first = _supplier->addWebhook(receiver().url("/rotated-twice"));
    const auto rotate = [&] {
        return dataOf(_supplier->postEmpty(pathOf(idOf(first), "/rotate-secret"))).at("webhook").at("secret");
    };
    const json second = rotate();
    const json third = rotate();
    _supplier->setStock(product, 7);
    const Received delivery = receiver().waitFor("/rotated-twice", 1).front();
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, signatureCount(delivery));
    CPPUNIT_ASSERT(isSignedWith(second, delivery) && isSignedWith(third, delivery));
    CPPUNIT_ASSERT(!isSignedWith(first.at("secret"), delivery));
}

TEST(EndpointTest, disabledWebhookIsNotCalled) {
    const std::int64_t product = idOf(_supplier->create());
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/off"), {{"enabled", false}}));
    const json off = _supplier->webhook(webhook);
    CPPUNIT_ASSERT_EQUAL(json(false), off.at("enabled"));
    CPPUNIT_ASSERT_EQUAL(json("owner"), off.at("disabled_reason"));
    requireProblems(_supplier->postEmpty(pathOf(webhook, "/test")), {":unsupported"});
    const std::int64_t seq = _supplier->setStock(product, 7);
    _supplier->addWebhook(receiver().url("/on"));
    _supplier->setStock(product, 8);
    receiver().waitFor("/on", 1); // what came before was looked at, too
    CPPUNIT_ASSERT_EQUAL(json(nullptr), _supplier->changeWebhook(webhook, {{"enabled", true}}).at("disabled_reason"));
    requireStatus(202, _supplier->post(pathOf(webhook, "/redeliver"), {{"since", seq - 1}}));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, receiver().waitFor("/off", 2).size());
}

TEST(EndpointTest, whatIsDoneIsInTheAuditLog) {
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/audited")));
    _supplier->changeWebhook(webhook, {{"description", "till"}});
    _supplier->changeWebhook(webhook, {{"description", "till"}});
    requireStatus(200, _supplier->postEmpty(pathOf(webhook, "/rotate-secret")));
    requireStatus(200, _supplier->postEmpty(pathOf(webhook, "/delete")));
    HttpClient platform = fixture().server().operatorClient(fixture().server().createOperatorKey());
    const json entries = dataOf(platform.get("/audit?object=webhook&id=" + std::to_string(webhook))).at("entries");
    std::string actions;
    for (const json& entry : entries)
        actions = entry.at("action").get<std::string>() + " " + actions;
    CPPUNIT_ASSERT_EQUAL(std::string("webhook.create webhook.update webhook.rotate webhook.delete "), actions);
    CPPUNIT_ASSERT_EQUAL(std::string::npos, entries.dump().find("whsec_"));
}

} // namespace supplierd::tests
