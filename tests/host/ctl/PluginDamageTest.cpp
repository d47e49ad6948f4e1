#include "tests/host/ctl/ControlFixture.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <elf.h>
#include <link.h>

#include <chrono>
#include <cstring>
#include <string>

namespace supplierd::tests {

/// An enabled plugin whose file is damaged so that loading it ends the process. The tools live on and name it.
class PluginDamageTest : public ControlFixture {
protected:
    TemporaryDirectory _folder{"damage"};

    std::filesystem::path file() const { return _folder / "faulty.so"; }

    /// The system's loader finds the symbols at an address that is none.
    static std::string damaged(std::string bytes) {
        ElfW(Ehdr) header;
        std::memcpy(&header, bytes.data(), sizeof header);
        for (unsigned i = 0; i < header.e_phnum; ++i) {
            ElfW(Phdr) segment;
            std::memcpy(&segment, &bytes[header.e_phoff + i * sizeof segment], sizeof segment);
            for (std::size_t at = 0; segment.p_type == PT_DYNAMIC && at < segment.p_filesz; at += sizeof(ElfW(Dyn))) {
                ElfW(Dyn) entry;
                std::memcpy(&entry, &bytes[segment.p_offset + at], sizeof entry);
                if (entry.d_tag == DT_SYMTAB)
                    entry.d_un.d_ptr = 0x7000'0000;
                std::memcpy(&bytes[segment.p_offset + at], &entry, sizeof entry);
            }
        }
        return bytes;
    }

    void link() { std::filesystem::create_symlink(file(), server().pluginsEnabled() / "faulty.so"); }

public:
    void setUp() override {
        ControlFixture::setUp();
        writeWholeFile(file(), damaged(readWholeFile(SUPPLIERD_TEST_FAULTY_PLUGIN)));
    }
};

TEST(PluginDamageTest, othersAndItselfCanBeDisabled) {
    link();
    runWell({"plugin", "disable", "catalog"});
    CPPUNIT_ASSERT(!std::filesystem::is_symlink(server().pluginsEnabled() / "catalog.so"));
    runWell({"plugin", "disable", "faulty"});
    CPPUNIT_ASSERT(!std::filesystem::is_symlink(server().pluginsEnabled() / "faulty.so"));
    runWell({"migrate"});
}

TEST(PluginDamageTest, enablingItIsRefusedByName) {
    writeExtraConfiguration("[server]\nplugin_dir = \"" + _folder.path().string() + "\"\n");
    const auto errors = runBadly({"plugin", "enable", "faulty"}, 1);
    requireIn("plugin 'faulty' (" + file().string(), errors);
    requireIn("the file is damaged", errors);
    CPPUNIT_ASSERT(!std::filesystem::is_symlink(server().pluginsEnabled() / "faulty.so"));
}

TEST(PluginDamageTest, toolsThatNeedAllPluginsNameIt) {
    link();
    for (const auto& command : {std::vector<std::string>{"migrate"}, {"doctor"}, {"config", "check"}}) {
        const auto result = run(command);
        const std::string told = result.output + result.errors;
        CPPUNIT_ASSERT_EQUAL_MESSAGE(told, 1, result.exitCode);
        requireIn("loading plugin 'faulty' (" + file().string(), told);
        requireIn("supplierctl plugin disable", told);
    }
}

TEST(PluginDamageTest, anotherIsValidatedBesideIt) {
    writeExtraConfiguration("[server]\nplugin_dir = \"" + _folder.path().string() + "\"\n");
    CPPUNIT_ASSERT(runJson({"plugin", "validate", ServerProcess::pluginFile("categories")}).at("ok").get<bool>());
}

TEST(PluginDamageTest, serverHasNamedItBeforeItEnds) {
    link();
    server().launch();
    CPPUNIT_ASSERT(server().process().waitFor(std::chrono::seconds(60)));
    const std::string log = server().log();
    CPPUNIT_ASSERT_MESSAGE(log, log.ends_with("supplierd: loading plugin 'faulty' (" + file().string() + ")\n"));
}

} // namespace supplierd::tests
