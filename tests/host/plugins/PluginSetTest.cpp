#include "host/config/SettingsLoader.h"
#include "host/db/schema/Migrator.h"
#include "tests/host/plugins/EnabledPlugins.h"
#include "tests/support/Test.h"

#include <supplierd/Abi.h>

#include <fstream>

namespace supplierd::tests {

using host::PluginSet;

class PluginSetTest : public CppUnit::TestFixture {
protected:
    static std::string hostAbi() {
        return std::to_string(SUPPLIERD_SDK_ABI_MAJOR) + "." + std::to_string(SUPPLIERD_SDK_ABI_MINOR);
    }

    static void assertMessages(const std::vector<std::string>& fixtures, const std::string& expected,
                               const std::string& loaded = {}) {
        EnabledPlugins enabled(fixtures);
        const PluginSet plugins = enabled.load();
        CPPUNIT_ASSERT_EQUAL(expected, enabled.messages());
        CPPUNIT_ASSERT_EQUAL(!expected.empty(), enabled.failed());
        CPPUNIT_ASSERT_EQUAL(loaded, ids(plugins));
    }

    static void assertConfigured(const std::string& configuration, const std::string& expected) {
        EnabledPlugins enabled({"good"});
        enabled.configure(configuration);
        enabled.load();
        CPPUNIT_ASSERT_EQUAL(expected, enabled.messages());
        CPPUNIT_ASSERT(enabled.failed());
    }
};

TEST(PluginSetTest, goodPluginIsLoadedWithItsDescription) {
    EnabledPlugins enabled({"good"});
    const PluginSet plugins = enabled.load();
    CPPUNIT_ASSERT_EQUAL(std::string(), enabled.messages());
    CPPUNIT_ASSERT_EQUAL(std::string("good"), ids(plugins));
    CPPUNIT_ASSERT_EQUAL(std::string("1.2.3"), plugins.find("good")->note.version);
    CPPUNIT_ASSERT(plugins.find("bad") == nullptr);
    CPPUNIT_ASSERT_EQUAL(std::size_t(3), plugins.routes().size());
    CPPUNIT_ASSERT_EQUAL(std::size_t(1), plugins.migrations().size());
    CPPUNIT_ASSERT_EQUAL(std::string("good"), plugins.migrations()[0].component);
    CPPUNIT_ASSERT_EQUAL(std::size_t(2), plugins.migrations()[0].migrations.size());
}

TEST(PluginSetTest, pluginWithoutEntryIsRefused) {
    assertMessages({"no-entry"},
                   "plugin 'no-entry' (<fixtures>/no-entry.so) not loaded: it does not export "
                   "supplierd_plugin_entry; build it with supplierd_add_plugin() and put SUPPLIERD_PLUGIN(...) into "
                   "one of its sources\n");
}

TEST(PluginSetTest, pluginOfAnotherMajorIsRefused) {
    assertMessages({"wrong-major"}, "plugin 'wrong-major' (<fixtures>/wrong-major.so) not loaded: needs SDK ABI 7.5, "
                                    "this host provides " +
                                        hostAbi() + "; upgrade supplierd or rebuild the plugin for " + hostAbi() +
                                        "\n");
}

TEST(PluginSetTest, pluginOfANewerMinorIsRefused) {
    const std::string newer =
        std::to_string(SUPPLIERD_SDK_ABI_MAJOR) + "." + std::to_string(SUPPLIERD_SDK_ABI_MINOR + 1);
    assertMessages({"newer-minor"}, "plugin 'newer-minor' (<fixtures>/newer-minor.so) not loaded: needs SDK ABI " +
                                        newer + ", this host provides " + hostAbi() +
                                        "; upgrade supplierd or rebuild the plugin for " + hostAbi() + "\n");
}

TEST(PluginSetTest, pluginOfAnotherPocoIsRefused) {
    assertMessages({"wrong-poco"}, "plugin 'wrong-poco' (<fixtures>/wrong-poco.so) not loaded: needs "
                                   "libPocoFoundation.so.31, this host runs with " +
                                       host::HostAbi::current().poco +
                                       "; rebuild the plugin with the Poco of this host\n");
}

TEST(PluginSetTest, pluginOfAnotherCxxAbiIsRefused) {
    assertMessages({"old-cxx-abi"},
                   "plugin 'old-cxx-abi' (<fixtures>/old-cxx-abi.so) not loaded: built for the C++ ABI "
                   "'libstdc++-old', this host has 'libstdc++-cxx11'; rebuild the plugin with the C++ library "
                   "settings of this host\n");
}

TEST(PluginSetTest, foreignLibraryIsRefused) {
    assertMessages({"no-note"},
                   "plugin 'no-note' (<fixtures>/no-note.so) not loaded: it has no note .note.supplierd.plugin: it is "
                   "not a supplierd plugin, or SUPPLIERD_PLUGIN(...) is missing in its source\n");
}

TEST(PluginSetTest, danglingSymlinkSaysWhereItPoints) {
    EnabledPlugins enabled;
    enabled.link("orders", "/nowhere/orders.so");
    enabled.load();
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'orders' (<config>/plugins-enabled/orders.so) not loaded: the symlink "
                                     "points at /nowhere/orders.so, which does not exist; install that plugin or run: "
                                     "supplierctl plugin disable orders\n"),
                         enabled.messages());
    CPPUNIT_ASSERT(enabled.failed());
}

