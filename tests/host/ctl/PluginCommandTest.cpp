#include "tests/host/ctl/ControlFixture.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>

namespace supplierd::tests {

class PluginCommandTest : public ControlFixture {
    CPPUNIT_TEST_SUITE(PluginCommandTest);
    CPPUNIT_TEST(testListShowsWhatIsEnabled);
    CPPUNIT_TEST(testDisableAndEnableTurnTheSymlink);
    CPPUNIT_TEST(testEnablingAnUnknownPluginFails);
    CPPUNIT_TEST(testPluginThatAServerWouldNotStartWithIsNotEnabled);
    CPPUNIT_TEST(testPluginsThatNeedEachOtherAreEnabledTogether);
    CPPUNIT_TEST(testNeededPluginIsNotDisabled);
    CPPUNIT_TEST(testNeededPluginGoesTogetherWithWhatNeedsIt);
    CPPUNIT_TEST(testNeededPluginIsDisabledByForce);
    CPPUNIT_TEST_SUITE_END();

public:
    void testListShowsWhatIsEnabled() {
        runWell({"plugin", "disable", "catalog"});
        CPPUNIT_ASSERT(isEnabled("categories"));
        CPPUNIT_ASSERT(!isEnabled("catalog"));
        CPPUNIT_ASSERT(runWell({"plugin", "list"}).find("categories") != std::string::npos);
    }

    void testDisableAndEnableTurnTheSymlink() {
        const auto link = server().pluginsEnabled() / "catalog.so";
        CPPUNIT_ASSERT(changed({"plugin", "disable", "catalog"}));
        CPPUNIT_ASSERT(!std::filesystem::is_symlink(link));
        CPPUNIT_ASSERT(!changed({"plugin", "disable", "catalog"}));
        CPPUNIT_ASSERT(changed({"plugin", "enable", "catalog"}));
        CPPUNIT_ASSERT(std::filesystem::is_symlink(link));
        CPPUNIT_ASSERT(!changed({"plugin", "enable", "catalog"}));
    }

    void testEnablingAnUnknownPluginFails() {
        const auto errors = runBadly({"plugin", "enable", "wishlist"}, 1);
        CPPUNIT_ASSERT_MESSAGE(errors, errors.find("wishlist") != std::string::npos);
        CPPUNIT_ASSERT(!std::filesystem::is_symlink(server().pluginsEnabled() / "wishlist.so"));
    }

    /// One whose need is missing, and one whose configuration is wrong.
    void testPluginThatAServerWouldNotStartWithIsNotEnabled() {
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

    void testPluginsThatNeedEachOtherAreEnabledTogether() {
        runWell({"plugin", "disable", "categories", "catalog"});
        const auto result = run({"plugin", "enable", "catalog", "categories"});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
        CPPUNIT_ASSERT_MESSAGE(result.errors, result.errors.find("reload supplierd") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL_MESSAGE("nothing of the rehearsal is left", std::string::npos, result.errors.find("/tmp"));
    }

    void testNeededPluginIsNotDisabled() {
        const auto errors = runBadly({"plugin", "disable", "categories"}, 1);
        CPPUNIT_ASSERT_MESSAGE(errors, errors.find("needed by the enabled plugin catalog; run: supplierctl plugin "
                                                   "disable catalog categories") != std::string::npos);
        CPPUNIT_ASSERT(isEnabled("categories"));
    }

    void testNeededPluginGoesTogetherWithWhatNeedsIt() {
        runWell({"plugin", "disable", "categories", "catalog"});
        CPPUNIT_ASSERT(!isEnabled("categories"));
        CPPUNIT_ASSERT(!isEnabled("catalog"));
    }

    void testNeededPluginIsDisabledByForce() {
        const auto result = run({"plugin", "disable", "categories", "--force"});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
        CPPUNIT_ASSERT(result.errors.find("catalog still needs it") != std::string::npos);
        CPPUNIT_ASSERT(!isEnabled("categories"));
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(PluginCommandTest);

} // namespace supplierd::tests
