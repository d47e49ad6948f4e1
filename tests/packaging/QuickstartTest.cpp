#include "tests/plugins/media/fixtures/ImageFixtures.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/HttpClient.h"
#include "tests/support/Places.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <cppunit/TestFixture.h>

#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace supplierd::tests {
namespace {

/// One directory with its quickstart, which is stopped at the end.
struct QuickstartDirectory {
    TemporaryDirectory directory{"quickstart"};

    ~QuickstartDirectory() {
        try {
            quickstart({"--stop"});
        } catch (const std::exception&) {
            // tests/run stops what is left
        }
    }

    std::vector<std::string> command(const std::vector<std::string>& options) const {
        std::vector<std::string> all = {sourcePath("packaging/quickstart"), "--dir", directory.path(), "--build-dir",
                                        buildPath()};
        all.insert(all.end(), options.begin(), options.end());
        return all;
    }

    CommandResult quickstart(const std::vector<std::string>& options) const {
        return runCommand({.arguments = command(options)}, std::chrono::minutes(5));
    }

    Json start() const {
        const auto result = quickstart({"--json"});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
        return Json::parse(result.output);
    }

    std::string readKey(const std::string& owner) const {
        const auto text = readWholeFile(directory / ("keys/" + owner + ".key"));
        return text.substr(0, text.find('\n'));
    }

    /// Nothing when the file is not there, or not wholly.
    std::optional<pid_t> recordedPid(const std::string& file) const {
        const auto text = readWholeFile(directory / file);
        return text.empty() ? std::nullopt : std::optional<pid_t>(std::stoi(text));
    }
};

} // namespace

/// packaging/quickstart as a newcomer meets it, only with the programs of this build.
class QuickstartTest : public CppUnit::TestFixture {
protected:
    /// Filled once: a start takes seconds. Each test leaves it able to start.
    static QuickstartDirectory& shared() {
        static QuickstartDirectory directory;
        return directory;
    }

    CommandResult quickstart(const std::vector<std::string>& options) const { return _quickstart->quickstart(options); }
    Json start() const { return _quickstart->start(); }
    std::string readKey(const std::string& owner) const { return _quickstart->readKey(owner); }

    HttpClient supplierClient(const Json& object, const std::optional<std::string>& key = {}) const {
        return HttpClient(object.at("url").get<std::string>() + "/api/v1/supplier",
                          key.value_or(object.at("supplier_key").get<std::string>()));
    }

    /// What the four demo suppliers have together.
    std::int64_t countProducts(const Json& object) const {
        std::int64_t products = 0;
        for (const auto* supplier : {"van-der-meer", "cotopaxi", "naivasha", "de-linde"}) {
            const auto data = supplierClient(object, readKey(supplier)).get("/products").data();
            products += data.at("pagination").at("total_items").get<std::int64_t>();
        }
        return products;
    }

    /// What the demo data has.
    static std::size_t demoPictures() {
        const auto demo = Json::parse(readWholeFile(sourcePath("packaging/demo/demo.json")));
        std::size_t pictures = 0;
        for (const auto& supplier : demo.at("suppliers"))
            for (const auto& product : supplier.at("products"))
                pictures += product.value("pictures", Json::array()).size();
        return pictures;
    }

    /// What the products of the four demo suppliers have together.
    std::size_t countImages(const Json& object) const {
        std::size_t images = 0;
        for (const auto* supplier : {"van-der-meer", "cotopaxi", "naivasha", "de-linde"}) {
            auto client = supplierClient(object, readKey(supplier));
            const auto list = client.get("/products?per_page=100").data();
            for (const auto& product : list.at("products"))
                if (!product.at("primary_image").is_null())
                    images += client.get("/products/" + product.at("id").dump() + "/images").data().at("images").size();
        }
        return images;
    }

    /// How many of the seven states the demo's orders are in.
    static constexpr std::size_t STATES = 7;
    std::size_t statesOfOrders(const Json& object) const {
        std::set<std::string> states;
        for (const auto* supplier : {"van-der-meer", "cotopaxi", "naivasha", "de-linde"}) {
            const auto data = supplierClient(object, readKey(supplier)).get("/orders?per_page=100").data();
            for (const auto& order : data.at("orders"))
                states.insert(order.at("status").get<std::string>());
        }
        return states.size();
    }

