#include "WebhooksFixture.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Control.h"
#include "tests/support/OperatorClient.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Webhooks as operators look at them, by `/platform/webhooks` and by `supplierctl webhooks`.
class OperatorTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _supplier = std::make_unique<WebhookClient>();
        _operator = std::make_unique<OperatorClient>();
    }

protected:
    json list(const std::string& query) { return dataOf(_operator->get("/webhooks?" + query)).at("webhooks"); }

    /// "action actor, …", newest first.
    std::string audited(std::int64_t webhook) {
        std::string entries;
        for (const json& entry : _operator->audit("webhook", webhook))
            entries += (entries.empty() ? "" : ", ") + entry.at("action").get<std::string>() + " " +
                       entry.at("actor").get<std::string>();
        return entries;
    }

    static CommandResult control(std::vector<std::string> arguments) {
        return runControl(fixture().server(), std::move(arguments));
    }
    static CommandResult run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "webhooks");
        return control(std::move(arguments));
    }
    static std::string requireDone(const CommandResult& result) {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
        return result.output;
    }

    /// What `doctor` says of webhooks.
    static std::string finding() {
        const json report = json::parse(control({"doctor", "--json"}).output);
        for (const json& found : report.at("findings"))
            if (found.at("check") == "webhooks: webhooks")
                return found.at("level").get<std::string>() + " " + found.at("message").get<std::string>();
        CPPUNIT_FAIL(report.dump());
        return {};
    }

    static void setQueue(std::int64_t webhook, const std::string& columns) {
        fixture().database().exec("UPDATE webhooks_queues SET " + columns +
                                  " WHERE endpoint_id = " + std::to_string(webhook));
    }

    std::unique_ptr<WebhookClient> _supplier;
    std::unique_ptr<OperatorClient> _operator;
};

TEST(OperatorTest, operatorListsEverySuppliersWebhooks) {
    WebhookClient other({.name = "Tulpenhof"});
    const std::int64_t own = idOf(_supplier->addWebhook(receiver().url("/operated")));
    const std::int64_t others = idOf(other.addWebhook(receiver().url("/operated"), {{"enabled", false}}));
    const json newest = list("per_page=2");
    CPPUNIT_ASSERT_EQUAL(others, idOf(newest.at(0)));
    CPPUNIT_ASSERT_EQUAL(own, idOf(newest.at(1)));
    CPPUNIT_ASSERT_EQUAL(json({{"id", other.id()}, {"name", "Tulpenhof"}}), newest.at(0).at("supplier"));
    CPPUNIT_ASSERT_EQUAL(json("off"), newest.at(0).at("state"));
    CPPUNIT_ASSERT_EQUAL(json("on"), newest.at(1).at("state"));
    CPPUNIT_ASSERT(!newest.at(0).contains("secret"));
    const std::string of = "supplier_id=" + std::to_string(other.id());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, list(of).size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, list(of + "&state=off").size());
    CPPUNIT_ASSERT(list(of + "&state=on").empty());
    CPPUNIT_ASSERT_EQUAL(newest.at(0), dataOf(_operator->get(pathOf(others))).at("webhook"));
    requireError(404, "NOT_FOUND", _operator->get(pathOf(1'000'000)));
    requireProblems(_operator->get("/webhooks?state=odd"), {"state:not_in_set"});
}

TEST(OperatorTest, ownerCannotSwitchOnWhatAnOperatorSwitchedOff) {
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/blocked")));
    const json off = dataOf(_operator->postEmpty(pathOf(webhook, "/disable"))).at("webhook");
    CPPUNIT_ASSERT_EQUAL(json("operator"), off.at("disabled_reason"));
    CPPUNIT_ASSERT_EQUAL(json("Switched off by the marketplace"), _supplier->webhook(webhook).at("notice"));
    requireProblems(_supplier->post(pathOf(webhook), {{"enabled", true}}), {"enabled:unsupported"});
    requireStatus(200, _operator->postEmpty(pathOf(webhook, "/disable")));
    requireStatus(200, _operator->postEmpty(pathOf(webhook, "/enable")));
    CPPUNIT_ASSERT_EQUAL(json(true), _supplier->webhook(webhook).at("enabled"));
    CPPUNIT_ASSERT_EQUAL(std::string("webhook.enable " + _operator->prefix() + ", webhook.disable " +
                                     _operator->prefix() + ", webhook.create " + _supplier->key().substr(0, 11)),
                         audited(webhook));
}

TEST(OperatorTest, operatorSwitchesOnWhatIsOff) {
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/revived"), {{"enabled", false}}));
    requireStatus(200, _operator->postEmpty(pathOf(webhook, "/enable")));
    _supplier->setStock(idOf(_supplier->create()), 7);
    receiver().waitFor("/revived", 1);
    requireError(404, "NOT_FOUND", _operator->postEmpty("/webhooks/1000000/enable"));
}

