#include "WebhooksFixture.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Concurrency.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Webhooks without an address, and `supplierctl webhooks listen`, which reads what they bring.
class ListenTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _supplier = std::make_unique<WebhookClient>();
        _product = idOf(_supplier->create());
        writeWholeFile(_folder / "key", _supplier->key() + "\n");
        std::filesystem::permissions(_folder / "key", std::filesystem::perms{0600});
    }

protected:
    ChildCommand command(const std::vector<std::string>& options) const {
        ChildCommand command{.arguments = {ServerProcess::controlProgram().string(), "webhooks", "listen", "--server",
                                           fixture().server().rootUrl(), "--key-file", (_folder / "key").string()}};
        command.arguments.insert(command.arguments.end(), options.begin(), options.end());
        command.output = _folder / "output";
        command.errors = _folder / "errors";
        return command;
    }
    json webhooks() { return dataOf(_supplier->get("/webhooks")).at("webhooks"); }
    std::string output() const { return readWholeFile(_folder / "output"); }
    std::string errors() const { return readWholeFile(_folder / "errors"); }
    /// That it has printed.
    std::string secret() const {
        const auto text = errors();
        const auto begin = text.find("whsec_");
        return text.substr(begin, text.find('\n', begin) - begin);
    }
    json delivered(std::int64_t webhook) {
        json found;
        waitUntil([&] {
            found = _supplier->deliveries(webhook, "status=delivered");
            return !found.empty();
        });
        return found.front();
    }

    TemporaryDirectory _folder{"listen"};
    std::unique_ptr<WebhookClient> _supplier;
    std::int64_t _product = 0;
};

TEST(ListenTest, withoutAnAddressDeliveriesAreListedAlone) {
    const json made =
        dataOf(_supplier->post("/webhooks", {{"url", nullptr}, {"events", {"stock.changed"}}, {"body", "full"}}), 201)
            .at("webhook");
    CPPUNIT_ASSERT_EQUAL(json(nullptr), made.at("url"));
    _supplier->setStock(_product, 7);
    const json delivery = delivered(idOf(made));
    CPPUNIT_ASSERT_EQUAL(json(nullptr), delivery.at("request").at("url"));
    CPPUNIT_ASSERT_EQUAL(json(nullptr), delivery.at("response").at("status"));
    CPPUNIT_ASSERT_EQUAL(json(7), delivery.at("request").at("body").at("data").at("product").at("stock_qty"));
    // From an address to none, and back.
    const json posted = _supplier->addWebhook(receiver().url("/address"));
    CPPUNIT_ASSERT_EQUAL(json(nullptr), _supplier->changeWebhook(idOf(posted), {{"url", nullptr}}).at("url"));
    _supplier->changeWebhook(idOf(posted), {{"url", receiver().url("/address")}});
    _supplier->setStock(_product, 8);
    receiver().waitFor("/address", 1);
    requireProblems(_supplier->post("/webhooks", {{"url", ""}, {"events", {"stock.changed"}}}), {"url:required"});
}

TEST(ListenTest, deliveriesArePostedOnSignedUntilItEnds) {
    ChildProcess listener(command({"--forward", receiver().url("/laptop"), "--events", "stock.changed", "--full"}));
    waitUntil([&] { return errors().find("Ctrl C") != std::string::npos; });
    const auto seq = _supplier->setStock(_product, 7);
    const Received received = receiver().waitFor("/laptop", 1).front();
    CPPUNIT_ASSERT(isSignedWith(secret(), received));
    CPPUNIT_ASSERT_EQUAL(json(seq), received.data().at("change_seq"));
    CPPUNIT_ASSERT_EQUAL(json(7), received.data().at("product").at("stock_qty"));
    waitUntil([&] { return output().find("stock.changed delivery ") != std::string::npos; });
    CPPUNIT_ASSERT_MESSAGE(output(), output().find(" -> 200\n") != std::string::npos);
    listener.kill(); // its webhook stays, until the next one begins
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, webhooks().size());
    const auto left = idOf(webhooks().front());

    writeWholeFile(_folder / "errors", "");
    writeWholeFile(_folder / "output", "");
    ChildProcess next(command({"--json"}));
    waitUntil([&] { return errors().find("Ctrl C") != std::string::npos; });
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, webhooks().size());
    CPPUNIT_ASSERT(idOf(webhooks().front()) != left);
    _supplier->setStock(_product, 9);
    waitUntil([&] { return !output().empty(); });
    const json line = json::parse(output());
    CPPUNIT_ASSERT_EQUAL(json("stock.changed"), line.at("delivery").at("type"));
    CPPUNIT_ASSERT(!line.contains("forwarded"));
    next.signal(SIGINT);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(errors(), 0, next.waitFor(std::chrono::minutes(1)).value_or(-1));
    CPPUNIT_ASSERT(webhooks().empty());
}

