#include "host/plugins/PluginNoteReader.h"

#include "tests/host/plugins/EnabledPlugins.h"
#include "tests/support/Test.h"

#include <elf.h>
#include <link.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

namespace supplierd::tests {

using host::HostAbi;
using host::PluginFileError;
using host::PluginNoteInfo;

class PluginNoteReaderTest : public CppUnit::TestFixture {
protected:
    struct PluginAbi {
        unsigned major;
        unsigned minor;
        unsigned needsMinor;
    };
    struct ProvidedAbi {
        unsigned major;
        unsigned minor;
    };

    static std::string mismatch(PluginAbi plugin, ProvidedAbi provided) {
        const PluginNoteInfo note{"/usr/lib/orders.so", "orders",          "1.0.0", plugin.major,
                                  plugin.minor,         plugin.needsMinor, "abi",   {}};
        return host::incompatibility(note, {provided.major, provided.minor, "abi", "libPocoFoundation.so.80"})
            .value_or("");
    }

    static std::string goodBytes() {
        std::ifstream stream(EnabledPlugins::fixture("good"), std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    static constexpr std::uintmax_t GIBIBYTE = 1024UL * 1024 * 1024;

    /// Has the headers say that this part begins where the good bytes end, and has 8 GiB.
    static void enlarge(std::string& bytes, const std::string& part) {
        ElfW(Ehdr) header;
        std::memcpy(&header, bytes.data(), sizeof header);
        std::size_t number = 0;
        for (unsigned i = 1; i < header.e_shnum; ++i) {
            ElfW(Shdr) section;
            std::memcpy(&section, &bytes[header.e_shoff + i * sizeof section], sizeof section);
            const bool isWanted = (part == "names" && i == header.e_shstrndx) ||
                                  (part == "note" && section.sh_offset + 24 == noteOffset(bytes) + 24) ||
                                  (part == "symbols" && section.sh_type == SHT_DYNSYM);
            if (isWanted)
                number = i;
        }
        if (part == "sections") // then section 0 has their number
            std::memset(&bytes[offsetof(ElfW(Ehdr), e_shnum)], 0, sizeof header.e_shnum);
        const std::uint64_t size = part == "sections" ? 8 * GIBIBYTE / sizeof(ElfW(Shdr)) : 8 * GIBIBYTE;
        std::memcpy(&bytes[header.e_shoff + number * sizeof(ElfW(Shdr)) + offsetof(ElfW(Shdr), sh_size)], &size,
                    sizeof size);
    }

    /// Of the note's header: its owner stands 12 bytes behind.
    static std::size_t noteOffset(const std::string& bytes) {
        const std::string head("\x0a\0\0\0\x70\0\0\0\x01\0\0\0supplierd\0", 22);
        const std::size_t offset = bytes.find(head);
        CPPUNIT_ASSERT(offset != std::string::npos);
        return offset;
    }

    void write(const std::string& bytes) { std::ofstream(_folder / "orders.so", std::ios::binary) << bytes; }

    std::string refusal(const std::filesystem::path& file) {
        try {
            host::readPluginNote(file);
        } catch (const PluginFileError& error) {
            std::string text = error.what();
            const std::string folder = _folder.path().string();
            if (const std::size_t at = text.find(folder); at != std::string::npos)
                text.replace(at, folder.size(), "<tmp>");
            return text;
        }
        return "not refused";
    }

    TemporaryDirectory _folder{"notes"};
};

TEST(PluginNoteReaderTest, noteIsReadWithoutLoadingTheFile) {
    const PluginNoteInfo note = host::readPluginNote(EnabledPlugins::fixture("wrong-major"));
    CPPUNIT_ASSERT_EQUAL(std::string("wrong-major"), note.id);
    CPPUNIT_ASSERT_EQUAL(std::string("1.2.3"), note.version);
    CPPUNIT_ASSERT_EQUAL(7u, note.abiMajor);
    CPPUNIT_ASSERT_EQUAL(5u, note.abiMinor);
    CPPUNIT_ASSERT_EQUAL(5u, note.needsMinor);
    CPPUNIT_ASSERT_EQUAL(std::string(), note.poco);
    CPPUNIT_ASSERT_EQUAL(HostAbi::current().cxxAbi, note.cxxAbi);
}

TEST(PluginNoteReaderTest, missingFileIsTold) {
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'orders' (/nowhere/orders.so) not loaded: there is no such file"),
                         refusal("/nowhere/orders.so"));
}

TEST(PluginNoteReaderTest, whatIsNoFileIsTold) {
    const std::string reason = "this is not a file; a plugin is a shared library built with supplierd_add_plugin()";
    std::filesystem::create_directory(_folder / "orders.so");
    CPPUNIT_ASSERT_EQUAL("plugin 'orders' (<tmp>/orders.so) not loaded: " + reason, refusal(_folder / "orders.so"));
    CPPUNIT_ASSERT_EQUAL(0, ::mkfifo((_folder / "pipe.so").c_str(), 0600));
    CPPUNIT_ASSERT_EQUAL("plugin 'pipe' (<tmp>/pipe.so) not loaded: " + reason, refusal(_folder / "pipe.so"));
}

TEST(PluginNoteReaderTest, textFileIsTold) {
    for (const std::string content : {"", "\x7f",
                                      "\x7f"
                                      "ELF",
                                      "#!/bin/sh\n"}) {
        write(content);
        CPPUNIT_ASSERT_EQUAL(std::string("plugin 'orders' (<tmp>/orders.so) not loaded: this is not an ELF file; a "
                                         "plugin is a shared library built with supplierd_add_plugin()"),
                             refusal(_folder / "orders.so"));
    }
}

TEST(PluginNoteReaderTest, programIsTold) {
    std::string bytes = goodBytes();
    bytes[16] = 2; // e_type: ET_EXEC
    write(bytes);
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'orders' (<tmp>/orders.so) not loaded: this ELF file is not a shared "
                                     "library; a plugin is one built with supplierd_add_plugin()"),
                         refusal(_folder / "orders.so"));
}

