#include "WebhooksFixture.h"
#include "tests/support/Test.h"
#include "tests/support/TestAuthority.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {

/// Servers with TLS: one has the name that it is called by in its certificate, the other has not.
struct SecureReceivers {
    TestAuthority authority;
    Receiver right{authority.issue("right", "IP:127.0.0.1")};
    Receiver wrong{authority.issue("wrong", "DNS:elsewhere.example")};
};

SecureReceivers& secureReceivers() {
    static SecureReceivers both;
    return both;
}

} // namespace

Receiver& receiver() {
    static Receiver one;
    return one;
}

ServerFixture& fixture() {
    static ServerFixture one(
        {.plugins = WEBHOOKS_PLUGINS,
         .configuration = webhooksConfiguration(
             {receiver().port(), secureReceivers().right.port(), secureReceivers().wrong.port()},
             "retry_for = \"3s\"\ndisable_after = \"2s\"\nmax_backlog = 100\ntrusted_certificates = \"" +
                 secureReceivers().authority.certificate() + "\"\n")});
    return one;
}

/// Endpoints that answer badly, or not at all.
class FailureTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<WebhookClient>(); }

protected:
    /// The first delivery is answered so, those after it with 200.
    static Receiver::Behaviour first(const std::function<void(OriginConnection&)>& answer) {
        auto isFirst = std::make_shared<std::atomic<bool>>(true);
        return [=](OriginConnection& to, const Received&) {
            if (isFirst->exchange(false))
                answer(to);
            else
                to.answer("200 OK", "");
        };
    }

    static Receiver::Behaviour failFirst(int count, const std::string& status) {
        auto left = std::make_shared<std::atomic<int>>(count);
        return [=](OriginConnection& to, const Received&) { to.answer((*left)-- > 0 ? status : "200 OK", ""); };
    }

    json waitUntilDisabled(std::int64_t webhook) {
        receiver().waitUntil([&] { return _supplier->webhook(webhook).at("enabled") == false; });
        return _supplier->webhook(webhook);
    }

    /// The newest delivery once it is in that state and was tried so often.
    json lastDelivery(std::int64_t webhook, const std::string& state, int attempts = 1) {
        json last;
        receiver().waitUntil([&] {
            const json deliveries = _supplier->deliveries(webhook);
            last = deliveries.empty() ? json() : deliveries.front();
            return !deliveries.empty() && last.at("status") == state && last.at("attempts") >= attempts;
        });
        return last;
    }

    std::string audited(std::int64_t webhook, const std::string& action) const {
        return fixture().database().text("SELECT COUNT(*) FROM audit_log WHERE action = '" + action +
                                         "' AND object_id = " + std::to_string(webhook));
    }

    std::unique_ptr<WebhookClient> _supplier;
};

TEST(FailureTest, whatFailsIsSentAgainWithTheSameIdAndBytes) {
    const json webhook = _supplier->addWebhook(receiver().url("/busy"), {{"body", "full"}});
    receiver().on("/busy", failFirst(2, "503 Service Unavailable"));
    const std::int64_t product = idOf(_supplier->create());
    _supplier->setStock(product, 7);
    _supplier->update(product, {{"name", "Another name"}});
    const auto deliveries = receiver().waitFor("/busy", 3);
    for (const Received& delivery : deliveries) {
        CPPUNIT_ASSERT_EQUAL(deliveries.front().id, delivery.id);
        CPPUNIT_ASSERT_EQUAL(deliveries.front().text, delivery.text);
        CPPUNIT_ASSERT(isSignedWith(webhook.at("secret"), delivery));
    }
    const json delivery = lastDelivery(idOf(webhook), "delivered");
    CPPUNIT_ASSERT_EQUAL(json(3), delivery.at("attempts"));
    CPPUNIT_ASSERT_EQUAL(json(0), _supplier->webhook(idOf(webhook)).at("failures"));
}

