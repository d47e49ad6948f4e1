#include "host/ctl/plugin/PluginExamination.h"

#include "host/ctl/plugin/PluginLife.h"
#include "host/ctl/terminal/WriteProtection.h"
#include "host/plugins/PluginElf.h"

#include <supplierd/PluginNote.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace supplierd::host {

namespace {

constexpr std::string_view ENTRY = "supplierd_plugin_entry";

void judgeSymbols(const PluginElf& elf, Findings& findings) {
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

void judgeLinking(const PluginElf& elf, Findings& findings) {
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
bool judgeFile(const PluginSubject& subject, PluginVerdict& verdict) {
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
        judgeSymbols(elf, findings);
        judgeLinking(elf, findings);
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
    if (!judgeFile(subject, verdict))
        return verdict;
    const TemporaryFolder folder;
    const IsolatedOutcome outcome = runIsolated(
        [&](FindingWriter& writer) {
            keepWritesIn(folder, subject);
            liveThrough(subject, *verdict.note, writer);
        },
        subject.limit);
    verdict.findings.insert(verdict.findings.end(), outcome.findings.begin(), outcome.findings.end());
    if (outcome.end != IsolatedOutcome::End::Finished)
        verdict.findings.push_back(
            {Finding::Level::Error, "life", outcome.stage + ": " + describeEnd(outcome), endFix(outcome)});
    return verdict;
}

} // namespace supplierd::host