TEST(PluginNoteReaderTest, libraryOfAnotherMachineIsTold) {
    std::string bytes = goodBytes();
    bytes[18] = static_cast<char>(243); // e_machine: RISC-V
    bytes[19] = 0;
    write(bytes);
    const std::string message = refusal(_folder / "orders.so");
    CPPUNIT_ASSERT_MESSAGE(message,
                           message.starts_with("plugin 'orders' (<tmp>/orders.so) not loaded: built for RISC-V "
                                               "(64 bit), this host is "));
    CPPUNIT_ASSERT_MESSAGE(message, message.ends_with("; install the plugin for this machine"));
}

TEST(PluginNoteReaderTest, unknownLayoutIsTold) {
    std::string bytes = goodBytes();
    bytes[noteOffset(bytes) + 24] = 9;
    write(bytes);
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'orders' (<tmp>/orders.so) not loaded: its note has layout 9, this host "
                                     "reads layout 1; install the plugin's version for this supplierd"),
                         refusal(_folder / "orders.so"));
}

TEST(PluginNoteReaderTest, foreignOwnerIsTold) {
    std::string bytes = goodBytes();
    bytes[noteOffset(bytes) + 12] = 'S';
    write(bytes);
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'orders' (<tmp>/orders.so) not loaded: its note is not one of "
                                     "supplierd: the file is damaged"),
                         refusal(_folder / "orders.so"));
}

TEST(PluginNoteReaderTest, idThatCouldBeAPathIsRefused) {
    std::string bytes = goodBytes();
    std::memcpy(&bytes[bytes.find("good", noteOffset(bytes))], "../\n", 4);
    write(bytes);
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'orders' (<tmp>/orders.so) not loaded: its note gives the id '../?'; an "
                                     "id is 1 to 32 of a-z, 0-9 and -"),
                         refusal(_folder / "orders.so"));
}