TEST(PluginSetTest, symlinkOfAnotherNameIsRefused) {
    EnabledPlugins enabled;
    enabled.link("better", EnabledPlugins::fixture("good"));
    enabled.load();
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'better' (<config>/plugins-enabled/better.so) not loaded: its id is "
                                     "'good', so the symlink must be named good.so\n"),
                         enabled.messages());
}

TEST(PluginSetTest, onePluginUnderTwoNamesIsRefused) {
    EnabledPlugins enabled({"good"});
    enabled.link("better", EnabledPlugins::fixture("good"));
    const PluginSet plugins = enabled.load();
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'better' (<config>/plugins-enabled/better.so) not loaded: its id is "
                                     "'good', and good.so is there too: one id, one plugin; remove this symlink\n"),
                         enabled.messages());
    CPPUNIT_ASSERT_EQUAL(std::string("good"), ids(plugins));
}

TEST(PluginSetTest, missingDependencyNamesTheCommand) {
    assertMessages({"missing-dependency"},
                   "plugin 'missing-dependency' needs plugin 'absent', which is not installed here; install it (of "
                   "Debian's packages, supplierd-plugin-absent), or run: supplierctl plugin disable "
                   "missing-dependency\n");
}

TEST(PluginSetTest, missingServiceIsNamed) {
    assertMessages({"missing-service"}, "plugin 'missing-service' needs the service 'vendor.absent/1', which no "
                                        "enabled plugin offers\n");
}

TEST(PluginSetTest, dependencyThatCouldNotBeLoadedIsTold) {
    EnabledPlugins enabled({"needs-good"});
    enabled.link("good", "/nowhere/good.so");
    enabled.load();
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'good' (<config>/plugins-enabled/good.so) not loaded: the symlink points "
                                     "at /nowhere/good.so, which does not exist; install that plugin or run: "
                                     "supplierctl plugin disable good\n"
                                     "plugin 'needs-good' needs plugin 'good', which is enabled but could not be "
                                     "loaded (see its own message)\n"),
                         enabled.messages());
}

TEST(PluginSetTest, circleIsNamedInFull) {
    assertMessages({"circle-alpha", "circle-beta", "circle-gamma", "good"},
                   "plugins need each other in a circle: circle-alpha → circle-beta → circle-gamma → circle-alpha "
                   "(each must start after the next); run: supplierctl plugin disable circle-alpha\n",
                   "good");
}

TEST(PluginSetTest, routeClashNamesBothPlugins) {
    assertMessages({"clash-alpha", "clash-beta"},
                   "route clash: plugin 'clash-alpha' has GET /things/{id:int} and plugin 'clash-beta' has GET "
                   "/things/{name}; run: supplierctl plugin disable clash-beta\n",
                   "clash-alpha clash-beta");
}

TEST(PluginSetTest, serviceOfferedTwiceNamesBothPlugins) {
    assertMessages({"good", "same-service"},
                   "plugins 'good' and 'same-service' both offer the service 'test.good/1'; run: supplierctl plugin "
                   "disable same-service\n",
                   "good");
}

TEST(PluginSetTest, pluginsAreOrderedByTheirNeeds) {
    assertMessages({"after-good", "after-service", "clash-alpha", "good", "needs-good"}, "",
                   "good after-good after-service clash-alpha needs-good");
    assertMessages({"after-good", "after-service"}, "", "after-good after-service");
}

TEST(PluginSetTest, malformedDescriptionTellsEveryMistake) {
    const std::string who = "plugin 'malformed' (<fixtures>/malformed.so) not loaded: ";
    assertMessages(
        {"malformed"},
        who + "the route pattern 'things/{id:int}' is malformed: it must begin with a slash\n" + who +
            "the route pattern '/things/{id:uuid}' is malformed: the only parameter type is int, as in {id:int}\n" +
            who + "its route GET /things has no handler\n" + who +
            "its migrations must be numbered 1, 2, 3, … in order; found number 3 ('third') where 2 is due\n" + who +
            "its configuration key 'wait' has a default that is not valid as it would stand in the file: 5s\n" + who +
            "its configuration key 'optional' is the host's: [plugins.<id>] optional = true\n" + who +
            "its configuration key 'Limit' must be named with a-z, 0-9 and _\n" + who +
            "its configuration key 'beds' is a list of tables without keys\n" + who +
            "its configuration key 'beds' is a list of tables, whose default can only be []\n" + who +
            "its configuration key 'rows' has keys, but is no list of tables\n" + who +
            "its configuration key 'rows.Plant' must be named with a-z, 0-9 and _\n" + who +
            "it needs 'Catalog', which is no plugin's id\n");
}

