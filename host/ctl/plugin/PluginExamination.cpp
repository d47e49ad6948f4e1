#include "host/ctl/plugin/PluginExamination.h"

#include "host/plugins/PluginNoteReader.h"

#include <supplierd/PluginNote.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

namespace supplierd::host {

namespace {

// As the second and the third version of the interface have them; Debian 12's headers know the second.
constexpr std::uint64_t ACCESS_REFER = 1U << 13U;
constexpr std::uint64_t ACCESS_TRUNCATE = 1U << 14U;
constexpr long WITH_REFER = 2;
constexpr long WITH_TRUNCATE = 3;

class Descriptor {
public:
    explicit Descriptor(long descriptor, const char* doing) : _descriptor(static_cast<int>(descriptor)) {
        if (_descriptor < 0)
            throw std::system_error(errno, std::generic_category(), doing);
    }
    ~Descriptor() { ::close(_descriptor); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const { return _descriptor; }

private:
    int _descriptor;
};

std::uint64_t writingAccess(long version) {
    std::uint64_t access = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                           LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
                           LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                           LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
    if (version >= WITH_REFER)
        access |= ACCESS_REFER;
    if (version >= WITH_TRUNCATE)
        access |= ACCESS_TRUNCATE;
    return access;
}

void allow(const Descriptor& rules, const std::filesystem::path& folder, std::uint64_t access) {
    const Descriptor opened(::open(folder.c_str(), O_PATH | O_CLOEXEC), "opening a folder that may be written to");
    landlock_path_beneath_attr rule{};
    rule.allowed_access = access;
    rule.parent_fd = opened.get();
    if (::syscall(SYS_landlock_add_rule, rules.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
        throw std::system_error(errno, std::generic_category(), "allowing writes");
}

/// From now on this process and those that it starts can write, make, rename and remove files in `writable` alone, and
/// write to devices and to /proc; what they try elsewhere is refused (EACCES), root included. Cannot be taken back.
/// False where the kernel has no Landlock. Call it while this process has one thread. Throws std::system_error.
bool allowWritesOnlyIn(const std::vector<std::filesystem::path>& writable) {
    const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 0)
        return false;
    landlock_ruleset_attr handled{};
    handled.handled_access_fs = writingAccess(version);
    const Descriptor rules(::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0), "landlock");
    for (const auto& folder : writable)
        allow(rules, folder, handled.handled_access_fs);
    for (const auto* folder : {"/dev", "/proc"})
        allow(rules, folder, LANDLOCK_ACCESS_FS_WRITE_FILE);
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::syscall(SYS_landlock_restrict_self, rules.get(), 0) != 0)
        throw std::system_error(errno, std::generic_category(), "landlock");
    return true;
}

constexpr std::string_view ENTRY = "supplierd_plugin_entry";

void checkSymbols(const PluginElf& elf, Findings& findings) {
    std::vector<std::string> others;
    bool hasEntry = false;
    for (const auto& symbol : elf.exported) {
        if (symbol == ENTRY)
            hasEntry = true;
        else
            others.push_back(symbol);
    }
    if (!hasEntry)
        findings.push_back({Finding::Level::Error, "symbols", fmt::format("it does not export {}", ENTRY),
                            "put SUPPLIERD_PLUGIN(id, version, Type) into one of its sources"});
    if (!others.empty())
        findings.push_back(
            {Finding::Level::Error, "symbols",
             fmt::format("it exports {} more than its entry: {}{}", others.size(),
                         fmt::join(others.begin(), others.begin() + std::min<long>(3, std::ssize(others)), ", "),
                         others.size() > 3 ? ", …" : ""),
             "build it with supplierd_add_plugin(), which hides everything else"});
    if (hasEntry && others.empty())
        findings.push_back({Finding::Level::Good, "symbols", fmt::format("it exports {} and nothing else", ENTRY)});
}

void checkLinking(const PluginElf& elf, Findings& findings) {
    const std::string soname = std::to_string(HostAbi::current().pocoSoname);
    for (const auto& library : elf.needed)
        if (library.starts_with("libPoco") && !library.ends_with(".so." + soname))
            findings.push_back({Finding::Level::Error, "libraries",
                                fmt::format("it needs {}, this host has the Poco of soname {}", library, soname),
                                "build it with the libpoco-dev of this release"});
    if (!elf.runPath.empty())
        findings.push_back({Finding::Level::Warning, "libraries",
                            "it looks for libraries in " + elf.runPath + ", which another machine may not have",
                            "install it (cmake --install), or set CMAKE_SKIP_RPATH"});
    if (elf.wantsExecutableStack)
        findings.push_back({Finding::Level::Warning, "libraries",
                            "it asks for an executable stack, which a hardened server refuses",
                            "link with -Wl,-z,noexecstack"});
}

/// False when the file cannot be loaded here at all.
bool checkFile(const PluginSubject& subject, PluginVerdict& verdict) {
    Findings& findings = verdict.findings;
    try {
        verdict.note = readPluginNote(subject.file);
        if (const auto reason = incompatibility(*verdict.note)) {
            findings.push_back(
                {Finding::Level::Error, "note", *reason, "rebuild it with the supplierd-plugin-dev of this release"});
            return false;
        }
        findings.push_back({Finding::Level::Good, "note",
                            fmt::format("plugin '{}' {}, SDK ABI {}.{}", verdict.note->id, verdict.note->version,
                                        verdict.note->abiMajor, verdict.note->abiMinor)});
        const PluginElf elf = PluginElf::read(subject.file);
        checkSymbols(elf, findings);
        checkLinking(elf, findings);
    } catch (const PluginFileError& error) {
        findings.push_back({Finding::Level::Error, "file", error.what(),
                            "build it with supplierd_add_plugin() of the package Supplierd"});
        return false;
    }
    return true;
}

std::string endFix(const IsolatedOutcome& outcome) {
    if (outcome.end == IsolatedOutcome::End::TimedOut)
        return "do slow work on a thread of its own, and end that thread in drain() or stop()";
    return "run its own tests under a debugger or with -fsanitize=address";
}

/// Gone with everything in it at the end.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "supplierctl.XXXXXX").string();
        if (!::mkdtemp(name.data()))
            throw std::system_error(errno, std::generic_category(), "making the folder " + name);
        _path = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored; // what a plugin of another user left there is his
        std::filesystem::remove_all(_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return _path; }

private:
    std::filesystem::path _path;
};

/// The machine may be the one that builds a package, or a server's: a plugin that is looked at leaves no trace there.
void keepWritesIn(const TemporaryFolder& folder, const PluginSubject& subject) {
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    auto writable = subject.writable;
    writable.push_back(folder.path());
    allowWritesOnlyIn(writable);
}

} // namespace

PluginVerdict examinePlugin(const PluginSubject& subject) {
    PluginVerdict verdict;
    if (!checkFile(subject, verdict))
        return verdict;
    const TemporaryFolder folder;
    const IsolatedOutcome outcome = runIsolated(
        [&](FindingWriter& writer) {
            keepWritesIn(folder, subject);
            runLifecycle(subject, *verdict.note, writer);
        },
        subject.limit);
    verdict.findings.insert(verdict.findings.end(), outcome.findings.begin(), outcome.findings.end());
    if (outcome.end != IsolatedOutcome::End::Finished)
        verdict.findings.push_back(
            {Finding::Level::Error, "life", outcome.stage + ": " + describeEnd(outcome), endFix(outcome)});
    return verdict;
}

} // namespace supplierd::host
