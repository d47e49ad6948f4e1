#include "InventoryFixture.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

namespace {

constexpr auto QUEUE_LIMIT = std::chrono::seconds(60);
/// Enough for the requests behind the first one to wait for it. Whether they do changes no answer.
constexpr auto A_WHILE = std::chrono::milliseconds(300);

} // namespace

/// Bulk requests that wait for the lock of their supplier's catalog and then go together.
class WaitingTogetherTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _supplier = std::make_unique<InventoryClient>();
        _a = _supplier->create({{"sku", "A"}, {"stock_qty", 10}})["id"];
        _b = _supplier->create({{"sku", "B"}, {"stock_qty", 10}})["id"];
    }

protected:
    struct Sent {
        std::string path;
        json items;
        HttpHeaders headers = {};
    };

    /// Sends all at once while this test holds the catalog's lock, and lets them go on when they wait.
    std::vector<HttpResponse> together(const std::vector<Sent>& sent) {
        TestDatabase& database = fixture().database();
        database.exec("START TRANSACTION; UPDATE supplier_state SET change_seq = change_seq WHERE supplier_id = " +
                      std::to_string(_supplier->id()));
        std::vector<std::future<HttpResponse>> pending;
        for (const Sent& one : sent)
            pending.push_back(std::async(std::launch::async, [this, &one] {
                HttpClient client = _supplier->anotherClient();
                return client.post(one.path, {{"items", one.items}}, one.headers);
            }));
        const auto deadline = std::chrono::steady_clock::now() + QUEUE_LIMIT;
        const auto isAnswered = [](const auto& one) {
            return one.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
        };
        while (!std::all_of(pending.begin(), pending.end(), isAnswered) &&
               database.integer("SELECT COUNT(*) FROM information_schema.processlist WHERE DB = DATABASE() AND "
                                "TRIM(LEADING '\n' FROM INFO) LIKE 'UPDATE supplier_state%'") == 0 &&
               std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::this_thread::sleep_for(A_WHILE);
        database.exec("ROLLBACK");
        std::vector<HttpResponse> responses;
        for (auto& one : pending) {
            responses.push_back(one.get());
            requireStatus(200, responses.back());
        }
        return responses;
    }

    std::unique_ptr<InventoryClient> _supplier;
    std::int64_t _a = 0;
    std::int64_t _b = 0;
};

TEST(WaitingTogetherTest, eachHasItsOwnOutcome) {
    const std::vector<HttpResponse> responses = together({
        {"/stock", {{{"sku", "A"}, {"stock_qty", 1}}}},
        {"/stock", {{{"sku", "NONE"}, {"stock_qty", 1}}}},
        {"/stock", {{{"sku", "A"}, {"stock_qty", 2}}, {{"sku", "B"}, {"stock_qty", -2}}}},
        {"/stock", {{{"product_id", _b}, {"stock_qty", 3}}, {{"sku", "NONE"}, {"stock_qty", 3}}}},
        {"/prices", {{{"sku", "B"}, {"base_price", nullptr}}}},
    });
    CPPUNIT_ASSERT_EQUAL(allUpdated(1), responses[0].data());
    CPPUNIT_ASSERT_EQUAL(outcome(0, {failure(0, "NONE", NOT_FOUND)}), responses[1].data());
    CPPUNIT_ASSERT_EQUAL(outcome(1, {failure(1, "B", WRONG_STOCK, "out_of_range")}), responses[2].data());
    CPPUNIT_ASSERT_EQUAL(outcome(1, {failure(1, "NONE", NOT_FOUND)}), responses[3].data());
    CPPUNIT_ASSERT_EQUAL(json(1), responses[4].data()["failed"]);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, _supplier->stockOf(_b));
    CPPUNIT_ASSERT_EQUAL(json(3), _supplier->read(_a)["version"]);
    CPPUNIT_ASSERT_EQUAL(json(2), _supplier->read(_b)["version"]);
}