TEST(PluginSetTest, failingConstructorAndDescribeAreTold) {
    assertMessages({"throws-in-constructor", "throws-in-describe"},
                   "plugin 'throws-in-constructor' (<fixtures>/throws-in-constructor.so) not loaded: its constructor "
                   "failed: no clay\n"
                   "plugin 'throws-in-describe' (<fixtures>/throws-in-describe.so) not loaded: its describe() "
                   "failed: no words\n");
}

TEST(PluginSetTest, unknownKeyOfAPluginNamesPlaceAndNearestKey) {
    assertConfigured("[plugins.good]\nlimt = 7\n",
                     "<config>/supplierd.toml:3:1: unknown key 'limt'; did you mean 'limit'?\n");
    assertConfigured("[plugins.good]\noptinal = true\n",
                     "<config>/supplierd.toml:3:1: unknown key 'optinal'; did you mean 'optional'?\n");
}

TEST(PluginSetTest, illTypedKeyOfAPluginIsAnError) {
    assertConfigured("[plugins.good]\nlimit = \"7\"\nwait = 5\noptional = 1\n",
                     "<config>/supplierd.toml:3:9: limit must be an integer like 5, without quotes, found a text\n"
                     "<config>/supplierd.toml:4:8: wait must be a duration like \"2s\", found an integer\n"
                     "<config>/supplierd.toml:5:12: optional must be true or false, without quotes, found an "
                     "integer\n");
    assertConfigured("[plugins.good]\nlimit = 101\n",
                     "<config>/supplierd.toml:3:9: limit must be from 1 to 100, found 101\n");
}

TEST(PluginSetTest, valueThatThePluginRefusesHasItsPlace) {
    assertConfigured("[plugins.good]\nlimit = 13\n", "<config>/supplierd.toml:3:9: plugin 'good' refuses its "
                                                     "configuration: limit: 13 brings bad luck\n");
}

TEST(PluginSetTest, pluginThatThrowsAnythingInConfigureIsTold) {
    assertConfigured("[plugins.good]\nlimit = 66\n",
                     "<config>/supplierd.toml:2:10: plugin 'good' refuses its configuration: it threw something "
                     "that is no std::exception\n");
}

TEST(PluginSetTest, allErrorsAreToldAtOnce) {
    EnabledPlugins enabled({"good", "no-entry", "missing-dependency", "clash-alpha", "clash-beta"});
    enabled.configure("[server]\nthreads = 0\n[plugins.good]\nlimt = 7\n");
    enabled.load();
    const std::string messages = enabled.messages();
    for (const std::string part : {"supplierd.toml:3:11: threads must be", "unknown key 'limt'", "plugin 'no-entry'",
                                   "needs plugin 'absent'", "route clash"})
        CPPUNIT_ASSERT_MESSAGE(messages, messages.find(part) != std::string::npos);
}

TEST(PluginSetTest, optionalPluginIsLeftOutWithAWarning) {
    EnabledPlugins enabled({"good", "no-entry", "missing-dependency"});
    enabled.configure("[plugins.no-entry]\noptional = true\n[plugins.missing-dependency]\noptional = true\n");
    const PluginSet plugins = enabled.load();
    CPPUNIT_ASSERT(!enabled.failed());
    CPPUNIT_ASSERT_EQUAL(std::string("good"), ids(plugins));
    CPPUNIT_ASSERT_EQUAL(std::string("warning: plugin 'no-entry' (<fixtures>/no-entry.so) not loaded: it does not "
                                     "export supplierd_plugin_entry; build it with supplierd_add_plugin() and put "
                                     "SUPPLIERD_PLUGIN(...) into one of its sources (left out: it is optional)\n"
                                     "warning: plugin 'missing-dependency' needs plugin 'absent', which is not "
                                     "installed here; install it (of Debian's packages, supplierd-plugin-absent), "
                                     "or run: supplierctl plugin disable missing-dependency (left out: it is "
                                     "optional)\n"),
                         enabled.messages());
}

