#include "host/ctl/plugin/PluginExamination.h"

#include "host/ctl/backup/ChildProgram.h"
#include "host/db/schema/SqlScript.h"
#include "host/openapi/OpenApiPart.h"
#include "host/plugins/PluginDescriptionCheck.h"
#include "host/plugins/PluginLibrary.h"
#include "host/plugins/PluginNoteReader.h"
#include "host/plugins/RoutePattern.h"

#include <supplierd/PluginNote.h>

#include <Poco/RegularExpression.h>
#include <Poco/String.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
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

class DescriptionValidator {
public:
    DescriptionValidator(const LoadedPlugin& plugin, const std::vector<PluginListing>& others)
        : _plugin(plugin), _description(plugin.description), _others(others) {}

    Findings validate() {
        const auto problems = descriptionProblems(_plugin.id(), _description);
        for (const auto& problem : problems)
            _findings.fail("description", problem, "correct it in describe()");
        if (_description.summary.empty())
            _findings.warn("description", "it has no summary", "set PluginDescription::summary");
        checkMigrations();
        checkServices();
        checkHelp(_description.config, {});
        if (problems.empty()) { // patterns can be read
            checkRoutes();
            checkOpenApi();
            checkBesideOthers();
        }
        return std::move(_findings);
    }

private:
    void checkRoutes() {
        const auto before = _findings.size();
        if (_description.routes.empty() && _description.offers.empty())
            _findings.warn("routes", "it has neither routes nor services", "add to PluginDescription::routes");
        for (const Route& route : _description.routes)
            checkRoute(route);
        if (_findings.size() == before && !_description.routes.empty())
            _findings.good("routes", routesText());
    }

    void checkRoute(const Route& route) {
        const auto& scopes = _description.scopes;
        const std::string who = routeText(route);
        const bool isDeclared =
            std::any_of(scopes.begin(), scopes.end(), [&](const Scope& scope) { return scope.name == route.scope; });
        if (!route.scope.empty() && route.audience == Audience::Operator)
            _findings.fail("routes", who + " asks for a scope, which no operator's key has",
                           "leave Route::scope empty");
        else if (!route.scope.empty() && !isDeclared && _description.needs.empty())
            _findings.warn(
                "routes",
                fmt::format("{} asks for the scope '{}', which the plugin does not declare: a key can be given it only "
                            "where another plugin does",
                            who, route.scope),
                "add it to PluginDescription::scopes, or name the plugin that has it in PluginDescription::needs");
        if (route.body != Body::None && (route.method == Method::Get || route.method == Method::Delete))
            _findings.warn("routes", who + " has a body, which many clients cannot send", "use POST, PUT or PATCH");
        if (route.audience == Audience::Public && route.pattern.starts_with("/api/"))
            _findings.warn("routes", who + " lies among the API's own paths, without a key",
                           "use Audience::Supplier or Audience::Operator, or another path");
    }

    std::string routesText() const {
        std::string text;
        for (const Route& route : _description.routes)
            text += (text.empty() ? "" : ", ") + routeText(route);
        return text;
    }

    void checkMigrations() {
        const auto before = _findings.size();
        std::size_t statements = 0;
        for (const Migration& migration : _description.migrations)
            statements += checkMigration(migration);
        if (_findings.size() == before && !_description.migrations.empty())
            _findings.good("migrations",
                           fmt::format("{} with {} statements", _description.migrations.size(), statements));
    }

    std::size_t checkMigration(const Migration& migration) {
        const std::string who = fmt::format("migration {} ('{}')", migration.number, migration.name);
        try {
            const auto statements = splitStatements(migration.sql);
            if (statements.empty())
                _findings.fail("migrations", who + " has no statement", "add one, or remove the file");
            for (const auto& statement : statements)
                checkStatement(who, statement);
            return statements.size();
        } catch (const SqlScriptError& error) {
            _findings.fail("migrations", who + " cannot be read: " + error.what(),
                           "end each statement with a semicolon");
            return 0;
        }
    }

    void checkStatement(const std::string& who, const std::string& statement) {
        static constexpr std::array<std::string_view, 12> FIRST_WORDS = {"ALTER",  "CREATE", "DELETE",  "DROP",
                                                                         "INSERT", "RENAME", "REPLACE", "SET",
                                                                         "UPDATE", "WITH",   "ANALYZE", "DO"};
        std::string word = statement.substr(0, statement.find_first_of(" \t\r\n("));
        Poco::toUpperInPlace(word);
        if (word == "DELIMITER")
            _findings.fail("migrations", who + " uses DELIMITER, which only the mysql client knows",
                           "write one statement per semicolon");
        else if (std::find(FIRST_WORDS.begin(), FIRST_WORDS.end(), word) == FIRST_WORDS.end())
            _findings.fail("migrations", fmt::format("{} begins a statement with '{}'", who, word),
                           "a migration defines tables or changes their rows");
        if (word == "CREATE")
            checkTable(who, statement);
        if (word == "DROP" || word == "RENAME")
            _findings.warn("migrations", fmt::format("{} takes something away: {}", who, statement.substr(0, 60)),
                           "only what the previous release of the plugin does not use any more");
    }

