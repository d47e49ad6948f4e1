#include "host/plugins/PluginSymlinks.h"

#include "tests/host/plugins/EnabledPlugins.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <fstream>

namespace supplierd::tests {

using host::PluginChange;
using host::PluginFileError;
using host::PluginListing;
using host::PluginSymlinks;

namespace fs = std::filesystem;

class PluginSymlinksTest : public CppUnit::TestFixture {
protected:
    template <class Action>
    static std::string refusal(Action&& action) {
        try {
            action();
        } catch (const PluginFileError& error) {
            return error.what();
        }
        return "not refused";
    }

    static std::string notes(const PluginChange& change) {
        std::string text;
        for (const std::string& note : change.notes)
            text += note + "\n";
        return text;
    }

    static PluginListing find(const std::vector<PluginListing>& list, const std::string& id) {
        for (const PluginListing& listing : list) {
            if (listing.id == id)
                return listing;
        }
        CPPUNIT_FAIL("not listed: " + id);
        return {};
    }

    int entries() const {
        int count = 0;
        for ([[maybe_unused]] const auto& entry : fs::directory_iterator(_enabled))
            ++count;
        return count;
    }

    TemporaryDirectory _folder{"symlinks"};
    fs::path _enabled = _folder / "plugins-enabled";
    PluginSymlinks _symlinks{SUPPLIERD_TEST_FIXTURE_DIR, _enabled};
};

TEST(PluginSymlinksTest, enablingMakesTheFolderAndTheSymlink) {
    const PluginChange change = _symlinks.enable("good");
    CPPUNIT_ASSERT(change.changed);
    CPPUNIT_ASSERT_EQUAL((_enabled / "good.so").string(), change.symlink.string());
    CPPUNIT_ASSERT_EQUAL(EnabledPlugins::fixture("good").string(), fs::read_symlink(change.symlink).string());
    CPPUNIT_ASSERT_EQUAL(std::string("it has tables of its own; run: supplierctl migrate\n"
                                     "reload supplierd (systemctl reload supplierd; without systemd: kill -HUP PID) "
                                     "to load it\n"),
                         notes(change));
    CPPUNIT_ASSERT_EQUAL(1, entries());
}

TEST(PluginSymlinksTest, enablingTwiceChangesNothing) {
    _symlinks.enable("good");
    const PluginChange change = _symlinks.enable("good");
    CPPUNIT_ASSERT(!change.changed);
    CPPUNIT_ASSERT_EQUAL(std::string(), notes(change));
}

TEST(PluginSymlinksTest, enablingTellsWhatElseIsNeeded) {
    CPPUNIT_ASSERT_EQUAL(
        std::string("plugin 'needs-good' needs plugin 'good', which is not enabled; run: supplierctl "
                    "plugin enable good\nreload supplierd (systemctl reload supplierd; without systemd: kill -HUP PID) "
                    "to load it\n"),
        notes(_symlinks.enable("needs-good")));
    _symlinks.enable("good");
    CPPUNIT_ASSERT_EQUAL(std::string(), notes(_symlinks.enable("needs-good")));
}

TEST(PluginSymlinksTest, enablingReplacesASymlinkThatPointsElsewhere) {
    fs::create_directory(_enabled);
    fs::create_symlink("/nowhere/good.so", _enabled / "good.so");
    CPPUNIT_ASSERT(_symlinks.enable("good").changed);
    CPPUNIT_ASSERT_EQUAL(EnabledPlugins::fixture("good").string(), fs::read_symlink(_enabled / "good.so").string());
    CPPUNIT_ASSERT_EQUAL(1, entries());
}

TEST(PluginSymlinksTest, whatCannotBeLoadedIsNotEnabled) {
    const std::string message = refusal([this] { _symlinks.enable("wrong-poco"); });
    requireIn("not loaded: needs libPocoFoundation.so.31, this host runs with", message);
    requireIn("supplierd_plugin_entry", refusal([this] { _symlinks.enable("no-entry"); }));
    CPPUNIT_ASSERT(!fs::exists(_enabled));
}

TEST(PluginSymlinksTest, unknownPluginNamesTheNearest) {
    CPPUNIT_ASSERT_EQUAL(
        std::string("there is no plugin 'goood' in " SUPPLIERD_TEST_FIXTURE_DIR "; did you mean 'good'?"),
        refusal([this] { _symlinks.enable("goood"); }));
}

TEST(PluginSymlinksTest, nameThatIsAPathIsRefused) {
    for (const std::string name : {"../good", "/etc/passwd", "", "good.so"})
        CPPUNIT_ASSERT_EQUAL("'" + name + "' is no plugin's name: that is 1 to 32 of a-z, 0-9 and -",
                             refusal([&] { _symlinks.enable(name); }));
}

TEST(PluginSymlinksTest, rehearsalHasWhatWouldBeEnabledAndChangesNothing) {
    _symlinks.enable("good");
    fs::create_symlink("good.so", _enabled / "near.so"); // from where it lies
    const fs::path rehearsal = _folder / "rehearsal";
    fs::create_directory(rehearsal);
    _symlinks.rehearse({"needs-good"}, rehearsal);
    CPPUNIT_ASSERT_EQUAL(2, entries());
    CPPUNIT_ASSERT_EQUAL(EnabledPlugins::fixture("good").string(), fs::read_symlink(rehearsal / "good.so").string());
    CPPUNIT_ASSERT_EQUAL((_enabled / "good.so").string(), fs::read_symlink(rehearsal / "near.so").string());
    CPPUNIT_ASSERT_EQUAL(EnabledPlugins::fixture("needs-good").string(),
                         fs::read_symlink(rehearsal / "needs-good.so").string());
    fs::create_directory(_folder / "other");
    CPPUNIT_ASSERT_EQUAL(
        std::string("there is no plugin 'goood' in " SUPPLIERD_TEST_FIXTURE_DIR "; did you mean 'good'?"),
        refusal([&] { _symlinks.rehearse({"goood"}, _folder / "other"); }));
}

TEST(PluginSymlinksTest, fileInPlaceOfTheSymlinkIsLeftAlone) {
    fs::create_directory(_enabled);
    std::ofstream(_enabled / "good.so") << "kept";
    CPPUNIT_ASSERT_EQUAL((_enabled / "good.so").string() + " is not a symlink; remove it, then run this again",
                         refusal([this] { _symlinks.enable("good"); }));
    CPPUNIT_ASSERT_EQUAL((_enabled / "good.so").string() + " is not a symlink; remove it by hand",
                         refusal([this] { _symlinks.disable("good"); }));
    CPPUNIT_ASSERT(fs::is_regular_file(_enabled / "good.so"));
}

TEST(PluginSymlinksTest, whoNeedsAPluginIsTold) {
    _symlinks.enable("good");
    _symlinks.enable("needs-good");
    CPPUNIT_ASSERT(std::vector<std::string>{"needs-good"} == _symlinks.enabledThatNeed({"good"}));
    CPPUNIT_ASSERT((_symlinks.enabledThatNeed({"good", "needs-good"}).empty()));
    CPPUNIT_ASSERT(_symlinks.enabledThatNeed({"needs-good"}).empty());
    const PluginChange change = _symlinks.disable("good");
    CPPUNIT_ASSERT(change.changed);
    CPPUNIT_ASSERT(!fs::exists(fs::symlink_status(_enabled / "good.so")));
    CPPUNIT_ASSERT_EQUAL(std::string("reload supplierd (systemctl reload supplierd; without systemd: kill -HUP PID) "
                                     "to leave it out\n"),
                         notes(change));
}

TEST(PluginSymlinksTest, offerersOfAServiceAreFoundAmongAllThatAreInstalled) {
    CPPUNIT_ASSERT((std::vector<std::string>{"good", "same-service"} == _symlinks.offerersOf("test.good/1")));
    CPPUNIT_ASSERT(_symlinks.offerersOf("test.none/1").empty());
}

TEST(PluginSymlinksTest, disablingRemovesADanglingSymlink) {
    fs::create_directory(_enabled);
    fs::create_symlink("/nowhere/gone.so", _enabled / "gone.so");
    CPPUNIT_ASSERT(_symlinks.disable("gone").changed);
    CPPUNIT_ASSERT_EQUAL(0, entries());
}

TEST(PluginSymlinksTest, disablingWhatIsNotEnabledChangesNothing) {
    CPPUNIT_ASSERT(!_symlinks.disable("good").changed);
    CPPUNIT_ASSERT_EQUAL(
        std::string("there is no plugin 'goood' in " SUPPLIERD_TEST_FIXTURE_DIR "; did you mean 'good'?"),
        refusal([this] { _symlinks.disable("goood"); }));
}

TEST(PluginSymlinksTest, listShowsEnabledDisabledAndBroken) {
    _symlinks.enable("good");
    fs::create_symlink("/nowhere/gone.so", _enabled / "gone.so");
    fs::create_symlink("circle.so", _enabled / "circle.so");
    const std::vector<PluginListing> list = _symlinks.list();

    const PluginListing good = find(list, "good");
    CPPUNIT_ASSERT(good.enabled && good.problem.empty() && good.note);
    CPPUNIT_ASSERT_EQUAL(std::string("1.2.3"), good.note->version);
    const PluginListing disabled = find(list, "needs-good");
    CPPUNIT_ASSERT(!disabled.enabled && disabled.problem.empty());
    const PluginListing dangling = find(list, "gone");
    CPPUNIT_ASSERT(dangling.enabled && !dangling.note);
    requireIn("the symlink points at /nowhere/gone.so", dangling.problem);
    requireIn("symlinks lead in a circle", find(list, "circle").problem);
    const PluginListing foreign = find(list, "wrong-poco");
    CPPUNIT_ASSERT(!foreign.enabled && foreign.note);
    requireIn("libPocoFoundation.so.31", foreign.problem);
    requireIn("it has no note", find(list, "no-note").problem);
}

TEST(PluginSymlinksTest, checkTellsWhatALoadWouldTell) {
    CPPUNIT_ASSERT_EQUAL(std::string("good"), host::inspectPlugin(EnabledPlugins::fixture("good")).id);
    const std::string message = refusal([] { host::inspectPlugin(EnabledPlugins::fixture("malformed")); });
    requireIn("the route pattern 'things/{id:int}' is malformed", message);
}

} // namespace supplierd::tests