TEST(WaitingTogetherTest, eachHasItsOwnNumberInTheLog) {
    const std::int64_t before = _supplier->changeSeq();
    std::vector<Sent> sent;
    for (int i = 0; i < 12; ++i)
        sent.push_back({"/stock",
                        {{{"product_id", i % 2 == 0 ? _a : _b}, {"stock_qty", 100 + i}}},
                        {{"X-Request-Id", "waiting-" + std::to_string(i)}}});
    const std::vector<HttpResponse> responses = together(sent);
    std::map<std::int64_t, int> byNumber;
    for (int i = 0; i < 12; ++i) {
        CPPUNIT_ASSERT_EQUAL(allUpdated(1), responses[static_cast<std::size_t>(i)].data());
        byNumber[std::stoll(responses[static_cast<std::size_t>(i)].header("X-Change-Seq"))] = i;
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{12}, byNumber.size());
    CPPUNIT_ASSERT_EQUAL(before + 1, byNumber.begin()->first);
    CPPUNIT_ASSERT_EQUAL(before + 12, byNumber.rbegin()->first);
    std::map<std::int64_t, std::int64_t> last;
    for (const auto& [number, i] : byNumber) {
        const std::string entry = " FROM changes WHERE supplier_id = " + std::to_string(_supplier->id()) +
                                  " AND change_seq = " + std::to_string(number);
        CPPUNIT_ASSERT_EQUAL("waiting-" + std::to_string(i), fixture().database().text("SELECT request_id" + entry));
        last[i % 2 == 0 ? _a : _b] = 100 + i;
    }
    CPPUNIT_ASSERT_EQUAL(last[_a], _supplier->stockOf(_a));
    CPPUNIT_ASSERT_EQUAL(last[_b], _supplier->stockOf(_b));
}

TEST(WaitingTogetherTest, repeatsByKeyGetTheirOwnFirstAnswers) {
    std::vector<Sent> sent;
    for (int i = 0; i < 6; ++i)
        sent.push_back({"/stock",
                        {{{"sku", "A"}, {"stock_qty", 1}, {"adjust", true}},
                         {{"sku", "NONE-" + std::to_string(i)}, {"stock_qty", 1}}},
                        {{"Idempotency-Key", "key-" + std::to_string(i)}}});
    const std::vector<HttpResponse> first = together(sent);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{16}, _supplier->stockOf(_a));
    const std::vector<HttpResponse> again = together(sent);
    for (std::size_t i = 0; i < sent.size(); ++i) {
        CPPUNIT_ASSERT_EQUAL(outcome(1, {failure(1, "NONE-" + std::to_string(i), NOT_FOUND)}), first[i].data());
        CPPUNIT_ASSERT_EQUAL(first[i].data(), again[i].data());
        CPPUNIT_ASSERT_EQUAL(std::string("true"), again[i].header("Idempotent-Replayed"));
        CPPUNIT_ASSERT_EQUAL(first[i].header("X-Change-Seq"), again[i].header("X-Change-Seq"));
    }
    CPPUNIT_ASSERT_EQUAL(std::int64_t{16}, _supplier->stockOf(_a));
}

TEST(WaitingTogetherTest, adjustmentsAndExpectationsSeeWhatCameBefore) {
    std::vector<Sent> sent;
    for (int i = 0; i < 4; ++i) {
        sent.push_back({"/stock", {{{"sku", "A"}, {"stock_qty", -4}, {"adjust", true}}}});
        sent.push_back({"/stock", {{{"sku", "B"}, {"stock_qty", 11}, {"expected_stock_qty", 10}}}});
    }
    std::array<int, 2> done{}; // of A and of B
    const std::array<json, 2> refused{outcome(0, {failure(0, "A", WRONG_STOCK, "out_of_range")}),
                                      outcome(0, {changed(0, "B", 11)})};
    const std::vector<HttpResponse> responses = together(sent);
    for (std::size_t i = 0; i < responses.size(); ++i) {
        const json data = responses[i].data();
        if (data == allUpdated(1))
            ++done[i % 2];
        else
            CPPUNIT_ASSERT_EQUAL(refused[i % 2], data);
    }
    CPPUNIT_ASSERT_EQUAL(2, done[0]);
    CPPUNIT_ASSERT_EQUAL(1, done[1]);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, _supplier->stockOf(_a));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{11}, _supplier->stockOf(_b));
}

TEST(WaitingTogetherTest, stocksAndPricesGoTogetherToo) {
    std::vector<Sent> sent;
    for (int i = 1; i <= 5; ++i) {
        sent.push_back({"/stock", {{{"sku", "A"}, {"stock_qty", i}}}});
        sent.push_back({"/prices", {{{"sku", "A"}, {"base_price", i}}}});
    }
    for (const HttpResponse& response : together(sent))
        CPPUNIT_ASSERT_EQUAL(allUpdated(1), response.data());
    CPPUNIT_ASSERT_EQUAL(json(11), _supplier->read(_a)["version"]);
}

} // namespace supplierd::tests