    QuickstartDirectory* _quickstart = &shared();
};

TEST(QuickstartTest, printsAnObjectThatWorks) {
    const auto object = start();
    CPPUNIT_ASSERT_EQUAL(std::size_t(7), object.size());
    CPPUNIT_ASSERT(object.at("supplier_key").get<std::string>().starts_with("sk_"));
    CPPUNIT_ASSERT(object.at("operator_key").get<std::string>().starts_with("ok_"));
    CPPUNIT_ASSERT(std::filesystem::exists(object.at("config").get<std::string>()));
    CPPUNIT_ASSERT_EQUAL(0, ::kill(object.at("pid").get<pid_t>(), 0));
    CPPUNIT_ASSERT_EQUAL(200, HttpClient(object.at("admin_url").get<std::string>()).get("/readyz").status);
    CPPUNIT_ASSERT_EQUAL(200, supplierClient(object).get("/products").status);
    const auto& dashboard = object.at("dashboard");
    if (dashboard.is_null()) // built without npm
        return;
    HttpClient browser(object.at("url").get<std::string>());
    for (const char* who : {"supplier", "operator"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(who, 200, browser.post("/dashboard/api/sign-in", dashboard.at(who)).status);
}

TEST(QuickstartTest, secondRunPrintsTheSameObject) {
    const auto first = start();
    const auto again = quickstart({"--json"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(again.errors, 0, again.exitCode);
    CPPUNIT_ASSERT(first == Json::parse(again.output));
    requireIn("already up", again.errors);
}

TEST(QuickstartTest, demoDataLooksLikeAShop) {
    const auto object = start();
    CPPUNIT_ASSERT_EQUAL(std::int64_t(200), countProducts(object));
    std::map<std::string, int> seen;
    for (const auto* supplier : {"van-der-meer", "cotopaxi", "naivasha", "de-linde"}) {
        auto client = supplierClient(object, readKey(supplier));
        const auto page = client.get("/products?per_page=100").data();
        for (const auto& product : page.at("products")) {
            ++seen["unit " + product.at("unit").get<std::string>()];
            ++seen["stock " + product.at("stock_status").get<std::string>()];
            ++seen["type " + product.at("type").get<std::string>()];
            ++seen[product.at("is_approved").get<bool>() ? "approved" : "not approved"];
            ++seen[product.at("is_active").get<bool>() ? "active" : "not active"];
        }
        if (std::string(supplier) == "naivasha") // four decimals survive the way
            requireIn("\"base_price\":0.085", client.get("/products?search=Don%20Pedro").body);
    }
    for (const auto* kind : {"unit stem", "unit bunch", "unit box", "unit pack", "unit piece", "unit kilogram",
                             "unit meter", "unit roll", "stock in_stock", "stock low_stock", "stock out_of_stock",
                             "type flower", "type supply", "approved", "not approved", "active", "not active"})
        CPPUNIT_ASSERT_MESSAGE(kind, seen[kind] > 0);
    CPPUNIT_ASSERT_EQUAL(STATES, statesOfOrders(object));
    const auto categories = supplierClient(object).get("/categories").data();
    CPPUNIT_ASSERT(categories.at("categories").size() >= 20);
}

TEST(QuickstartTest, demoDataIsOfMonthsAndItsStatesFitTheirAge) {
    const auto object = start();
    auto client = HttpClient(object.at("url").get<std::string>() + "/api/v1/platform", readKey("operator"));
    std::map<std::string, std::string> oldest;
    std::map<std::string, std::string> newest;
    std::set<std::string> days;
    std::string before = "9999";
    for (int page = 1; page <= 2; ++page) {
        const auto data = client.get("/order-groups?per_page=100&page=" + std::to_string(page)).data();
        for (const auto& order : data.at("orders")) {
            const std::string status = order.at("status");
            const std::string created = order.at("created_at");
            CPPUNIT_ASSERT_MESSAGE(created, created <= before); // newest first by id, and by time
            before = created;
            days.insert(created.substr(0, 10));
            newest.emplace(status, created);
            oldest[status] = created;
            CPPUNIT_ASSERT(created <= order.at("updated_at").get<std::string>());
        }
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t(30), days.size());
    CPPUNIT_ASSERT(newest["completed"] < oldest["pending"]);
    CPPUNIT_ASSERT(newest["delivered"] < oldest["processing"]);
    const auto added = client.get("/audit?object=product&per_page=100").data().at("entries");
    CPPUNIT_ASSERT(added.front().at("created_at") > added.back().at("created_at"));
    const auto first = client.get("/products/1").data().at("product").at("created_at").get<std::string>();
    CPPUNIT_ASSERT_MESSAGE(first, first.substr(0, 10) < *days.begin());
}

TEST(QuickstartTest, demoProductsHavePictures) {
    const auto object = start();
    CPPUNIT_ASSERT_EQUAL(demoPictures(), countImages(object));
    HttpClient files(object.at("url").get<std::string>());
    std::set<std::string> kinds;
    for (const auto* supplier : {"van-der-meer", "cotopaxi", "naivasha", "de-linde"}) {
        auto client = supplierClient(object, readKey(supplier));
        const auto list = client.get("/products?per_page=5").data();
        for (const auto& listed : list.at("products")) {
            const auto product = client.get("/products/" + listed.at("id").dump()).data().at("product");
            CPPUNIT_ASSERT_EQUAL(listed.at("primary_image"), product.at("images").at(0).at("url"));
            const auto path = listed.at("primary_image").get<std::string>();
            const auto original = files.get(path);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(path, 200, original.status);
            CPPUNIT_ASSERT_MESSAGE(path, original.header("Content-Type").starts_with("image/"));
            kinds.insert(original.header("Content-Type"));
            const auto raster = decoded(original.body);
            CPPUNIT_ASSERT_MESSAGE(path, std::max(raster.width, raster.height) >= 400);
            const auto head = files.request("HEAD", path);
            CPPUNIT_ASSERT_EQUAL(std::to_string(original.body.size()), head.header("Content-Length"));
            const auto thumbnail = files.get(product.at("images").at(0).at("thumbnail_url").get<std::string>());
            CPPUNIT_ASSERT_EQUAL(200, thumbnail.status);
            CPPUNIT_ASSERT(decoded(thumbnail.body).width <= 400);
        }
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t(3), kinds.size());
}

TEST(QuickstartTest, imagesAreFetchedFromPublicAddressesOnlyAfterwards) {
    const auto object = start();
    CPPUNIT_ASSERT(readWholeFile(object.at("config").get<std::string>()).find("allow_networks") == std::string::npos);
    auto client = supplierClient(object);
    const auto product = client.get("/products?per_page=1").data().at("products").at(0);
    const auto response = client.post(
        "/products/" + product.at("id").dump() + "/images",
        {{"image_url", object.at("url").get<std::string>() + product.at("primary_image").get<std::string>()}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 422, response.status);
}

// From here on one more product is there.
TEST(QuickstartTest, printedCurlLinesWork) {
    start();
    const auto output = quickstart({}).output;
    CPPUNIT_ASSERT(quickstart({"--status"}).exitCode == 0);
    std::string script = "set -e\n";
    int commands = 0;
    bool continued = false;
    for (std::size_t from = 0; from < output.size();) {
        const auto end = std::min(output.find('\n', from), output.size());
        const auto line = output.substr(from, end - from);
        from = end + 1;
        if (line.starts_with("  curl "))
            ++commands;
        if (continued || line.starts_with("  KEY=") || line.starts_with("  URL=") || line.starts_with("  curl ")) {
            script += line + "\n";
            continued = line.ends_with("\\");
            if (line.find("curl") != std::string::npos && !continued)
                script += "echo\n";
        }
    }
    CPPUNIT_ASSERT_EQUAL(5, commands);
    const auto result = runCommand({.arguments = {"bash", "-c", script}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(script + result.errors, 0, result.exitCode);
    std::size_t successes = 0;
    for (auto at = result.output.find("\"success\":true"); at != std::string::npos;
         at = result.output.find("\"success\":true", at + 1))
        ++successes;
    CPPUNIT_ASSERT_EQUAL_MESSAGE(script + result.output, std::size_t(4), successes);
    const auto head = result.output.find("HTTP/1.1 200"); // of the picture; the others print no header
    CPPUNIT_ASSERT_MESSAGE(script + result.output, head != std::string::npos);
    CPPUNIT_ASSERT_MESSAGE(result.output, result.output.find("Content-Type: image/", head) != std::string::npos);
}

TEST(QuickstartTest, killedServersAreStartedAgain) {
    const auto first = start();
    ::kill(first.at("pid").get<pid_t>(), SIGKILL);
    const auto second = start();
    CPPUNIT_ASSERT(second.at("pid") != first.at("pid"));
    CPPUNIT_ASSERT_EQUAL(first.at("supplier_key").get<std::string>(), second.at("supplier_key").get<std::string>());

    const auto database = std::stoi(readWholeFile(_quickstart->directory / "mariadb/mariadb.pid"));
    ::kill(database, SIGKILL);
    CPPUNIT_ASSERT_EQUAL(200, supplierClient(start()).get("/products").status);
}

TEST(QuickstartTest, quickstartKilledAtRandomMomentsCompletesLater) {
    QuickstartDirectory fresh;
    _quickstart = &fresh;
    std::mt19937 random{std::random_device{}()};
    std::uniform_int_distribution<int> moment(20, 4000);
    std::string moments;
    for (int round = 0; round < 8; ++round) {
        const auto wait = std::chrono::milliseconds(moment(random));
        moments += std::to_string(wait.count()) + " ms ";
        ChildProcess killed({.arguments = fresh.command({"--json"})});
        killed.waitFor(wait);
        killed.kill();
        // Half of the rounds lose a server of theirs as well.
        if (const auto pid = fresh.recordedPid("supplierd.pid"); pid && round % 4 == 1)
            ::kill(*pid, SIGKILL);
        if (const auto pid = fresh.recordedPid("mariadb/mariadb.pid"); pid && round % 4 == 3)
            ::kill(*pid, SIGKILL);
    }
    const auto result = quickstart({"--json"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(moments + result.errors, 0, result.exitCode);
    const auto object = Json::parse(result.output);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(moments, std::int64_t(200), countProducts(object));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(moments, STATES, statesOfOrders(object));
    CPPUNIT_ASSERT_EQUAL_MESSAGE(moments, demoPictures(), countImages(object));
}

TEST(QuickstartTest, stopEndsOnlyItsOwnProcesses) {
    start();
    quickstart({"--stop"});
    const auto stopped = quickstart({"--status"});
    CPPUNIT_ASSERT_EQUAL(1, stopped.exitCode);
    requireIn("does not run in " + _quickstart->directory.path().string(), stopped.errors);
    // The pids were given to somebody else meanwhile.
    ChildProcess stranger({.arguments = {"sleep", "1000"}});
    writeWholeFile(_quickstart->directory / "supplierd.pid", std::to_string(stranger.pid()));
    writeWholeFile(_quickstart->directory / "mariadb/mariadb.pid", std::to_string(stranger.pid()));
    CPPUNIT_ASSERT_EQUAL(0, quickstart({"--stop"}).exitCode);
    CPPUNIT_ASSERT(stranger.isRunning());
    start();
    CPPUNIT_ASSERT(stranger.isRunning());
}

TEST(QuickstartTest, filesWithSecretsAreForTheUserAlone) {
    start();
    const auto others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
    for (const auto* name :
         {"", "supplierd.toml", "database-password", "keys/operator.key", "keys/cotopaxi.key", "mariadb"})
        CPPUNIT_ASSERT_MESSAGE(name, (std::filesystem::status(_quickstart->directory / name).permissions() & others) ==
                                         std::filesystem::perms::none);
}

} // namespace supplierd::tests
