#include "WebhooksFixture.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <filesystem>
#include <memory>
#include <string>

namespace supplierd::tests {

/// What suppliers' servers do with a delivery: the library that the authors of Standard Webhooks give them checks its
/// signature. isSignedWith() of the other tests is by the same people as the plugin.
class SignatureTest : public CppUnit::TestFixture {
protected:
    void add(const std::string& name, const json& secret, const Received& delivery) {
        _deliveries.push_back({{"name", name},
                               {"secret", secret},
                               {"headers",
                                {{"webhook-id", delivery.id},
                                 {"webhook-timestamp", delivery.timestamp},
                                 {"webhook-signature", delivery.signature}}},
                               {"body", delivery.text}});
    }

    void addThin() {
        const std::int64_t product = idOf(_supplier->create());
        const json webhook = _supplier->addWebhook(receiver().url("/verified/thin"));
        _supplier->setStock(product, 7);
        add("a thin delivery", webhook.at("secret"), receiver().waitFor("/verified/thin", 1).front());
    }

    /// The body is signed as bytes: its text is not ASCII alone.
    void addFull() {
        const json webhook = _supplier->addWebhook(receiver().url("/verified/full"),
                                                   {{"body", "full"}, {"events", {"product.created"}}});
        _supplier->create({{"name", "Rosé 🌹 \"één\""}});
        const Received delivery = receiver().waitFor("/verified/full", 1).front();
        CPPUNIT_ASSERT_EQUAL(json("Rosé 🌹 \"één\""), delivery.data().at("product").at("name"));
        add("a full delivery", webhook.at("secret"), delivery);
    }

    void addTest() {
        const json webhook = _supplier->addWebhook(receiver().url("/verified/test"));
        requireStatus(202, _supplier->postEmpty(pathOf(idOf(webhook), "/test")));
        add("a test", webhook.at("secret"), receiver().waitFor("/verified/test", 1).front());
    }

    void addRotated() {
        const json first = _supplier->addWebhook(receiver().url("/verified/rotated"));
        const json second = dataOf(_supplier->postEmpty(pathOf(idOf(first), "/rotate-secret"))).at("webhook");
        requireStatus(202, _supplier->postEmpty(pathOf(idOf(first), "/test")));
        const Received delivery = receiver().waitFor("/verified/rotated", 1).front();
        add("a delivery after a rotation, with the old secret", first.at("secret"), delivery);
        add("a delivery after a rotation, with the new secret", second.at("secret"), delivery);
    }

    std::unique_ptr<WebhookClient> _supplier;
    json _deliveries = json::array();
};

TEST(SignatureTest, libraryOfStandardWebhooksTakesWhatIsSentAndNothingElse) {
    const std::filesystem::path npm = SUPPLIERD_NPM_FOLDER;
    if (npm.empty())
        throw Skip("npm was not there when the build was configured");
    _supplier = std::make_unique<WebhookClient>();
    addThin();
    addFull();
    addTest();
    addRotated();
    const TemporaryDirectory folder;
    writeWholeFile(folder / "deliveries.json", _deliveries.dump());
    const auto result = runCommand({.arguments = {"node", npm / "verify.mjs", folder / "deliveries.json"}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, 0, result.exitCode);
    CPPUNIT_ASSERT_EQUAL(std::string("5\n"), result.output);
}

} // namespace supplierd::tests
