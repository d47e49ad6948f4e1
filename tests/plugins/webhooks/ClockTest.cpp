#include "WebhooksFixture.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Control.h"
#include "tests/support/Test.h"

#include <atomic>
#include <memory>
#include <string>

namespace supplierd::tests {

/// The database's clock, by which deliveries wait, is set. A test cannot do that, so it sets all times that are in the
/// database the other way, which is the same to everybody who compares them with the clock.
class ClockTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<WebhookClient>(); }

protected:
    /// So many, and the next attempt is so far away that the server gives the endpoint back.
    static constexpr std::size_t FAILURES = 4;

    std::int64_t failUntilGivenBack(const std::string& path) {
        auto left = std::make_shared<std::atomic<int>>(FAILURES);
        receiver().on(path, [left](OriginConnection& to, const Received&) {
            to.answer((*left)-- > 0 ? "500 Oops" : "200 OK", "");
        });
        const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url(path)));
        _supplier->setStock(idOf(_supplier->create()), 7);
        receiver().waitUntil([&] {
            return fixture().database().integer("SELECT COUNT(*) FROM webhooks_queues WHERE failures = 4 AND "
                                                "lease_owner IS NULL AND endpoint_id = " +
                                                std::to_string(webhook)) == 1;
        });
        return webhook;
    }

    static void setClock(const std::string& by) {
        const std::string back = " - INTERVAL " + by;
        std::string sql =
            "START TRANSACTION; UPDATE webhooks_clock SET seen_at = seen_at" + back + ", ran_at = ran_at" + back + ";";
        sql += "UPDATE webhooks_queues SET wake_at = wake_at" + back + ", lease_until = lease_until" + back +
               ", failing_since = failing_since" + back + ", failing_from = failing_from" + back +
               ", paused_until = paused_until" + back + ", delivered_at = delivered_at" + back + ";";
        sql += "UPDATE webhooks_deliveries SET created_at = created_at" + back + ", due_at = due_at" + back +
               ", expires_at = expires_at" + back + ", attempted_at = attempted_at" + back + ";";
        sql += "UPDATE jobs SET next_at = next_at" + back + ", lease_until = lease_until" + back + "; COMMIT";
        fixture().database().exec(sql);
    }

    std::unique_ptr<WebhookClient> _supplier;
};

/// Without a word about it the delivery would wait for an hour, longer than the test does.
TEST(ClockTest, clockThatIsPutBackStallsNothing) {
    const std::int64_t webhook = failUntilGivenBack("/back");
    setClock("-1 HOUR");
    receiver().waitFor("/back", FAILURES + 1);
    receiver().waitUntil([&] { return _supplier->webhook(webhook).at("waiting") == 0; });
}

TEST(ClockTest, clockThatIsPutForwardsGivesNothingUp) {
    const std::int64_t webhook = failUntilGivenBack("/forwards");
    setClock("10 DAY");
    // What looks for endpoints that failed for days, and for deliveries that are too old.
    requireControl(fixture().server(), {"job", "run", "webhooks", "upkeep"});
    receiver().waitFor("/forwards", FAILURES + 1);
    receiver().waitUntil([&] { return _supplier->webhook(webhook).at("waiting") == 0; });
    CPPUNIT_ASSERT_EQUAL(json(true), _supplier->webhook(webhook).at("enabled"));
    CPPUNIT_ASSERT_EQUAL(json("delivered"), _supplier->deliveries(webhook).front().at("status"));
    setClock("-10 DAY");
}

TEST(ClockTest, newDeliveriesGoOnWhenTheClockIsPutBack) {
    const std::int64_t product = idOf(_supplier->create());
    _supplier->addWebhook(receiver().url("/meanwhile"));
    _supplier->setStock(product, 1);
    receiver().waitFor("/meanwhile", 1);
    setClock("-1 HOUR");
    _supplier->setStock(product, 2);
    receiver().waitFor("/meanwhile", 2);
}

} // namespace supplierd::tests