TEST(PluginSetTest, slipInTheTableOfAnOptionalPluginIsStillAnError) {
    assertConfigured("[plugins.good]\noptional = true\nlimt = 7\n",
                     "<config>/supplierd.toml:4:1: unknown key 'limt'; did you mean 'limit'?\n");
}

TEST(PluginSetTest, whatNeedsALeftOutPluginIsAnError) {
    EnabledPlugins enabled({"good", "needs-good"});
    enabled.configure("[plugins.good]\noptional = true\nlimit = 13\n");
    enabled.load();
    CPPUNIT_ASSERT(enabled.failed());
    CPPUNIT_ASSERT_EQUAL(std::string("<config>/supplierd.toml:4:9: warning: plugin 'good' refuses its configuration: "
                                     "limit: 13 brings bad luck (left out: it is optional)\n"
                                     "plugin 'needs-good' needs plugin 'good', which is enabled but could not be "
                                     "loaded (see its own message)\n"),
                         enabled.messages());
}

TEST(PluginSetTest, optionalPluginYieldsInARouteClash) {
    EnabledPlugins enabled({"clash-alpha", "clash-beta"});
    enabled.configure("[plugins.clash-alpha]\noptional = true\n");
    const PluginSet plugins = enabled.load();
    CPPUNIT_ASSERT(!enabled.failed());
    CPPUNIT_ASSERT_EQUAL(std::string("clash-beta"), ids(plugins));
}

TEST(PluginSetTest, tableOfADisabledPluginIsFine) {
    EnabledPlugins enabled;
    enabled.configure("[plugins.good]\nanything = 1\n");
    enabled.load();
    CPPUNIT_ASSERT_EQUAL(std::string(), enabled.messages());
}

TEST(PluginSetTest, tableOfAnUnknownPluginIsAWarning) {
    EnabledPlugins enabled({"good"});
    enabled.configure("[plugins.goood]\nlimit = 1\n");
    enabled.load();
    CPPUNIT_ASSERT_EQUAL(std::string("<config>/supplierd.toml:2:10: warning: [plugins.goood]: no such plugin in "
                                     "<fixtures>; did you mean 'good'?\n"),
                         enabled.messages());
    CPPUNIT_ASSERT(!enabled.failed());
}

TEST(PluginSetTest, missingFolderOfSymlinksIsAWarning) {
    EnabledPlugins enabled;
    std::filesystem::remove(enabled.path("plugins-enabled"));
    enabled.load();
    CPPUNIT_ASSERT_EQUAL(std::string("warning: no plugin is enabled: the folder <config>/plugins-enabled: does not "
                                     "exist; run: supplierctl plugin enable NAME\n"),
                         enabled.messages());
    CPPUNIT_ASSERT(!enabled.failed());
}

TEST(PluginSetTest, symlinkWithoutTheEndingIsAWarning) {
    EnabledPlugins enabled;
    std::filesystem::create_symlink(EnabledPlugins::fixture("good"), enabled.path("plugins-enabled/good"));
    std::ofstream(enabled.path("plugins-enabled/README")) << "symlinks to plugins\n";
    enabled.load();
    CPPUNIT_ASSERT_EQUAL(
        std::string("warning: <config>/plugins-enabled/good is not loaded: the names of plugins end in .so\n"),
        enabled.messages());
}

TEST(PluginSetTest, everyStepIsNamedBeforeItIsTaken) {
    const EnabledPlugins enabled({"after-good", "good"});
    host::Diagnostics problems;
    const host::Settings settings = host::loadSettings(enabled.path("supplierd.toml"), problems);
    std::string steps;
    PluginSet::load(settings, problems, [&](const std::string& step) { steps += step + "\n"; });
    CPPUNIT_ASSERT_EQUAL(std::string("loading plugin 'after-good' (<fixtures>/after-good.so)\n"
                                     "loading plugin 'good' (<fixtures>/good.so)\n"
                                     "configuring plugin 'after-good'\nconfiguring plugin 'good'\n"),
                         enabled.shortened(steps));
}

TEST(PluginSetTest, pluginThatIsLeftOutTakesAlongWhatNeedsIt) {
    EnabledPlugins enabled({"good", "needs-good", "after-good"});
    PluginSet plugins = enabled.load();
    const auto gone = plugins.leaveOut("good", "it is too old");
    CPPUNIT_ASSERT_EQUAL(std::string("after-good"), ids(plugins));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, gone.size());
    CPPUNIT_ASSERT_EQUAL(std::string("good it is too old"), gone[0].id + " " + gone[0].reason);
    CPPUNIT_ASSERT_EQUAL(std::string("needs-good plugin 'needs-good' needs 'good', which is left out"),
                         gone[1].id + " " + gone[1].reason);
    CPPUNIT_ASSERT(plugins.leaveOut("good", "again").empty());
}

} // namespace supplierd::tests