TEST(PluginNoteReaderTest, damagedFilesAreRefusedWithoutHarm) {
    const std::string good = goodBytes();
    std::mt19937 random(7); // the same damage every time
    for (int round = 0; round < 400; ++round) {
        std::string bytes = good;
        if (round % 2 == 0)
            bytes.resize(random() % bytes.size());
        // The header and the table of sections at the end are where a reader can be led astray.
        for (int change = 0; change < 8 && !bytes.empty(); ++change) {
            const std::size_t fromEnd = random() % std::min<std::size_t>(bytes.size(), 3'000);
            const std::size_t at =
                change % 2 == 0 ? random() % std::min<std::size_t>(bytes.size(), 64) : bytes.size() - 1 - fromEnd;
            bytes[at] = static_cast<char>(random());
        }
        write(bytes);
        try {
            CPPUNIT_ASSERT(host::isPluginId(host::readPluginNote(_folder / "orders.so").id));
        } catch (const PluginFileError& error) {
            CPPUNIT_ASSERT(std::string(error.what()).starts_with("plugin 'orders' ("));
        }
    }
}

/// Sparse files, which say that one of their parts has gigabytes.
TEST(PluginNoteReaderTest, noMoreIsReadThanANoteCanBe) {
    const std::string good = goodBytes();
    rusage before{};
    ::getrusage(RUSAGE_SELF, &before);
    for (const char* part : {"names", "note", "sections", "symbols"}) {
        std::string bytes = good;
        enlarge(bytes, part);
        write(bytes);
        std::filesystem::resize_file(_folder / "orders.so", 16 * GIBIBYTE);
        try {
            host::readPluginNote(_folder / "orders.so");
            host::PluginElf::read(_folder / "orders.so");
        } catch (const PluginFileError& error) {
            const std::string reason = error.what();
            CPPUNIT_ASSERT_MESSAGE(reason, reason.starts_with("plugin 'orders' ("));
        }
    }
    rusage after{};
    ::getrusage(RUSAGE_SELF, &after);
    CPPUNIT_ASSERT(after.ru_maxrss - before.ru_maxrss < 256 * 1024); // in KiB
}

TEST(PluginNoteReaderTest, nothingThatATerminalObeysIsTold) {
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'a' (/b) not loaded: symbol ?[31m?grün? and ?"),
                         host::notLoaded("a", "/b", "symbol \x1b[31m\ngr\u00fcn\u0085 and \x7f"));
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'a' (/b) not loaded: symbol ?x"),
                         host::notLoaded("a", "/b", "symbol \xffx"));
}

TEST(PluginNoteReaderTest, olderMinorRunsOnANewerHost) {
    CPPUNIT_ASSERT_EQUAL(std::string(), mismatch({1, 3, 2}, {1, 5}));
    CPPUNIT_ASSERT_EQUAL(std::string(), mismatch({1, 5, 5}, {1, 5}));
    // Built against something newer, but using nothing of it.
    CPPUNIT_ASSERT_EQUAL(std::string(), mismatch({1, 7, 2}, {1, 5}));
}

TEST(PluginNoteReaderTest, pluginThatNeedsMoreIsToldWhatItNeeds) {
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'orders' (/usr/lib/orders.so) not loaded: needs SDK ABI 1.5, this host "
                                     "provides 1.3; upgrade supplierd or rebuild the plugin for 1.3"),
                         mismatch({1, 5, 5}, {1, 3}));
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'orders' (/usr/lib/orders.so) not loaded: needs SDK ABI 2.0, this host "
                                     "provides 1.3; upgrade supplierd or rebuild the plugin for 1.3"),
                         mismatch({2, 0, 0}, {1, 3}));
}

TEST(PluginNoteReaderTest, pluginOfAnOlderMajorIsToldToUpgrade) {
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'orders' (/usr/lib/orders.so) not loaded: needs SDK ABI 1.5, this host "
                                     "provides 2.0; upgrade the plugin or rebuild the plugin for 2.0"),
                         mismatch({1, 5, 5}, {2, 0}));
}

TEST(PluginNoteReaderTest, beforeOneEveryMinorIsAnotherInterface) {
    CPPUNIT_ASSERT_EQUAL(std::string(), mismatch({0, 2, 2}, {0, 2}));
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'orders' (/usr/lib/orders.so) not loaded: needs SDK ABI 0.1, this host "
                                     "provides 0.2; upgrade the plugin or rebuild the plugin for 0.2"),
                         mismatch({0, 1, 1}, {0, 2}));
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'orders' (/usr/lib/orders.so) not loaded: needs SDK ABI 0.3, this host "
                                     "provides 0.2; upgrade supplierd or rebuild the plugin for 0.2"),
                         mismatch({0, 3, 1}, {0, 2}));
}

} // namespace supplierd::tests
