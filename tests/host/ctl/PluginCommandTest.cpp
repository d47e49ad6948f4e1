#include "tests/host/ctl/ControlFixture.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

class PluginCommandTest : public ControlFixture {
protected:
    bool isEnabled(const std::string& id) {
        const auto answer = runJson({"plugin", "list"});
        for (const auto& plugin : answer.at("plugins"))
            if (plugin.at("id") == id)
                return plugin.at("enabled").get<bool>();
        CPPUNIT_FAIL("plugin list lacks " + id);
        return false;
    }

    bool changed(const std::vector<std::string>& arguments) {
        return runJson(arguments).at("plugins").at(0).at("changed").get<bool>();
    }
};

TEST(PluginCommandTest, listShowsWhatIsEnabled) {
    runWell({"plugin", "disable", "catalog"});
    CPPUNIT_ASSERT(isEnabled("categories"));
    CPPUNIT_ASSERT(!isEnabled("catalog"));
    CPPUNIT_ASSERT(runWell({"plugin", "list"}).find("categories") != std::string::npos);
}

TEST(PluginCommandTest, disableAndEnableTurnTheSymlink) {
    const auto link = server().pluginsEnabled() / "catalog.so";
    CPPUNIT_ASSERT(changed({"plugin", "disable", "catalog"}));
    CPPUNIT_ASSERT(!std::filesystem::is_symlink(link));
    CPPUNIT_ASSERT(!changed({"plugin", "disable", "catalog"}));
    CPPUNIT_ASSERT(changed({"plugin", "enable", "catalog"}));
    CPPUNIT_ASSERT(std::filesystem::is_symlink(link));
    CPPUNIT_ASSERT(!changed({"plugin", "enable", "catalog"}));
}

TEST(PluginCommandTest, enablingAnUnknownPluginFails) {
    const auto errors = runBadly({"plugin", "enable", "wishlist"}, 1);
    CPPUNIT_ASSERT_MESSAGE(errors, errors.find("wishlist") != std::string::npos);
    CPPUNIT_ASSERT(!std::filesystem::is_symlink(server().pluginsEnabled() / "wishlist.so"));
}

TEST(PluginCommandTest, noNewPluginHasTheNameOfABundledOne) {
    for (const auto& plugin : bundledPlugins())
        CPPUNIT_ASSERT(runBadly({"plugin", "new", plugin, "--route", "GET /things"}, 2).find("is taken") !=
                       std::string::npos);
}

/// One whose need is missing, and one whose configuration is wrong.
TEST(PluginCommandTest, pluginThatAServerWouldNotStartWithIsNotEnabled) {
    runWell({"plugin", "disable", "catalog"});
    const auto errors = runBadly({"plugin", "enable", "inventory"}, 1);
    CPPUNIT_ASSERT_MESSAGE(errors, errors.find("nothing was enabled") != std::string::npos);
    CPPUNIT_ASSERT_MESSAGE(errors, errors.find("plugin 'inventory' needs") != std::string::npos);
    CPPUNIT_ASSERT(!isEnabled("inventory"));
    writeExtraConfiguration("[plugins.catalog]\nindex_memori = \"1GiB\"\n");
    CPPUNIT_ASSERT(runBadly({"plugin", "enable", "catalog"}, 1).find("index_memori") != std::string::npos);
    CPPUNIT_ASSERT(!isEnabled("catalog"));
    runWell({"plugin", "enable", "inventory", "--force"});
    CPPUNIT_ASSERT(isEnabled("inventory"));
}

TEST(PluginCommandTest, pluginsThatNeedEachOtherAreEnabledTogether) {
    runWell({"plugin", "disable", "categories", "catalog"});
    const auto result = run({"plugin", "enable", "catalog", "categories"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    CPPUNIT_ASSERT_MESSAGE(result.errors, result.errors.find("reload supplierd") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL_MESSAGE("nothing of the rehearsal is left", std::string::npos, result.errors.find("/tmp"));
}

TEST(PluginCommandTest, neededPluginIsNotDisabled) {
    const auto errors = runBadly({"plugin", "disable", "categories"}, 1);
    CPPUNIT_ASSERT_MESSAGE(errors, errors.find("needed by the enabled plugin catalog; run: supplierctl plugin "
                                               "disable catalog categories") != std::string::npos);
    CPPUNIT_ASSERT(isEnabled("categories"));
}

TEST(PluginCommandTest, neededPluginGoesTogetherWithWhatNeedsIt) {
    runWell({"plugin", "disable", "categories", "catalog"});
    CPPUNIT_ASSERT(!isEnabled("categories"));
    CPPUNIT_ASSERT(!isEnabled("catalog"));
}

TEST(PluginCommandTest, neededPluginIsDisabledByForce) {
    const auto result = run({"plugin", "disable", "categories", "--force"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    CPPUNIT_ASSERT(result.errors.find("catalog still needs it") != std::string::npos);
    CPPUNIT_ASSERT(!isEnabled("categories"));
}

} // namespace supplierd::tests
