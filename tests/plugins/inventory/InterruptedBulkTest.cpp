#include "InventoryFixture.h"
#include "tests/support/Test.h"
#include "tests/system/faults/FaultFixture.h"

#include <Poco/Exception.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

constexpr std::array<Fault, 4> FAULTS{Fault::AfterReply, Fault::AtOnce, Fault::Late, Fault::BeforeCommand};
constexpr auto INTERRUPTION_LIMIT = std::chrono::seconds(60);

} // namespace

/// The database, or the server, goes away in the middle of bulk requests: each has its effect once, or none at all.
class InterruptedBulkTest : public CppUnit::TestFixture {
public:
    void tearDown() override {
        _client.reset();
        _fixture.reset();
    }

protected:
    /// Of every stock, by 1.
    struct Adjustment {
        std::string key;
        bool isAnswered = false;

        HttpHeaders headers() const { return {{"Idempotency-Key", key}}; }
    };

    /// What clients sent until the server was killed, somewhere or with a COMMIT that was carried out and not answered.
    std::vector<Adjustment> adjustUntilKilled(int round, bool atCommit) {
        constexpr std::size_t CLIENTS = 8;
        constexpr int ANSWERED_BEFORE = 30;
        std::atomic<int> answered{0};
        std::atomic<bool> stopping{false};
        std::vector<std::vector<Adjustment>> sent(CLIENTS);
        std::vector<std::string> complaints(CLIENTS);
        std::vector<std::thread> clients;
        for (std::size_t number = 0; number < CLIENTS; ++number)
            clients.emplace_back([&, number] {
                HttpClient client = _fixture->client();
                try {
                    while (!stopping) {
                        sent[number].push_back({std::to_string(round) + "-" + std::to_string(number) + "-" +
                                                std::to_string(sent[number].size())});
                        Adjustment& adjustment = sent[number].back();
                        const HttpResponse response =
                            client.post("/stock", {{"items", adjustments(1)}}, adjustment.headers());
                        adjustment.isAnswered = response.status == 200;
                        ++answered;
                        if (response.status != 200 || response.data() != allUpdated(_ids.size() + 1))
                            complaints[number] = response.body;
                    }
                } catch (const Poco::Exception&) {
                    // the server is gone
                }
            });
        const auto deadline = std::chrono::steady_clock::now() + INTERRUPTION_LIMIT;
        const auto awaitUntil = [&](const auto& isSo) {
            while (!isSo() && std::chrono::steady_clock::now() < deadline)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return isSo();
        };
        const int strikes = _fixture->proxy().strikes();
        bool isMet = awaitUntil([&] { return answered > ANSWERED_BEFORE; });
        if (atCommit) {
            _fixture->proxy().arm("COMMIT", Fault::Silence);
            isMet = isMet && awaitUntil([&] { return _fixture->proxy().strikes() > strikes; });
        }
        _fixture->server().kill();
        stopping = true;
        for (std::thread& client : clients)
            client.join();
        _fixture->proxy().disarm();
        CPPUNIT_ASSERT_MESSAGE("the moment did not come", isMet);
        std::vector<Adjustment> all;
        for (std::size_t number = 0; number < CLIENTS; ++number) {
            CPPUNIT_ASSERT_EQUAL(std::string(), complaints[number]);
            all.insert(all.end(), sent[number].begin(), sent[number].end());
        }
        return all;
    }

    /// Until it is answered: the server that had it first may hold its key until the lease ends.
    static HttpResponse repeat(HttpClient& client, const json& body, const HttpHeaders& key) {
        const auto deadline = std::chrono::steady_clock::now() + INTERRUPTION_LIMIT;
        HttpResponse again = client.post("/stock", body, key);
        while (again.status != 200 && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            again = client.post("/stock", body, key);
        }
        return again;
    }

