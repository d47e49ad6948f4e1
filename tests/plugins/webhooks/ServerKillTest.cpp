#include "WebhooksFixture.h"
#include "tests/support/Test.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

/// Two servers on one database, one of which is killed again and again while a supplier works.
class ServerKillTest : public CppUnit::TestFixture {
protected:
    static constexpr int PRODUCTS = 6;
    static constexpr int KILLS = 4;
    static constexpr std::size_t CHANGES_BETWEEN = 60;

public:
    void setUp() override {
        _receiver = std::make_unique<Receiver>();
        const ServerOptions options{.plugins = WEBHOOKS_PLUGINS,
                                    .configuration = webhooksConfiguration({_receiver->port()})};
        _first = std::make_unique<ServerFixture>(options);
        _second = std::make_unique<ServerProcess>(_first->database(), options);
        _supplier = std::make_unique<WebhookClient>(SupplierOptions{}, *_first);
    }

protected:
    /// By both endpoints: one is thin, one is full.
    void requireAll(const std::set<std::int64_t>& acknowledged) {
        std::map<bool, std::set<std::int64_t>> told;
        for (const Received& delivery : _receiver->received("/kill"))
            told[delivery.data().contains("product")].insert(delivery.data().at("change_seq").get<std::int64_t>());
        for (const bool isFull : {false, true})
            for (const std::int64_t seq : acknowledged)
                CPPUNIT_ASSERT_MESSAGE("change " + std::to_string(seq) + " was not told", told[isFull].contains(seq));
    }

    /// What comes a second time is known by its id, has the same bytes, and belongs to no order.
    void requireOrder() {
        std::map<std::pair<bool, std::int64_t>, std::int64_t> last;
        std::map<std::pair<std::string, bool>, std::string> texts;
        for (const Received& delivery : _receiver->received("/kill")) {
            const json data = delivery.data();
            const std::int64_t seq = data.at("change_seq");
            const auto [known, isNew] = texts.try_emplace({delivery.id, data.contains("product")}, delivery.text);
            CPPUNIT_ASSERT_EQUAL(known->second, delivery.text);
            if (!isNew)
                continue;
            std::int64_t& before = last[{data.contains("product"), data.at("ids").at(0).get<std::int64_t>()}];
            CPPUNIT_ASSERT_MESSAGE(delivery.text, seq > before);
            before = seq;
        }
    }

    std::unique_ptr<Receiver> _receiver;
    std::unique_ptr<ServerFixture> _first;
    std::unique_ptr<ServerProcess> _second;
    std::unique_ptr<WebhookClient> _supplier;
};

TEST(ServerKillTest, everyAcknowledgedChangeIsToldInOrder) {
    const std::vector<std::int64_t> products = _supplier->fill(PRODUCTS);
    // Every seventh is refused once, so that something always waits.
    std::mutex mutex;
    std::set<std::string> seen;
    _receiver->on("/kill", [&](OriginConnection& to, const Received& delivery) {
        bool isRefused = false;
        {
            const std::lock_guard lock(mutex);
            isRefused = seen.insert(delivery.id).second && seen.size() % 7 == 0;
        }
        to.answer(isRefused ? "500 Oops" : "200 OK", "");
    });
    for (const std::string body : {"thin", "full"})
        _supplier->addWebhook(_receiver->url("/kill"), {{"body", body}});

    std::atomic<bool> isDone = false;
    std::atomic<std::size_t> count = 0;
    std::set<std::int64_t> acknowledged;
    std::thread writer([&] { // on the server that stays
        HttpClient client = _second->client(_supplier->key());
        for (int i = 1; !isDone; ++i) {
            const HttpResponse response = client.post(
                "/stock",
                {{"items", {{{"product_id", products.at(static_cast<std::size_t>(i % PRODUCTS))}, {"stock_qty", i}}}}});
            if (response.status == 200)
                acknowledged.insert(std::stoll(response.header("X-Change-Seq")));
            ++count;
        }
    });
    for (int i = 0; i < KILLS; ++i) {
        const std::size_t until = count + CHANGES_BETWEEN;
        _receiver->waitUntil([&] { return count >= until; });
        _first->server().kill();
        // Had it the reader of changes, the other one would take over in a minute.
        _first->database().exec("UPDATE jobs SET lease_until = NOW(6) - INTERVAL 1 SECOND WHERE plugin = 'webhooks'");
        _first->server().start();
    }
    isDone = true;
    writer.join();
    CPPUNIT_ASSERT(acknowledged.size() > CHANGES_BETWEEN);
    _receiver->waitUntil([&] {
        return _first->database().integer("SELECT COUNT(*) FROM webhooks_deliveries WHERE state = 1") >=
               static_cast<std::int64_t>(2 * acknowledged.size());
    });
    requireAll(acknowledged);
    requireOrder();
}

/// Nobody has noted that it was sent, and the product is another one by then.
TEST(ServerKillTest, whatWasSentBeforeAKillHasTheSameBytesAfterIt) {
    std::atomic<bool> isUp = false;
    _receiver->on("/cut", [&](OriginConnection& to, const Received&) {
        if (!isUp)
            to.holdOpen();
        to.answer("200 OK", "");
    });
    _supplier->addWebhook(_receiver->url("/cut"), {{"body", "full"}});
    const std::int64_t product = _supplier->fill(1).front();
    _supplier->setStock(product, 7);
    _receiver->waitFor("/cut", 1);
    _first->server().kill();
    _second->kill();
    _first->database().exec("UPDATE products SET name = 'Another name' WHERE id = " + std::to_string(product));
    isUp = true;
    _first->server().start();
    const auto deliveries = _receiver->waitFor("/cut", 2);
    CPPUNIT_ASSERT_EQUAL(deliveries.at(0).id, deliveries.at(1).id);
    CPPUNIT_ASSERT_EQUAL(deliveries.at(0).text, deliveries.at(1).text);
}

TEST(ServerKillTest, secretsChangeUnderLoad) {
    const std::vector<std::int64_t> products = _supplier->fill(PRODUCTS);
    const json webhook = _supplier->addWebhook(_receiver->url("/secrets"));
    std::vector<std::string> secrets{webhook.at("secret")};
    std::size_t changes = 0;
    for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < 20; ++i, ++changes)
            _supplier->setStock(products.at(static_cast<std::size_t>(i) % products.size()), round * 100 + i + 1);
        secrets.push_back(
            dataOf(_supplier->postEmpty(pathOf(idOf(webhook), "/rotate-secret"))).at("webhook").at("secret"));
    }
    for (const Received& delivery : _receiver->waitFor("/secrets", changes))
        CPPUNIT_ASSERT_MESSAGE(delivery.text, std::ranges::any_of(secrets, [&](const std::string& secret) {
                                   return isSignedWith(secret, delivery);
                               }));
    _supplier->setStock(products.front(), 999'999);
    const Received last = _receiver->waitFor("/secrets", changes + 1).back();
    CPPUNIT_ASSERT(isSignedWith(secrets.back(), last));
    CPPUNIT_ASSERT(isSignedWith(secrets.at(secrets.size() - 2), last));
}

} // namespace supplierd::tests