    void checkTable(const std::string& who, const std::string& statement) {
        const std::string name = tableOf(statement);
        std::string prefix = _plugin.id();
        std::replace(prefix.begin(), prefix.end(), '-', '_');
        if (!name.empty() && !name.starts_with(prefix))
            _findings.warn("migrations", fmt::format("{} creates the table '{}'", who, name),
                           fmt::format("begin the names of its tables with {}_, so that they meet no other's", prefix));
    }

    /// "" when it creates something else.
    static std::string tableOf(const std::string& statement) {
        std::vector<std::string> found;
        Poco::RegularExpression(R"(^CREATE\b[^(]*?\bTABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?`?([\w$]+))",
                                Poco::RegularExpression::RE_CASELESS)
            .split(statement, 0, found);
        return found.empty() ? std::string() : found.back();
    }

    void checkServices() {
        for (const auto& offer : _description.offers) {
            static const Poco::RegularExpression ID("[^/]+/[0-9]+");
            if (!ID.match(offer))
                _findings.fail("services", "it offers '" + offer + "', which is no service's id",
                               "name it vendor.thing/1, with the number of its interface");
        }
    }

    /// `list` is "feed." for the keys of the list of tables `feed`.
    void checkHelp(const std::vector<ConfigKey>& keys, const std::string& list) {
        for (const ConfigKey& key : keys) {
            if (key.help.empty())
                _findings.warn("configuration", "the key '" + list + key.name + "' has no help", "set ConfigKey::help");
            checkHelp(key.keys, list + key.name + ".");
        }
    }

    void checkOpenApi() {
        if (_description.routes.empty())
            return;
        if (_description.openapi.empty()) {
            _findings.warn("openapi", "its routes are not described",
                           "supplierd_add_plugin(... OPENAPI openapi.json), and PluginDescription::openapi");
            return;
        }
        const auto problems = openApiProblems(_description);
        for (const auto& problem : problems)
            _findings.fail("openapi", problem, "correct openapi.json");
        if (problems.empty())
            _findings.good("openapi", "every route is described");
    }

    void checkBesideOthers() {
        for (const PluginListing& listing : _others)
            if (listing.problem.empty() && listing.note && listing.id != _plugin.id())
                checkBeside(listing);
        std::vector<LoadedPlugin> alone(1);
        alone[0].note = _plugin.note;
        alone[0].description = _description;
        for (const RouteClash& clash : findRouteClashes(alone))
            _findings.fail("routes", clash.message, "give one of them another path or method");
    }

    void checkBeside(const PluginListing& listing) {
        std::vector<LoadedPlugin> pair(2);
        try {
            const PluginLibrary library(listing.path);
            pair[0].note = library.note();
            pair[0].instance = library.create();
            pair[0].description = describe(pair[0].note, *pair[0].instance);
        } catch (const PluginFileError&) {
            return; // the trouble of another plugin
        }
        if (!descriptionProblems(pair[0].id(), pair[0].description).empty())
            return;
        pair[1].note = _plugin.note;
        pair[1].description = _description;
        const auto level = listing.enabled ? Finding::Level::Error : Finding::Level::Warning;
        const std::string fix = "give it another, or disable the plugin '" + listing.id + "'";
        for (const RouteClash& clash : findRouteClashes(pair))
            if (clash.first != clash.second)
                _findings.judge(false, level, "routes", clash.message, "", fix);
        for (const auto& offer : pair[0].description.offers)
            if (std::find(_description.offers.begin(), _description.offers.end(), offer) != _description.offers.end())
                _findings.judge(false, level, "services",
                                fmt::format("the plugin '{}' offers '{}' too", listing.id, offer), "", fix);
        pair[0].description = {}; // its handlers go before the object that they call
    }

    const LoadedPlugin& _plugin;
    const PluginDescription& _description;
    const std::vector<PluginListing>& _others;
    Findings _findings;
};

} // namespace

Findings checkDescription(const LoadedPlugin& plugin, const std::vector<PluginListing>& others) {
    return DescriptionValidator(plugin, others).validate();
}

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