    void start(bool proxied, int products) {
        FaultOptions options;
        options.proxied = proxied;
        options.pluginFiles = {ServerProcess::pluginFile("inventory")};
        _fixture = std::make_unique<FaultFixture>(options);
        _client = std::make_unique<HttpClient>(_fixture->client());
        _ids.clear();
        _ledger = 0;
        for (int i = 0; i < products; ++i) {
            json body = _fixture->product("Product " + std::to_string(i));
            body["sku"] = "P-" + std::to_string(i);
            body["stock_qty"] = 0;
            if (i == 0 && proxied)
                body["variants"] = {{{"name", "60 cm"}, {"sku", "V"}}};
            _ids.push_back(_client->post("/products", body).data()["product"]["id"]);
        }
    }

    json setAll(std::int64_t quantity) const {
        json items = json::array();
        for (const std::int64_t id : _ids)
            items.push_back({{"product_id", id}, {"stock_qty", quantity}});
        return items;
    }

    /// Of every product, by id and by SKU in turn, and of the variant.
    json adjustments(std::int64_t delta) const {
        json items{{{"sku", "V"}, {"stock_qty", delta}, {"adjust", true}}};
        for (std::size_t i = 0; i < _ids.size(); ++i) {
            items.push_back({{"stock_qty", delta}, {"adjust", true}});
            if (i % 2 == 0)
                items.back()["product_id"] = _ids[i];
            else
                items.back()["sku"] = "p-" + std::to_string(i);
        }
        return items;
    }

    void adjust(std::int64_t delta, const std::string& key) {
        const HttpHeaders headers = key.empty() ? HttpHeaders{} : HttpHeaders{{"Idempotency-Key", key}};
        // The database is there all the time: every outcome can be found out.
        CPPUNIT_ASSERT_EQUAL(allUpdated(_ids.size() + 1), bulk(*_client, "/stock", adjustments(delta), headers));
        _ledger += delta;
        if (!key.empty())
            CPPUNIT_ASSERT_EQUAL(allUpdated(_ids.size() + 1), bulk(*_client, "/stock", adjustments(delta), headers));
    }

    void requireLedger() {
        for (const TestRow& row :
             _fixture->database().query("SELECT stock_qty FROM products UNION ALL SELECT stock_qty "
                                        "FROM product_variants"))
            CPPUNIT_ASSERT_EQUAL(_ledger, std::int64_t{std::stoll(*row[0])});
    }

    /// Kills the database while it carries out the set statement of a request, and some were acknowledged before.
    void killInTheMiddle(const std::atomic<std::int64_t>& acknowledged, std::atomic<bool>& stopping) {
        const auto deadline = std::chrono::steady_clock::now() + INTERRUPTION_LIMIT;
        try {
            while (acknowledged == 0 ||
                   _fixture->database().integer("SELECT COUNT(*) FROM information_schema.processlist "
                                                "WHERE INFO LIKE 'UPDATE products%'") == 0)
                if (std::chrono::steady_clock::now() > deadline)
                    throw std::runtime_error("no set statement was ever seen");
        } catch (...) {
            stopping = true;
            throw;
        }
        _fixture->mariaDb().kill();
    }

    std::unique_ptr<FaultFixture> _fixture;
    std::unique_ptr<HttpClient> _client;
    std::vector<std::int64_t> _ids;
    std::int64_t _ledger = 0;
};