TEST(ListenTest, oneDeliveryIsPostedOnAgain) {
    const json webhook = _supplier->addWebhook(receiver().url("/replayed"));
    _supplier->setStock(_product, 7);
    receiver().waitFor("/replayed", 1);
    const auto id = std::to_string(idOf(delivered(idOf(webhook))));
    const auto replay = [&](const std::string& to, const std::string& which) {
        auto wanted = command({"--forward", to, "--replay", which});
        wanted.environment["SUPPLIERD_WEBHOOK_SECRET"] = webhook.at("secret");
        wanted.output.clear();
        wanted.errors.clear();
        return runCommand(wanted);
    };
    const auto first = replay(receiver().url("/posted-on"), id);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(first.errors, 0, first.exitCode);
    const Received again = receiver().waitFor("/posted-on", 1).front();
    CPPUNIT_ASSERT(isSignedWith(webhook.at("secret"), again));
    CPPUNIT_ASSERT_EQUAL(receiver().received("/replayed").front().id, again.id);
    CPPUNIT_ASSERT_EQUAL(1, replay("http://127.0.0.1:1/", id).exitCode);
    const auto unknown = replay(receiver().url("/posted-on"), "999999999");
    CPPUNIT_ASSERT_EQUAL(1, unknown.exitCode);
    requireIn("no webhook of this supplier has a delivery 999999999", unknown.errors);
}

TEST(ListenTest, aServerThatIsBusyIsAskedAgain) {
    // Two requests before it listens, one that is answered, and one that is too many.
    const auto few = fixture().server().createKey(_supplier->id(), {{"hourly_limit", "3"}});
    writeWholeFile(_folder / "key", few + "\n");
    ChildProcess listener(command({}));
    waitUntil([&] { return errors().find("; asking again\n") != std::string::npos; });
    CPPUNIT_ASSERT(listener.isRunning());
    listener.signal(SIGINT);
    CPPUNIT_ASSERT_EQUAL(1, listener.waitFor(std::chrono::minutes(1)).value_or(-1)); // its webhook stays for now
}

TEST(ListenTest, operatorListensWithAKeyThatIsRevokedAfterwards) {
    auto wanted = command({"--supplier", std::to_string(_supplier->id()), "--json"});
    writeWholeFile(_folder / "key", fixture().server().createOperatorKey() + "\n");
    ChildProcess listener(wanted);
    waitUntil([&] { return errors().find("Ctrl C") != std::string::npos; });
    _supplier->setStock(_product, 7);
    waitUntil([&] { return !output().empty(); });
    CPPUNIT_ASSERT_EQUAL(json("stock.changed"), json::parse(output()).at("delivery").at("type"));
    const auto liveKeys = [&] {
        return fixture().database().integer(
            "SELECT COUNT(*) FROM api_keys WHERE revoked_at IS NULL AND supplier_id = " +
            std::to_string(_supplier->id()));
    };
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, liveKeys());
    listener.signal(SIGTERM);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(errors(), 0, listener.waitFor(std::chrono::minutes(1)).value_or(-1));
    CPPUNIT_ASSERT(webhooks().empty());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, liveKeys());
}

TEST(ListenTest, whatIsMissingIsNamed) {
    const auto run = [&](const std::vector<std::string>& arguments) {
        std::vector<std::string> all{ServerProcess::controlProgram().string(), "--config",
                                     fixture().server().configFile().string(), "webhooks", "listen"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return runCommand({.arguments = all});
    };
    const auto nowhere = run({});
    CPPUNIT_ASSERT_EQUAL(2, nowhere.exitCode);
    requireIn("--server https://market.example --key-file FILE", nowhere.errors);
    const auto key = (_folder / "key").string();
    const auto wrong = run({"--server", fixture().server().rootUrl(), "--key-file", key, "--events", "stock.sold"});
    CPPUNIT_ASSERT_EQUAL(2, wrong.exitCode);
    requireIn("must be one of product.created", wrong.errors);
    const auto odd = run({"--server", fixture().server().rootUrl(), "--key-file", key, "--forward", "localhost:3000"});
    CPPUNIT_ASSERT_EQUAL(2, odd.exitCode);
}

} // namespace supplierd::tests
