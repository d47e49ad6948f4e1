#include "host/plugins/PluginOrder.h"
#include "tests/sdk/operating/OperatedServer.h"
#include "tests/support/Control.h"
#include "tests/support/Test.h"

namespace supplierd::tests {

using host::PluginNeed;

/// A plugin that needs another one says of which version.
class NeededVersionTest : public CppUnit::TestFixture {
protected:
    /// `supplierctl config check` of a server with that plugin and the one that it needs.
    static CommandResult check(const std::string& id) {
        TestDatabase database;
        auto options = operatedOptions();
        options.pluginFiles.push_back(options.pluginFiles.front().parent_path() / (id + ".so"));
        const ServerProcess server(ServerProcess::NotStarted{}, database, options);
        return runControl(server, {"config", "check"});
    }
};

TEST(NeededVersionTest, needsAreRead) {
    const auto read = [](const std::string& text) {
        const PluginNeed need = PluginNeed::parse(text);
        return need.name + "|" + need.leastVersion;
    };
    CPPUNIT_ASSERT_EQUAL(std::string("catalog|1.2"), read("catalog >= 1.2"));
    CPPUNIT_ASSERT_EQUAL(std::string("catalog|"), read("catalog"));
    CPPUNIT_ASSERT_EQUAL(std::string("vendor.thing/1|"), read("vendor.thing/1"));
    // Nobody's name: such a need is told as one that is unmet.
    CPPUNIT_ASSERT_EQUAL(std::string("catalog >= new|"), read("catalog >= new"));
    CPPUNIT_ASSERT_EQUAL(std::string("catalog >= |"), read("catalog >= "));
    CPPUNIT_ASSERT_EQUAL(std::string("vendor.thing/1 >= 2|"), read("vendor.thing/1 >= 2"));
}

TEST(NeededVersionTest, versionsAreComparedByTheirNumbers) {
    const auto isMet = [](const char* least, const char* version) { return PluginNeed{"x", least}.isMetBy(version); };
    CPPUNIT_ASSERT(isMet("1.9", "1.10.0"));
    CPPUNIT_ASSERT(isMet("1.10", "1.10"));
    CPPUNIT_ASSERT(isMet("1.10.0", "1.10"));
    CPPUNIT_ASSERT(isMet("", "0.1"));
    CPPUNIT_ASSERT(!isMet("1.10.1", "1.10"));
    CPPUNIT_ASSERT(!isMet("2", "1.99.99"));
}

TEST(NeededVersionTest, serverStartsWithAVersionThatIsNewEnough) {
    const auto checked = check("contented");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(checked.output + checked.errors, 0, checked.exitCode);
}

TEST(NeededVersionTest, versionThatIsTooOldIsNamed) {
    const auto checked = check("demanding");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(checked.output + checked.errors, 1, checked.exitCode);
    const std::string reason = "plugin 'demanding' needs plugin 'operated' of version 1.11 or later, and 1.10.0 is "
                               "installed; install a later one (of Debian's packages: supplierd-plugin-operated)";
    CPPUNIT_ASSERT_MESSAGE(checked.output + checked.errors,
                           (checked.output + checked.errors).find(reason) != std::string::npos);
}

} // namespace supplierd::tests