TEST(InterruptedBulkTest, aKilledDatabaseLeavesNothingHalfDone) {
    start(false, 400);
    for (int round = 0; round < 4; ++round) {
        std::atomic<std::int64_t> sent{1000 * round};
        std::atomic<std::int64_t> acknowledged{0};
        std::atomic<bool> stopping{false};
        std::string complaint;
        std::thread load([&] {
            HttpClient client = _fixture->client();
            while (!stopping) {
                const HttpResponse response = client.post("/stock", {{"items", setAll(++sent)}});
                if (response.status == 200 && response.data() == allUpdated(_ids.size()))
                    acknowledged = sent.load();
                else if (response.status != 503)
                    complaint = response.body;
                if (response.status != 200)
                    return;
            }
        });
        killInTheMiddle(acknowledged, stopping);
        stopping = true;
        load.join();
        _fixture->mariaDb().start();
        CPPUNIT_ASSERT_EQUAL(std::string(), complaint);
        const auto stocks = _fixture->database().query("SELECT DISTINCT stock_qty, change_seq FROM products");
        CPPUNIT_ASSERT_EQUAL_MESSAGE("half of a request", std::size_t{1}, stocks.size());
        const std::int64_t stock = std::stoll(*stocks[0][0]);
        CPPUNIT_ASSERT_MESSAGE("an acknowledged request is lost", stock >= acknowledged);
        CPPUNIT_ASSERT_MESSAGE("a stock that nobody has sent", stock <= sent);
        CPPUNIT_ASSERT_EQUAL(_fixture->database().integer("SELECT MAX(change_seq) FROM supplier_state"),
                             std::int64_t{std::stoll(*stocks[0][1])});
    }
    _fixture->server().waitUntilReady();
    CPPUNIT_ASSERT_EQUAL(allUpdated(_ids.size()), bulk(*_client, "/stock", setAll(5)));
    _fixture->requireTrueNumbers();
}

TEST(InterruptedBulkTest, aLostAnswerToCommitAdjustsOnce) {
    start(true, 6);
    constexpr int ROUNDS = 96;
    for (int i = 0; i < ROUNDS; ++i) {
        _fixture->proxy().arm("COMMIT", FAULTS[static_cast<std::size_t>(i / 2) % FAULTS.size()]);
        adjust(i + 1, i % 2 == 0 ? "round-" + std::to_string(i) : std::string());
        requireLedger();
    }
    CPPUNIT_ASSERT_EQUAL(ROUNDS, _fixture->proxy().strikes());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{ROUNDS + 1}, _fixture->database().integer("SELECT MAX(version) FROM products"));
    _fixture->requireTrueNumbers();
}

TEST(InterruptedBulkTest, aCutAtAnyStatementAdjustsOnce) {
    start(true, 6);
    int number = 0;
    for (const char* statement :
         {"START TRANSACTION", "SELECT STRAIGHT_JOIN", "UPDATE supplier_state", "UPDATE products FORCE",
          "UPDATE product_variants FORCE", "INTO operations", "INTO idempotency_keys", "UPDATE idempotency_keys"})
        for (const Fault fault : FAULTS)
            for (const bool withKey : {false, true}) {
                ++number;
                _fixture->proxy().arm(statement, fault);
                adjust(number, withKey ? "cut-" + std::to_string(number) : std::string());
                _fixture->proxy().disarm();
                requireLedger();
            }
    // Some statements are those of requests with a key only, or without.
    CPPUNIT_ASSERT_MESSAGE("hardly a statement was met", _fixture->proxy().strikes() >= number * 3 / 4);
    _fixture->requireTrueNumbers();
}

