#include "host/ctl/setup/SetupConfiguration.h"

#include "host/config/ServerAccount.h"
#include "host/config/SettingsLoader.h"
#include "host/config/TomlReader.h"
#include "host/ctl/setup/ConfigEditor.h"
#include "host/ctl/terminal/CommandFailure.h"

#include <Poco/NumberParser.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace supplierd::host {

namespace {

constexpr unsigned USUAL_PORT = 3306;

} // namespace

std::string placeOf(const SessionSettings& session) {
    return session.place();
}

void takePlace(SessionSettings& session, const std::string& text) {
    if (text.starts_with('/')) {
        session.socket = text;
        return;
    }
    session.socket.clear();
    const auto colon = text.rfind(':');
    const bool hasPort = colon != std::string::npos && (text.find(':') == colon || text[colon - 1] == ']');
    session.host = text.substr(0, hasPort ? colon : std::string::npos);
    if (session.host.size() > 2 && session.host.front() == '[' && session.host.back() == ']')
        session.host = session.host.substr(1, session.host.size() - 2);
    unsigned port = USUAL_PORT;
    if (session.host.empty() || (hasPort && (!Poco::NumberParser::tryParseUnsigned(text.substr(colon + 1), port) ||
                                             port == 0 || port > 65'535)))
        throw CommandFailure(fmt::format("'{}' is no host, no host:port and no path of a socket", text),
                             ExitCode::Usage);
    session.port = port;
}

namespace {

namespace fs = std::filesystem;

constexpr mode_t FOR_THE_SERVERS_GROUP = 0640;
constexpr mode_t FOR_THE_OWNER = 0600;
constexpr mode_t FOR_ALL = 0644;
constexpr mode_t PERMISSIONS = 0777;
constexpr mode_t OF_THE_GROUP = 0070;
constexpr mode_t OF_OTHERS = 0007;
constexpr uid_t ROOT = 0;
constexpr auto UNCHANGED = static_cast<uid_t>(-1);

[[noreturn]] void fail(const std::string& doing, const fs::path& file) {
    throw fs::filesystem_error(doing, file, std::error_code(errno, std::generic_category()));
}

fs::path behindLinks(const fs::path& file) {
    std::error_code error;
    auto real = fs::weakly_canonical(file, error);
    return error ? file : real;
}

} // namespace

NewFile::NewFile(const fs::path& target, SetupFiles::Content content)
    : _target(behindLinks(target)), _name(_target.string() + ".new"), _content(content), _descriptor(create()) {}

NewFile::~NewFile() {
    ::close(_descriptor);
    if (!_isInPlace)
        ::unlink(_name.c_str());
}

int NewFile::create() const {
    ::unlink(_name.c_str()); // left over from a run that was cut short
    const int descriptor = ::open(_name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FOR_THE_OWNER);
    if (descriptor < 0)
        fail("creating", _name);
    return descriptor;
}

void NewFile::write(std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(_descriptor, text.data(), text.size());
        if (written < 0 && errno != EINTR)
            fail("writing", _name);
        if (written > 0)
            text.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// Never readable for more than what it takes the place of, and a secret never for everybody.
void NewFile::takeOwnerAndMode() const {
    struct stat former {};
    const bool isSecret = _content == SetupFiles::Content::Secret;
    const bool isThere = ::stat(_target.c_str(), &former) == 0;
    const auto group = SetupFiles::serverGroup();
    auto mode = group ? FOR_THE_SERVERS_GROUP : isSecret ? FOR_THE_OWNER : FOR_ALL;
    if (isThere && !(isSecret && (former.st_mode & OF_OTHERS) != 0)) {
        mode = former.st_mode & PERMISSIONS;
        if (::fchown(_descriptor, former.st_uid, former.st_gid) != 0)
            mode &= ~OF_THE_GROUP; // it is in this user's group now
    } else if (group && ::fchown(_descriptor, UNCHANGED, *group) != 0) {
        fail("giving to the group supplierd", _name);
    }
    if (::fchmod(_descriptor, mode) != 0)
        fail("changing the mode", _name);
}

void NewFile::putInPlace() {
    takeOwnerAndMode();
    if (::fsync(_descriptor) != 0)
        fail("saving", _name);
    fs::rename(_name, _target);
    _isInPlace = true;
    const int folder = ::open(_target.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return; // the name may be lost with the power, the content is not
    ::fsync(folder);
    ::close(folder);
}

std::optional<unsigned> SetupFiles::serverGroup() {
    const auto account = ::geteuid() == ROOT ? ServerAccount::find() : std::nullopt;
    return account ? std::optional<unsigned>(account->group) : std::nullopt;
}

void SetupFiles::write(const fs::path& file, const std::string& text, Content content) {
    NewFile fresh(file, content);
    fresh.write(text);
    fresh.putInPlace();
}

std::string SetupFiles::read(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        fail("reading", file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

int SetupLock::open(const fs::path& folder) {
    const auto place = fs::absolute(folder);
    fs::create_directories(place);
    const int descriptor = ::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        fail("opening", place);
    return descriptor;
}

bool SetupLock::take(bool waits) const {
    while (::flock(_descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return false;
        if (errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "waiting for another setup");
    }
    return true;
}

SetupLock::~SetupLock() {
    ::close(_descriptor);
}

namespace {

constexpr const char* PASSWORD_FILE = "database-password";
constexpr const char* OWN_FILE = "10-setup.toml";
constexpr std::string_view NEW_FILE =
    "# supplierd: the configuration, begun by `supplierctl setup`, which has written conf.d/10-setup.toml.\n";
constexpr std::string_view NEW_OWN_FILE =
    "# Written by `supplierctl setup`, which changes single values here when it is run again. It is read after\n"
    "# supplierd.toml and wins over it.\n"
    "\n"
    "[database]\n";

/// The values of one file, then of the next: of the server's configuration file and of conf.d, in their order, with
/// `candidate` in the place of `own`.
ConfigTable readTables(const fs::path& file, const fs::path& own, const fs::path& candidate, Diagnostics& problems) {
    std::set<fs::path> further = {own};
    std::error_code error;
    for (fs::directory_iterator entry(own.parent_path(), error), end; !error && entry != end; entry.increment(error))
        if (entry->path().extension() == ".toml" && !entry->path().filename().string().starts_with('.'))
            further.insert(entry->path());
    ConfigTable root;
    const auto take = [&](const fs::path& path) {
        if (!fs::exists(path))
            return;
        if (auto table = readTomlFile(path, problems))
            root.merge(std::move(*table));
    };
    take(file);
    for (const auto& path : further)
        take(path == own ? candidate : path);
    return root;
}

/// A password file that is still missing is no reason to refuse: setup writes it.
std::string problemsBut(const Diagnostics& problems, const ConfigPosition& expected) {
    std::string text;
    for (const auto& problem : problems)
        if (!problem.warning && (expected.line == 0 || problem.file != expected.file || problem.line != expected.line))
            text += (text.empty() ? "" : "\n") + problem.toString();
    return text;
}

std::string asToml(const std::variant<std::string, std::int64_t>& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text ? ConfigEditor::quoted(*text) : std::to_string(std::get<std::int64_t>(value));
}

template <class T>
bool holds(const ConfigEntry& entry, const T& value) {
    const auto* found = std::get_if<T>(&entry.value.data);
    return found && *found == value;
}

} // namespace

SetupConfiguration::SetupConfiguration(fs::path file)
    : _file(std::move(file)),
      _own(_file.parent_path() / "conf.d" / OWN_FILE),
      _passwordFile(_file.parent_path() / PASSWORD_FILE) {
    if (fs::exists(_file)) {
        read();
        return;
    }
    _present.user = "supplierd";
    _present.database = "supplierd";
    _present.tls = TlsMode::Preferred;
}

void SetupConfiguration::read() {
    Diagnostics told; // loadSettings() tells the same
    const auto root = readTables(_file, _own, _own, told);
    ConfigPosition passwordFile;
    if (const auto* table = root.table("database")) {
        for (const auto& [key, entry] : table->entries)
            _places[key] = entry.value.position;
        if (const auto* entry = table->find("password_file")) {
            passwordFile = entry->value.position;
            if (const auto* name = std::get_if<std::string>(&entry->value.data))
                _passwordFile = _file.parent_path() / *name;
        }
    }
    Diagnostics problems;
    const auto settings = loadSettings(_file, problems);
    if (const auto wrong = problemsBut(problems, passwordFile); !wrong.empty())
        throw CommandFailure(wrong);
    _present = settings.database.session;
}

std::string SetupConfiguration::places() const {
    std::set<std::string> files;
    for (const auto& [key, place] : _places)
        files.insert(place.file);
    return files.empty() ? _file.string() : fmt::format("{}", fmt::join(files, ", "));
}

bool SetupConfiguration::passwordGoesToItsFile(const SessionSettings& wanted) const {
    return !wanted.password.empty() && wanted.password != _present.password && !_places.contains("password");
}

std::vector<SetupConfiguration::Edit> SetupConfiguration::editsFor(const SessionSettings& wanted) const {
    std::vector<Edit> edits;
    const auto textEdit = [&](const char* key, const std::string& now, const std::string& then) {
        if (now != then)
            edits.push_back({key, then});
    };
    textEdit("socket", _present.socket, wanted.socket);
    if (wanted.socket.empty()) {
        textEdit("host", _present.host, wanted.host);
        if (wanted.port != _present.port)
            edits.push_back({"port", std::int64_t{wanted.port}});
    }
    textEdit("user", _present.user, wanted.user);
    textEdit("name", _present.database, wanted.database);
    if (passwordGoesToItsFile(wanted)) {
        if (!_places.contains("password_file"))
            edits.push_back({"password_file", PASSWORD_FILE});
    } else if (!wanted.password.empty()) {
        textEdit("password", _present.password, wanted.password);
    }
    return edits;
}

void SetupConfiguration::refuseElsewhere(const std::vector<Edit>& edits) const {
    for (const auto& edit : edits) {
        const auto place = _places.find(edit.key);
        if (place == _places.end() || place->second.file == _file.string() || place->second.file == _own.string())
            continue;
        throw CommandFailure(fmt::format("{}:{}: database.{} is set here, and setup, which writes {}, overrules no "
                                         "other file beside it; remove this line, or run setup with what it says",
                                         place->second.file, place->second.line, edit.key, _own.string()));
    }
}

std::string SetupConfiguration::describe(const Edit& edit) const {
    auto text = fmt::format("{} = {} in {}", edit.key, edit.key == "password" ? "(the password)" : asToml(edit.value),
                            _own.string());
    const auto place = _places.find(edit.key);
    if (place != _places.end() && place->second.file == _file.string())
        text += fmt::format(", which wins over {}:{}", place->second.file, place->second.line);
    return text;
}

std::vector<std::string> SetupConfiguration::changesFor(const SessionSettings& wanted) const {
    const auto edits = editsFor(wanted);
    refuseElsewhere(edits);
    std::vector<std::string> changes;
    if (passwordGoesToItsFile(wanted))
        changes.push_back("the password into " + _passwordFile.string());
    for (const auto& edit : edits)
        changes.push_back(describe(edit));
    return changes;
}

void SetupConfiguration::write(const SessionSettings& wanted) {
    const auto edits = editsFor(wanted);
    refuseElsewhere(edits);
    if (!fs::exists(_file)) {
        fs::create_directories(fs::absolute(_file).parent_path());
        SetupFiles::write(_file, std::string(NEW_FILE), SetupFiles::Content::Public);
    }
    writeOwnFile(edits, wanted);
    Diagnostics problems;
    loadSettings(_file, problems);
    if (problems.hasErrors())
        throw CommandFailure(problems.toString());
}

std::string SetupConfiguration::textWith(const std::vector<Edit>& edits) const {
    ConfigEditor editor(fs::exists(_own) ? SetupFiles::read(_own) : std::string(NEW_OWN_FILE), _own.string());
    for (const auto& edit : edits)
        editor.set("database", edit.key, asToml(edit.value));
    return editor.text();
}

void SetupConfiguration::writeOwnFile(const std::vector<Edit>& edits, const SessionSettings& wanted) const {
    const bool hasSecret =
        std::any_of(edits.begin(), edits.end(), [](const Edit& edit) { return edit.key == "password"; });
    std::optional<NewFile> own;
    if (!edits.empty()) {
        fs::create_directories(_own.parent_path());
        own.emplace(_own, hasSecret ? SetupFiles::Content::Secret : SetupFiles::Content::Public);
        own->write(textWith(edits));
        verify(own->path(), edits);
    }
    if (passwordGoesToItsFile(wanted))
        SetupFiles::write(_passwordFile, wanted.password + "\n", SetupFiles::Content::Secret);
    if (own)
        own->putInPlace();
}

void SetupConfiguration::verify(const fs::path& candidate, const std::vector<Edit>& edits) const {
    Diagnostics problems;
    const auto root = readTables(_file, _own, candidate, problems);
    const bool isRight = !problems.hasErrors() && std::all_of(edits.begin(), edits.end(), [&](const Edit& edit) {
        const auto* entry = root.find("database." + edit.key);
        return entry && std::visit([&](const auto& value) { return holds(*entry, value); }, edit.value);
    });
    if (!isRight)
        throw CommandFailure(
            fmt::format("{}: [database] is written there in a way that setup cannot change; nothing was "
                        "changed; write it as a table of its own, or remove it, and run setup again",
                        _own.string()));
}

} // namespace supplierd::host