TEST(FailureTest, goneSwitchesTheEndpointOff) {
    receiver().on("/gone", [](OriginConnection& to, const Received&) { to.answer("410 Gone", "bye"); });
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/gone")));
    _supplier->setStock(idOf(_supplier->create()), 7);
    const json off = waitUntilDisabled(webhook);
    CPPUNIT_ASSERT_EQUAL(json("gone"), off.at("disabled_reason"));
    CPPUNIT_ASSERT_EQUAL(json("Switched off: it answered 410 Gone"), off.at("notice"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, receiver().received("/gone").size());
    CPPUNIT_ASSERT_EQUAL(json("failed"), _supplier->deliveries(webhook).front().at("status"));
    CPPUNIT_ASSERT_EQUAL(std::string("1"), audited(webhook, "webhook.disable"));
}

TEST(FailureTest, redirectIsNotFollowed) {
    receiver().on("/moved", [](OriginConnection& to, const Received&) { to.redirect(receiver().url("/there")); });
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/moved")));
    _supplier->setStock(idOf(_supplier->create()), 7);
    receiver().waitFor("/moved", 2);
    CPPUNIT_ASSERT(receiver().received("/there").empty());
    CPPUNIT_ASSERT_EQUAL(json(302), lastDelivery(webhook, "waiting").at("response").at("status"));
}

TEST(FailureTest, answerOfTenMegabytesIsTaken) {
    receiver().on("/large",
                  [](OriginConnection& to, const Received&) { to.answer("200 OK", std::string(10 << 20, 'x')); });
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/large")));
    _supplier->setStock(idOf(_supplier->create()), 7);
    const json response = lastDelivery(webhook, "delivered").at("response");
    CPPUNIT_ASSERT_EQUAL(std::string(1'000, 'x'), response.at("body").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, receiver().received("/large").size());
}

TEST(FailureTest, endpointThatNeverAnswersIsTriedAgain) {
    receiver().on("/never", [](OriginConnection& to, const Received&) { to.holdOpen(); });
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/never")));
    _supplier->setStock(idOf(_supplier->create()), 7);
    receiver().waitFor("/never", 2);
    const json delivery = lastDelivery(webhook, "waiting");
    CPPUNIT_ASSERT_EQUAL(json(nullptr), delivery.at("response").at("status"));
    CPPUNIT_ASSERT(!delivery.at("response").at("error").is_null());
    CPPUNIT_ASSERT(!_supplier->webhook(webhook).at("notice").is_null());
}

/// It took the delivery, but nobody could know: it gets it again, with the same id.
TEST(FailureTest, answerThatComesTooLateDoesNotCount) {
    receiver().on("/late", first([](OriginConnection& to) {
                      to.pause(3s); // longer than `timeout`
                      to.answer("200 OK", "thanks");
                  }));
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/late")));
    _supplier->setStock(idOf(_supplier->create()), 7);
    const auto deliveries = receiver().waitFor("/late", 2);
    CPPUNIT_ASSERT_EQUAL(deliveries.at(0).id, deliveries.at(1).id);
    CPPUNIT_ASSERT_EQUAL(json(2), lastDelivery(webhook, "delivered").at("attempts"));
}

TEST(FailureTest, answerThatIsSlowCounts) {
    receiver().on("/slow", first([](OriginConnection& to) {
                      to.pause(300ms);
                      to.answer("204 No Content", "");
                  }));
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/slow")));
    _supplier->setStock(idOf(_supplier->create()), 7);
    CPPUNIT_ASSERT_EQUAL(json(1), lastDelivery(webhook, "delivered").at("attempts"));
}

TEST(FailureTest, answersThatAreNoneAreFailures) {
    const std::vector<std::pair<std::string, std::function<void(OriginConnection&)>>> answers = {
        {"/garbage", [](OriginConnection& to) { to.send("220 mail.example ESMTP\r\n"); }},
        {"/cut", [](OriginConnection& to) { to.send("HTTP/1.1 200 OK\r\nContent-Le"); }},
        {"/empty", [](OriginConnection& to) { to.end(); }},
        {"/reset", [](OriginConnection& to) { to.reset(); }}};
    const std::int64_t product = idOf(_supplier->create());
    std::vector<std::int64_t> webhooks;
    for (const auto& [path, answer] : answers) {
        receiver().on(path, first(answer));
        webhooks.push_back(idOf(_supplier->addWebhook(receiver().url(path))));
    }
    _supplier->setStock(product, 7);
    for (const std::int64_t webhook : webhooks)
        CPPUNIT_ASSERT_EQUAL(json(2), lastDelivery(webhook, "delivered").at("attempts"));
}

TEST(FailureTest, certificateMustNameTheEndpoint) {
    const std::int64_t product = idOf(_supplier->create());
    const std::int64_t webhook = idOf(_supplier->addWebhook(secureReceivers().wrong.url("/tls")));
    _supplier->addWebhook(secureReceivers().right.url("/tls"));
    _supplier->setStock(product, 7);
    secureReceivers().right.waitFor("/tls", 1);
    const json response = lastDelivery(webhook, "waiting", 1).at("response");
    CPPUNIT_ASSERT_MESSAGE(response.dump(),
                           response.at("error").get<std::string>().starts_with("the certificate is not accepted"));
    CPPUNIT_ASSERT(secureReceivers().wrong.received("/tls").empty());
}

/// The first delivery is refused three times; what follows it about the same product waits, the other product does
/// not.
TEST(FailureTest, failedDeliveryHoldsBackItsObjectAlone) {
    const std::int64_t first = idOf(_supplier->create());
    const std::int64_t second = idOf(_supplier->create());
    receiver().on("/ordered", [=](OriginConnection& to, const Received& delivery) {
        static std::atomic<int> refused = 0;
        const bool isFirst = delivery.data().at("ids").at(0) == first;
        to.answer(isFirst && refused < 3 && ++refused > 0 ? "500 Oops" : "200 OK", "");
    });
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/ordered")));
    for (int i = 1; i <= 5; ++i) {
        _supplier->setStock(first, i);
        _supplier->setStock(second, i);
    }
    receiver().waitFor("/ordered", 13); // of nothing that is made yet nothing waits
    receiver().waitUntil([&] { return _supplier->webhook(webhook).at("waiting") == 0; });
    std::map<std::int64_t, std::vector<std::int64_t>> seqs;
    for (const Received& delivery : receiver().received("/ordered"))
        seqs[delivery.data().at("ids").at(0)].push_back(delivery.data().at("change_seq"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{8}, seqs[first].size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{5}, seqs[second].size());
    CPPUNIT_ASSERT(std::ranges::is_sorted(seqs[first]));
    CPPUNIT_ASSERT(std::ranges::is_sorted(seqs[second]));
}

/// As many as there are senders, times two.
TEST(FailureTest, hangingEndpointsSlowNobody) {
    receiver().on("/hanging", [](OriginConnection& to, const Received&) { to.holdOpen(); });
    std::vector<std::unique_ptr<WebhookClient>> others;
    for (int i = 0; i < 8; ++i) {
        WebhookClient& other = *others.emplace_back(std::make_unique<WebhookClient>());
        for (int k = 0; k < 8; ++k)
            other.addWebhook(receiver().url("/hanging"));
        for (const std::int64_t product : other.fill(4))
            other.setStock(product, 7);
    }
    receiver().waitFor("/hanging", 32);
    _supplier->addWebhook(receiver().url("/quick"));
    const std::int64_t product = idOf(_supplier->create());
    for (int i = 1; i <= 20; ++i)
        _supplier->setStock(product, i);
    receiver().waitFor("/quick", 20);
    for (const auto& other : others) {
        const json webhooks = dataOf(other->get("/webhooks")).at("webhooks");
        for (const json& webhook : webhooks)
            requireStatus(200, other->postEmpty(pathOf(idOf(webhook), "/delete")));
    }
}

/// Ten of each of four suppliers, with minutes of work for all senders; they never fail.
TEST(FailureTest, endpointsThatAreSlowNowAndThenSlowNobody) {
    std::atomic<int> taken = 0;
    receiver().on("/now-and-then", [&](OriginConnection& to, const Received&) {
        if (taken++ % 2 == 0)
            to.pause(900ms); // less than `timeout`
        to.answer("200 OK", "");
    });
    std::vector<std::unique_ptr<WebhookClient>> others;
    for (int i = 0; i < 4; ++i) {
        WebhookClient& other = *others.emplace_back(std::make_unique<WebhookClient>());
        for (int k = 0; k < 10; ++k)
            other.addWebhook(receiver().url("/now-and-then"));
        const auto products = other.fill(8);
        for (int stock = 1; stock <= 80; ++stock)
            other.setStock(products.at(static_cast<std::size_t>(stock % 8)), stock);
    }
    _supplier->addWebhook(receiver().url("/honest"));
    const std::int64_t product = idOf(_supplier->create());
    receiver().waitUntil([&] { return taken > 40; });
    for (int i = 1; i <= 10; ++i) {
        _supplier->setStock(product, i);
        receiver().waitFor("/honest", static_cast<std::size_t>(i));
    }
    CPPUNIT_ASSERT_MESSAGE(std::to_string(taken) + " of 3200 were taken first", taken < 1'600);
    for (const auto& other : others) {
        const json listed = dataOf(other->get("/webhooks"));
        for (const json& webhook : listed.at("webhooks"))
            requireStatus(200, other->postEmpty(pathOf(idOf(webhook), "/delete")));
    }
    receiver().on("/now-and-then", {});
}

TEST(FailureTest, endpointThatFailsForLongIsSwitchedOff) {
    receiver().on("/failing", [](OriginConnection& to, const Received&) { to.answer("500 Oops", ""); });
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/failing")));
    const std::int64_t product = idOf(_supplier->create());
    std::int64_t stock = 0;
    receiver().waitUntil([&] {
        const json now = _supplier->webhook(webhook);
        if (now.at("waiting") == 0)
            _supplier->setStock(product, ++stock);
        return now.at("enabled") == false;
    });
    const json off = _supplier->webhook(webhook);
    CPPUNIT_ASSERT_EQUAL(json("failing"), off.at("disabled_reason"));
    CPPUNIT_ASSERT(off.at("notice").get<std::string>().starts_with("Switched off: it has not taken a delivery"));
    CPPUNIT_ASSERT_EQUAL(std::string("1"), audited(webhook, "webhook.disable"));
}

TEST(FailureTest, endpointThatIsTooFarBehindIsSwitchedOff) {
    receiver().on("/behind", [](OriginConnection& to, const Received&) { to.holdOpen(); });
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/behind"), {{"body", "full"}}));
    json items = json::array();
    for (const std::int64_t product : _supplier->fill(120))
        items.push_back({{"product_id", product}, {"stock_qty", 3}});
    requireStatus(200, _supplier->post("/stock", {{"items", items}}));
    CPPUNIT_ASSERT_EQUAL(json("backlog"), waitUntilDisabled(webhook).at("disabled_reason"));
    CPPUNIT_ASSERT_EQUAL(std::string("1"), audited(webhook, "webhook.disable"));
}

TEST(FailureTest, deliveryFailsInTheEnd) {
    std::atomic<bool> takes = false;
    receiver().on("/too-late", [&](OriginConnection& to, const Received& delivery) {
        to.answer(delivery.type() == "price.changed" || takes ? "200 OK" : "500 Oops", "");
    });
    const std::int64_t webhook =
        idOf(_supplier->addWebhook(receiver().url("/too-late"), {{"events", {"stock.changed", "price.changed"}}}));
    const auto products = _supplier->fill(2);
    _supplier->setStock(products.at(0), 7);
    double price = 1; // which keeps the endpoint as a whole from failing
    receiver().waitUntil([&] {
        requireStatus(
            200,
            _supplier->post("/prices", {{"items", {{{"product_id", products.at(1)}, {"base_price", price += 0.25}}}}}));
        return !_supplier->deliveries(webhook, "status=failed").empty();
    });
    const json failed = _supplier->deliveries(webhook, "status=failed").front();
    CPPUNIT_ASSERT_EQUAL(json(500), failed.at("response").at("status"));
    CPPUNIT_ASSERT_EQUAL(json(true), _supplier->webhook(webhook).at("enabled"));
    takes = true;
    const std::string path = pathOf(webhook, "/deliveries/" + std::to_string(idOf(failed)) + "/redeliver");
    const json again = dataOf(_supplier->postEmpty(path), 202).at("delivery");
    receiver().waitUntil([&] {
        return dataOf(_supplier->get(pathOf(webhook, "/deliveries/" + std::to_string(idOf(again)))))
                   .at("delivery")
                   .at("status") == "delivered";
    });
    receiver().on("/too-late", {});
}

} // namespace supplierd::tests