/// Requests that wait for one another are committed together: an answer to COMMIT that is lost is lost to all.
TEST(InterruptedBulkTest, cutCommitsOfManyClientsCountEachOnce) {
    start(true, 6);
    constexpr int CLIENTS = 8;
    constexpr int REQUESTS = 15;
    std::atomic<int> running{CLIENTS};
    std::vector<std::string> complaints(CLIENTS);
    std::vector<std::thread> clients;
    for (int number = 0; number < CLIENTS; ++number)
        clients.emplace_back([&, number] {
            HttpClient client = _fixture->client();
            for (int i = 0; i < REQUESTS; ++i) {
                const std::string key = std::to_string(number) + "-" + std::to_string(i);
                const HttpHeaders headers = i % 2 == 0 ? HttpHeaders{} : HttpHeaders{{"Idempotency-Key", key}};
                const HttpResponse response = client.post("/stock", {{"items", adjustments(1)}}, headers);
                if (response.status != 200 || response.data() != allUpdated(_ids.size() + 1))
                    complaints[static_cast<std::size_t>(number)] = response.body;
            }
            --running;
        });
    for (std::size_t round = 0; running > 0; ++round) {
        const int strikes = _fixture->proxy().strikes();
        _fixture->proxy().arm("COMMIT", FAULTS[round % FAULTS.size()]);
        while (running > 0 && _fixture->proxy().strikes() == strikes)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    for (std::thread& client : clients)
        client.join();
    _fixture->proxy().disarm();
    for (const std::string& complaint : complaints)
        CPPUNIT_ASSERT_EQUAL(std::string(), complaint);
    CPPUNIT_ASSERT_MESSAGE("no COMMIT was cut", _fixture->proxy().strikes() > 0);
    _ledger = CLIENTS * REQUESTS;
    requireLedger();
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1 + CLIENTS * REQUESTS},
                         _fixture->database().integer("SELECT MAX(version) FROM products"));
    _fixture->requireTrueNumbers();
}

/// They are committed together: none of those that a killed server had answered is lost, none is there by half, and
/// a repeat does what was not done, whether the group was committed or not.
TEST(InterruptedBulkTest, aKilledServerCountsEachOfManyClientsOnce) {
    start(true, 6);
    constexpr int ROUNDS = 4;
    constexpr int MOST_ROUNDS = 20; // for one in which some went together
    std::int64_t doneUnanswered = 0;
    int committed = 0;
    for (int round = 0; round < ROUNDS || (doneUnanswered <= committed && round < MOST_ROUNDS); ++round) {
        // Every other one is killed when the database has committed and the server does not know it.
        const bool isCommitted = round % 2 == 0;
        const std::vector<Adjustment> sent = adjustUntilKilled(round, isCommitted);
        _fixture->server().start();
        const auto answered = std::count_if(sent.begin(), sent.end(), std::mem_fn(&Adjustment::isAnswered));
        const auto stocks = _fixture->database().query("SELECT stock_qty FROM products UNION SELECT stock_qty "
                                                       "FROM product_variants");
        CPPUNIT_ASSERT_EQUAL_MESSAGE("half of a request", std::size_t{1}, stocks.size());
        const std::int64_t done = std::stoll(*stocks[0][0]) - _ledger;
        CPPUNIT_ASSERT_MESSAGE("an acknowledged request is lost", done >= answered);
        if (isCommitted) {
            ++committed;
            doneUnanswered += done - answered;
        }
        HttpClient client = _fixture->client();
        for (const Adjustment& adjustment : sent) {
            const HttpResponse again = repeat(client, {{"items", adjustments(1)}}, adjustment.headers());
            CPPUNIT_ASSERT_EQUAL_MESSAGE(again.body, allUpdated(_ids.size() + 1), again.data());
            CPPUNIT_ASSERT(!adjustment.isAnswered || again.hasHeader("Idempotent-Replayed"));
        }
        _ledger += static_cast<std::int64_t>(sent.size());
        requireLedger();
    }
    CPPUNIT_ASSERT_MESSAGE("none went together", doneUnanswered > committed);
    _fixture->requireTrueNumbers();
}

TEST(InterruptedBulkTest, anUnknownOutcomeIsFoundOutByTheRepeat) {
    start(true, 6);
    const HttpHeaders key{{"Idempotency-Key", "unknown"}};
    const json body{{"items", adjustments(7)}};
    _fixture->proxy().arm("COMMIT", Fault::AfterReply);
    _fixture->proxy().refuseConnectionsFromNextFault();
    const HttpResponse unknown = _fixture->client().post("/stock", body, key);
    _fixture->proxy().refuseConnections(false);
    requireStatus(503, unknown);
    HttpClient client = _fixture->client();
    const HttpResponse again = repeat(client, body, key);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(again.body, allUpdated(7), again.data());
    _ledger += 7;
    requireLedger();
}

} // namespace supplierd::tests