TEST(OperatorTest, commandsDoTheSame) {
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/commanded")));
    const std::string id = std::to_string(webhook);
    requireDone(run({"disable", id}));
    requireProblems(_supplier->post(pathOf(webhook), {{"enabled", true}}), {"enabled:unsupported"});
    const json shown = json::parse(requireDone(run({"show", id, "--json"}))).at("webhook");
    CPPUNIT_ASSERT_EQUAL(json("off"), shown.at("state"));
    CPPUNIT_ASSERT_EQUAL(json("operator"), shown.at("disabled_reason"));
    CPPUNIT_ASSERT_EQUAL(json({"stock.changed"}), shown.at("events"));
    const std::string supplier = std::to_string(_supplier->id());
    const std::string listed = requireDone(run({"list", "--supplier", supplier, "--state", "off"}));
    requireIn("off    operator", listed);
    requireDone(run({"enable", id}));
    CPPUNIT_ASSERT_EQUAL(std::string("There are no such webhooks.\n"),
                         requireDone(run({"list", "--supplier", supplier, "--state", "off"})));
    _supplier->setStock(idOf(_supplier->create()), 7);
    receiver().waitFor("/commanded", 1);
    const std::string entries = audited(webhook);
    CPPUNIT_ASSERT_MESSAGE(entries, entries.starts_with("webhook.enable local: "));
}

TEST(OperatorTest, commandsFailWithWhatIsWrong) {
    for (const std::string command : {"show", "disable", "enable"}) {
        const CommandResult result = run({command, "1000000"});
        CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
        requireIn("Webhook not found", result.errors);
        CPPUNIT_ASSERT_EQUAL(2, run({command}).exitCode);
    }
    CPPUNIT_ASSERT_EQUAL(2, run({"list", "--state", "odd"}).exitCode);
    CPPUNIT_ASSERT_EQUAL(2, run({"list", "--per-page", "0"}).exitCode);
}

TEST(OperatorTest, doctorNamesWhatFails) {
    const std::int64_t webhook = idOf(_supplier->addWebhook(receiver().url("/doctor")));
    CPPUNIT_ASSERT_EQUAL(std::string("good webhooks take what they are told"), finding());
    setQueue(webhook, "failing_since = NOW(6) - INTERVAL 2 DAY");
    CPPUNIT_ASSERT_EQUAL(std::string("warning 1 webhook has taken nothing for a day"), finding());
    setQueue(webhook, "failing_since = NULL");
    fixture().database().exec("UPDATE webhooks_endpoints SET is_enabled = 0, disabled_reason = 'failing', "
                              "disabled_at = NOW(6) WHERE id = " +
                              std::to_string(webhook));
    CPPUNIT_ASSERT_EQUAL(std::string("warning 1 webhook was switched off for it within the last 7 days"), finding());
    // From now on another server has it, which does nothing. One that is paused, as after failures, would not take
    // what waits.
    setQueue(webhook, "lease_owner = 'nobody', lease_until = NOW(6) + INTERVAL 1 DAY");
    _supplier->changeWebhook(webhook, {{"enabled", true}});
    setQueue(webhook, "backlog = 1, paused_until = NOW(6) + INTERVAL 1 DAY");
    fixture().database().exec("INSERT INTO webhooks_deliveries (endpoint_id, event, occurred_at, message_id, "
                              "created_at, expires_at) VALUES (" +
                              std::to_string(webhook) +
                              ", 0, NOW(6), 'evt_late', NOW(6) - INTERVAL 2 HOUR, NOW(6) + INTERVAL 1 DAY)");
    CPPUNIT_ASSERT_EQUAL(std::string("good webhooks take what they are told"), finding());
    setQueue(webhook, "paused_until = NULL");
    CPPUNIT_ASSERT_EQUAL(
        std::string("warning deliveries wait for more than an hour for 1 webhook that would take them"), finding());
    requireStatus(200, _supplier->postEmpty(pathOf(webhook, "/delete")));
}

TEST(OperatorTest, suspendedSupplierIsToldWhenItIsVerifiedAgain) {
    const std::int64_t product = idOf(_supplier->create());
    const std::int64_t webhook =
        idOf(_supplier->addWebhook(receiver().url("/held"), {{"events", {"product.approved"}}}));
    requireStatus(200, _operator->postEmpty(_supplier->path("/suspend")));
    requireStatus(200, _operator->postEmpty("/products/" + std::to_string(product) + "/approve"));
    receiver().waitUntil([&] {
        return fixture().database().integer("SELECT COUNT(*) FROM webhooks_queues WHERE paused_until > NOW(6) AND "
                                            "backlog = 1 AND endpoint_id = " +
                                            std::to_string(webhook)) == 1;
    });
    CPPUNIT_ASSERT(receiver().received("/held").empty());
    requireStatus(200, _operator->postEmpty(_supplier->path("/verify")));
    CPPUNIT_ASSERT_EQUAL(json({product}), receiver().waitFor("/held", 1).front().data().at("ids"));
}

} // namespace supplierd::tests
