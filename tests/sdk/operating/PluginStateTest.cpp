#include "tests/sdk/operating/OperatedServer.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Control.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <filesystem>

namespace supplierd::tests {

/// What the host keeps for a plugin: its settings, its folder; and that all of it goes with its data.
class PluginStateTest : public CppUnit::TestFixture {
protected:
    /// /status, /readyz and `supplierctl status` say so; the rest is served.
    static void assertLeftOut(ServerProcess& server, const std::string& reason) {
        const auto status = server.adminClient().get("/status").json();
        CPPUNIT_ASSERT_EQUAL_MESSAGE(status.dump(), std::size_t{0}, status.at("plugins").size());
        requireIn(reason, status.at("left_out").at("operated").get<std::string>());
        const auto ready = server.adminClient().get("/readyz");
        CPPUNIT_ASSERT_EQUAL(200, ready.status);
        requireIn(reason, ready.json().at("left_out").at("operated").get<std::string>());
        const auto told = runControl(server, {"status"});
        requireIn("left out  operated: ", told.output);
        requireIn("plugins   none", told.output);
    }
    HttpResponse put(const std::string& name, const std::string& value) {
        return _operated.client().request("PUT", "/operated/settings/" + name, {{"Content-Type", "application/json"}},
                                          Json{{"value", value}}.dump());
    }
    void set(const std::string& name, const std::string& value) {
        const auto response = put(name, value);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    }
    std::string settings() { return _operated.client().get("/operated/settings").data().dump(); }
    std::int64_t remains(const std::string& table) {
        return _operated.database().integer("SELECT COUNT(*) FROM " + table + " WHERE plugin = 'operated'");
    }
    std::filesystem::path folder() { return _operated.server().directory() / "state/operated"; }

    OperatedServer _operated;
};

TEST(PluginStateTest, settingIsReadAfterARestart) {
    set("colour", "red");
    set("colour", "yellow");
    _operated.server().restart();
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"colour":"yellow"})"), settings());
}

TEST(PluginStateTest, settingOfAWrongNameIsRefused) {
    CPPUNIT_ASSERT_EQUAL(500, put("a%20b", "x").status);
    CPPUNIT_ASSERT_EQUAL(std::string("{}"), settings());
}

TEST(PluginStateTest, folderIsMadeWhenItIsNeededAndPrivate) {
    CPPUNIT_ASSERT(!std::filesystem::exists(folder()));
    const auto file = _operated.client().postEmpty("/operated/file").data().at("file").get<std::string>();
    CPPUNIT_ASSERT_EQUAL((folder() / "picked.txt").string(), file);
    CPPUNIT_ASSERT_EQUAL(std::string("tulips"), readWholeFile(file));
    CPPUNIT_ASSERT(std::filesystem::status(folder()).permissions() == std::filesystem::perms::owner_all);
    CPPUNIT_ASSERT(std::filesystem::status(folder().parent_path()).permissions() == std::filesystem::perms::owner_all);
}

TEST(PluginStateTest, allOfItGoesWithThePluginsData) {
    set("colour", "red");
    _operated.client().postEmpty("/operated/file");
    waitFor("rows of jobs", [&] { return remains("jobs") == 6; });
    _operated.server().stop();
    CPPUNIT_ASSERT_EQUAL(0, _operated.run({"plugin", "disable", "operated"}).exitCode);
    const auto plan = _operated.runJson({"plugin", "remove", "--data", "operated", "--dry-run"});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, plan.at("settings").get<std::int64_t>());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{6}, plan.at("jobs").get<std::int64_t>());
    CPPUNIT_ASSERT_EQUAL(folder().string(), plan.at("folder").get<std::string>());
    CPPUNIT_ASSERT(std::filesystem::exists(folder()));

    CPPUNIT_ASSERT(_operated.runJson({"plugin", "remove", "--data", "operated", "--yes"}).at("removed").get<bool>());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, remains("jobs") + remains("plugin_settings"));
    CPPUNIT_ASSERT(!std::filesystem::exists(folder()));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                         _operated.database().integer("SELECT COUNT(*) FROM information_schema.TABLES WHERE "
                                                      "TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'operated_runs'"));
    CPPUNIT_ASSERT_EQUAL(1, _operated.run({"plugin", "remove", "--data", "operated", "--yes"}).exitCode);
}

TEST(PluginStateTest, pluginThatDoesNotStartIsNamed) {
    TestDatabase database;
    ServerProcess server(database, operatedOptions("[plugins.operated]\noptional = true\nfails_to_start = true\n"));
    assertLeftOut(server, "the cellar is flooded");
}

TEST(PluginStateTest, pluginWithANewerSchemaIsNamedWhereTheServerIsAsked) {
    _operated.server().stop();
    _operated.database().exec("UPDATE schema_migrations SET number = 7 WHERE component = 'operated'");
    _operated.server().start();
    assertLeftOut(_operated.server(), "operated");
}

} // namespace supplierd::tests
