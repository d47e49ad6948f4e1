#include "host/ctl/plugin/PluginExamination.h"

#include "host/ctl/backup/ChildProgram.h"
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

std::uint64_t writingAccess(long version) {
    constexpr std::uint64_t FIRST_VERSION = LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1;
    constexpr std::uint64_t READING =
        LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
    return (FIRST_VERSION & ~READING) | (version >= WITH_REFER ? ACCESS_REFER : 0) |
           (version >= WITH_TRUNCATE ? ACCESS_TRUNCATE : 0);
}

/// Rules and folders stay open until this process, which is of the examination alone, has ended.
int required(long descriptor, const char* doing) {
    if (descriptor < 0)
        throw std::system_error(errno, std::generic_category(), doing);
    return static_cast<int>(descriptor);
}

void allow(int rules, const std::filesystem::path& folder, std::uint64_t access) {
    landlock_path_beneath_attr rule{};
    rule.allowed_access = access;
    rule.parent_fd = required(::open(folder.c_str(), O_PATH | O_CLOEXEC), "opening a folder that may be written to");
    required(::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0), "allowing writes");
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
    const int rules = required(::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0), "landlock");
    for (const auto& folder : writable)
        allow(rules, folder, handled.handled_access_fs);
    for (const auto* folder : {"/dev", "/proc"})
        allow(rules, folder, LANDLOCK_ACCESS_FS_WRITE_FILE);
    required(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "landlock");
    required(::syscall(SYS_landlock_restrict_self, rules, 0), "landlock");
    return true;
}

constexpr std::string_view ENTRY = "supplierd_plugin_entry";

void checkSymbols(const PluginElf& elf, Findings& findings) {
    auto others = elf.exported;
    const bool hasEntry = std::erase(others, ENTRY) > 0;
    if (!hasEntry)
        findings.fail("symbols", fmt::format("it does not export {}", ENTRY),
                      "put SUPPLIERD_PLUGIN(id, version, Type) into one of its sources");
    if (!others.empty())
        findings.fail(
            "symbols",
            fmt::format("it exports {} more than its entry: {}{}", others.size(),
                        fmt::join(others.begin(), others.begin() + std::min<long>(3, std::ssize(others)), ", "),
                        others.size() > 3 ? ", …" : ""),
            "build it with supplierd_add_plugin(), which hides everything else");
    if (hasEntry && others.empty())
        findings.good("symbols", fmt::format("it exports {} and nothing else", ENTRY));
}

void checkLinking(const PluginElf& elf, Findings& findings) {
    const std::string soname = std::to_string(HostAbi::current().pocoSoname);
    for (const auto& library : elf.needed)
        if (library.starts_with("libPoco") && !library.ends_with(".so." + soname))
            findings.fail("libraries", fmt::format("it needs {}, this host has the Poco of soname {}", library, soname),
                          "build it with the libpoco-dev of this release");
    if (!elf.runPath.empty())
        findings.warn("libraries", "it looks for libraries in " + elf.runPath + ", which another machine may not have",
                      "install it (cmake --install), or set CMAKE_SKIP_RPATH");
    if (elf.wantsExecutableStack)
        findings.warn("libraries", "it asks for an executable stack, which a hardened server refuses",
                      "link with -Wl,-z,noexecstack");
}

/// False when the file cannot be loaded here at all.
bool checkFile(const PluginSubject& subject, PluginVerdict& verdict) {
    Findings& findings = verdict.findings;
    try {
        verdict.note = readPluginNote(subject.file);
        if (const auto reason = incompatibility(*verdict.note)) {
            findings.fail("note", *reason, "rebuild it with the supplierd-plugin-dev of this release");
            return false;
        }
        findings.good("note", fmt::format("plugin '{}' {}, SDK ABI {}", verdict.note->id, verdict.note->version,
                                          verdict.note->abiText()));
        const PluginElf elf = PluginElf::read(subject.file);
        checkSymbols(elf, findings);
        checkLinking(elf, findings);
    } catch (const PluginFileError& error) {
        findings.fail("file", error.what(), "build it with supplierd_add_plugin() of the package Supplierd");
        return false;
    }
    return true;
}

std::string endFix(const IsolatedOutcome& outcome) {
    if (outcome.end == IsolatedOutcome::End::TimedOut)
        return "do slow work on a thread of its own, and end that thread in drain() or stop()";
    return "run its own tests under a debugger or with -fsanitize=address";
}

/// The machine may be the one that builds a package, or a server's: a plugin that is looked at leaves no trace there.
void keepWritesIn(const ScratchFolder& folder, const PluginSubject& subject) {
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
    const ScratchFolder folder(std::filesystem::temp_directory_path());
    const IsolatedOutcome outcome = runIsolated(
        [&](FindingWriter& writer) {
            keepWritesIn(folder, subject);
            runLifecycle(subject, *verdict.note, writer);
        },
        subject.limit);
    verdict.findings.add(outcome.findings);
    if (outcome.end != IsolatedOutcome::End::Finished)
        verdict.findings.fail("life", outcome.stage + ": " + describeEnd(outcome), endFix(outcome));
    return verdict;
}

} // namespace supplierd::host
