#include "tests/host/plugins/EnabledPlugins.h"
#include "tests/host/plugins/RecordingHost.h"
#include "tests/support/Test.h"

#include <utility>

namespace supplierd::tests {

using host::PluginSet;
using host::PluginStartError;

class PluginLifecycleTest : public CppUnit::TestFixture {
protected:
    void start(PluginSet& plugins) {
        plugins.start([this](const host::LoadedPlugin& plugin) -> Host& { return _host.forPlugin(plugin); }, _warnings,
                      [this](const host::LoadedPlugin& plugin, const std::string&) { _leftOut = plugin.id(); });
    }

    std::string startError(PluginSet& plugins) {
        try {
            start(plugins);
        } catch (const PluginStartError& error) {
            return error.what();
        }
        return "no error";
    }

    RecordingHost _host;
    host::Diagnostics _warnings;
    std::string _leftOut;
};

TEST(PluginLifecycleTest, pluginsStartInOrderAndStopInReverse) {
    EnabledPlugins enabled({"after-good", "good", "needs-good"});
    PluginSet plugins = enabled.load();
    start(plugins);
    CPPUNIT_ASSERT_EQUAL(std::string("start good with limit 5\nstart after-good\nstart needs-good\n"), _host.take());
    plugins.ready();
    CPPUNIT_ASSERT_EQUAL(std::string("ready good\nready after-good\nready needs-good\n"), _host.take());
    plugins.drain(_warnings);
    CPPUNIT_ASSERT_EQUAL(std::string("drain needs-good\ndrain after-good\ndrain good\n"), _host.take());
    plugins.stop();
    CPPUNIT_ASSERT_EQUAL(std::string("stop needs-good\nstop after-good\nstop good\n"), _host.take());
    plugins.stop();
    CPPUNIT_ASSERT_EQUAL(std::string(), _host.take());
    CPPUNIT_ASSERT(_warnings.empty());
}

TEST(PluginLifecycleTest, configuredValueReachesThePlugin) {
    EnabledPlugins enabled({"good"});
    enabled.configure("[plugins.good]\nlimit = 42\n");
    PluginSet plugins = enabled.load();
    start(plugins);
    CPPUNIT_ASSERT_EQUAL(std::string("start good with limit 42\n"), _host.take());
    CPPUNIT_ASSERT(_host.services().find("test.good/1") != nullptr);
}

TEST(PluginLifecycleTest, failedStartStopsWhatRanWithItsReason) {
    EnabledPlugins enabled({"good", "throws-at-start"});
    PluginSet plugins = enabled.load();
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'throws-at-start' failed to start: the cellar is flooded"),
                         startError(plugins));
    CPPUNIT_ASSERT_EQUAL(std::string("start good with limit 5\nstart throws-at-start\nstop throws-at-start\n"
                                     "stop good\n"),
                         _host.take());
}

TEST(PluginLifecycleTest, pluginThatRequiresAServiceThatNobodyHasIsNamedWithIt) {
    EnabledPlugins enabled({"requires-absent"});
    PluginSet plugins = enabled.load();
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'requires-absent' failed to start: nobody offers the service "
                                     "'vendor.absent/1', which it cannot do without"),
                         startError(plugins));
    CPPUNIT_ASSERT_EQUAL(std::string("start requires-absent\nstop requires-absent\n"), _host.take());
}

TEST(PluginLifecycleTest, pluginThatThrowsANumberIsStoppedToo) {
    EnabledPlugins enabled({"throws-a-number"});
    PluginSet plugins = enabled.load();
    CPPUNIT_ASSERT_EQUAL(
        std::string("plugin 'throws-a-number' failed to start: it threw something that is no std::exception"),
        startError(plugins));
    CPPUNIT_ASSERT_EQUAL(std::string("start throws-a-number\nstop throws-a-number\n"), _host.take());
}

TEST(PluginLifecycleTest, optionalPluginThatFailsToStartIsLeftOut) {
    EnabledPlugins enabled({"clash-alpha", "good", "throws-at-start"});
    enabled.configure("[plugins.throws-at-start]\noptional = true\n");
    PluginSet plugins = enabled.load();
    start(plugins);
    CPPUNIT_ASSERT_EQUAL(std::string("clash-alpha good"), ids(plugins));
    CPPUNIT_ASSERT_EQUAL(std::string("warning: plugin 'throws-at-start' failed to start: the cellar is flooded (left "
                                     "out: it is optional)\n"),
                         _warnings.toString());
    CPPUNIT_ASSERT_EQUAL(std::string("start clash-alpha\nstart good with limit 5\nstart throws-at-start\n"
                                     "stop throws-at-start\n"),
                         _host.take());
    CPPUNIT_ASSERT_EQUAL(std::string("throws-at-start"), _leftOut);
}

TEST(PluginLifecycleTest, whatNeedsAPluginThatFailedToStartFailsToo) {
    EnabledPlugins enabled({"needs-failing", "throws-at-start"});
    enabled.configure("[plugins.throws-at-start]\noptional = true\n");
    PluginSet plugins = enabled.load();
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'needs-failing' failed to start: it needs 'throws-at-start', which "
                                     "failed to start"),
                         startError(plugins));
}

TEST(PluginLifecycleTest, optionalOnesThatNeedAFailedPluginAreLeftOutWithIt) {
    EnabledPlugins enabled({"good", "needs-failing", "throws-at-start"});
    enabled.configure("[plugins.throws-at-start]\noptional = true\n[plugins.needs-failing]\noptional = true\n");
    PluginSet plugins = enabled.load();
    start(plugins);
    CPPUNIT_ASSERT_EQUAL(std::string("good"), ids(plugins));
    CPPUNIT_ASSERT_EQUAL(std::size_t(3), plugins.routes().size());
}

TEST(PluginLifecycleTest, failedReadyNamesThePlugin) {
    EnabledPlugins enabled({"good", "throws-in-ready"});
    PluginSet plugins = enabled.load();
    start(plugins);
    std::string message;
    try {
        plugins.ready();
    } catch (const PluginStartError& error) {
        message = error.what();
    }
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'throws-in-ready' failed to become ready: not today"), message);
    _host.take();
    plugins.stop();
    CPPUNIT_ASSERT_EQUAL(std::string("stop throws-in-ready\nstop good\n"), _host.take());
}

TEST(PluginLifecycleTest, failedDrainIsAWarningAndTheOthersAreDrained) {
    EnabledPlugins enabled({"good", "throws-in-ready"});
    PluginSet plugins = enabled.load();
    start(plugins);
    _host.take();
    plugins.drain(_warnings);
    CPPUNIT_ASSERT_EQUAL(std::string("drain good\n"), _host.take());
    CPPUNIT_ASSERT_EQUAL(std::string("warning: plugin 'throws-in-ready' failed to drain: the drain is blocked\n"),
                         _warnings.toString());
}

TEST(PluginLifecycleTest, setThatGoesStopsItsPlugins) {
    {
        EnabledPlugins enabled({"good"});
        PluginSet plugins = enabled.load();
        start(plugins);
        _host.take();
    }
    CPPUNIT_ASSERT_EQUAL(std::string("stop good\n"), _host.take());
}

TEST(PluginLifecycleTest, movedSetIsStoppedOnce) {
    EnabledPlugins enabled({"good"});
    {
        PluginSet first = enabled.load();
        start(first);
        _host.take();
        const PluginSet second(std::move(first));
        CPPUNIT_ASSERT_EQUAL(std::string("good"), ids(second));
    }
    CPPUNIT_ASSERT_EQUAL(std::string("stop good\n"), _host.take());
}

} // namespace supplierd::tests
