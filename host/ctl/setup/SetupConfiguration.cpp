#include "host/ctl/setup/SetupConfiguration.h"

#include "host/config/ServerAccount.h"
#include "host/config/SettingsLoader.h"
#include "host/config/TomlReader.h"
#include "host/ctl/terminal/Commands.h"

#include <Poco/String.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <system_error>
#include <utility>

namespace supplierd::host {

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

/// Of a TOML line: what stands before the value, then a text or a word on this line.
const std::regex VALUE(R"re(^([^=]*=\s*)("(?:[^"\\]|\\.)*"(?!")|'[^']*'(?!')|[^\s#"'\[{][^\s#]*))re");

fs::path behindLinks(const fs::path& file) {
    std::error_code error;
    auto real = fs::weakly_canonical(file, error);
    return error ? file : real;
}

} // namespace

void takePlace(SessionSettings& session, const std::string& text) {
    const bool isBareAddress = std::ranges::count(text, ':') > 1 && !text.starts_with('[');
    const auto node = NodeAddress::parse(isBareAddress ? "[" + text + "]" : text);
    if (!node)
        throw CommandFailure(fmt::format("'{}' is no host, no host:port and no path of a socket", text),
                             ExitCode::Usage);
    session.socket = node->socket;
    if (!node->socket.empty())
        return;
    session.host = node->host;
    session.port = node->port;
}

ConfigEditor::ConfigEditor(std::string_view text, std::string file) : _file(std::move(file)) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        _lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

void ConfigEditor::set(const std::string& section, const std::string& key, const std::string& value) {
    const auto is = [](const std::string& pattern) {
        return [wanted = std::regex(pattern)](const std::string& line) { return std::regex_search(line, wanted); };
    };
    auto header = std::ranges::find_if(_lines, is("^\\s*\\[\\s*" + section + "\\s*\\]"));
    if (header == _lines.end()) {
        if (!_lines.empty() && !Poco::trim(_lines.back()).empty())
            _lines.emplace_back();
        _lines.push_back("[" + section + "]");
        header = _lines.end() - 1;
    }
    const auto end = std::find_if(header + 1, _lines.end(), is("^\\s*\\["));
    if (const auto line = std::find_if(header + 1, end, is("^\\s*" + key + "\\s*=")); line != end) {
        std::smatch found;
        if (!std::regex_search(*line, found, VALUE))
            throw CommandFailure(fmt::format("{}:{}: the value of '{}' is not written on one line; change it by hand",
                                             _file, line - _lines.begin() + 1, key));
        *line = found.str(1) + value + found.suffix().str();
        return;
    }
    auto place = std::find_if(header + 1, end, is("^\\s*#[#\\s]*" + key + "\\s*="));
    if (place != end)
        ++place; // behind the default
    else
        while (place != header + 1 && Poco::trim(*(place - 1)).empty())
            --place;
    _lines.insert(place, key + " = " + value);
}

std::string ConfigEditor::text() const {
    std::string all;
    for (const auto& line : _lines)
        all.append(line).append("\n");
    return all;
}

std::string ConfigEditor::quoted(std::string_view text) {
    std::string all = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            all += '\\';
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            all += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            all += c;
    }
    return all + "\"";
}

SetupFile::SetupFile(const fs::path& target, Content content, std::string_view text)
    : _target(behindLinks(target)),
      _content(content),
      _file(
          [&] {
              const auto name = _target.string() + ".new";
              ::unlink(name.c_str()); // left over from a run that was cut short
              return name;
          }(),
          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FOR_THE_OWNER) {
    _file.write(text);
}

SetupFile::~SetupFile() {
    if (!_isInPlace)
        ::unlink(path().c_str());
}

/// Never readable for more than what it takes the place of, and a secret never for everybody.
void SetupFile::takeOwnerAndMode() const {
    struct stat former {};
    const bool isSecret = _content == Content::Secret;
    const bool isThere = ::stat(_target.c_str(), &former) == 0;
    const auto account = ::geteuid() == ROOT ? ServerAccount::find() : std::nullopt;
    auto mode = account ? FOR_THE_SERVERS_GROUP : isSecret ? FOR_THE_OWNER : FOR_ALL;
    if (isThere && !(isSecret && (former.st_mode & OF_OTHERS) != 0)) {
        mode = former.st_mode & PERMISSIONS;
        if (::fchown(_file.descriptor(), former.st_uid, former.st_gid) != 0)
            mode &= ~OF_THE_GROUP; // it is in this user's group now
    } else if (account) {
        _file.require(::fchown(_file.descriptor(), UNCHANGED, account->group) == 0, "giving to the group supplierd");
    }
    _file.require(::fchmod(_file.descriptor(), mode) == 0, "changing the mode");
}

void SetupFile::putInPlace() {
    takeOwnerAndMode();
    _file.require(::fsync(_file.descriptor()) == 0, "saving");
    fs::rename(path(), _target);
    _isInPlace = true;
    const int folder = ::open(_target.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return; // the name may be lost with the power, the content is not
    ::fsync(folder);
    ::close(folder);
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
    const auto root = loadTables(_file, told);
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
        SetupFile(_file, SetupFile::Content::Public, NEW_FILE).putInPlace();
    }
    writeOwnFile(edits, wanted);
    Diagnostics problems;
    loadSettings(_file, problems);
    if (problems.hasErrors())
        throw CommandFailure(problems.toString());
}

void SetupConfiguration::writeOwnFile(const std::vector<Edit>& edits, const SessionSettings& wanted) const {
    using Content = SetupFile::Content;
    const bool hasSecret = std::ranges::find(edits, "password", &Edit::key) != edits.end();
    std::optional<SetupFile> own;
    if (!edits.empty()) {
        fs::create_directories(_own.parent_path());
        ConfigEditor editor(fs::exists(_own) ? readFile(_own) : std::string(NEW_OWN_FILE), _own.string());
        for (const auto& edit : edits)
            editor.set("database", edit.key, asToml(edit.value));
        own.emplace(_own, hasSecret ? Content::Secret : Content::Public, editor.text());
        verify(own->path(), edits);
    }
    if (passwordGoesToItsFile(wanted))
        SetupFile(_passwordFile, Content::Secret, wanted.password + "\n").putInPlace();
    if (own)
        own->putInPlace();
}

void SetupConfiguration::verify(const fs::path& candidate, const std::vector<Edit>& edits) const {
    Diagnostics problems;
    const auto table = readTomlFile(candidate, problems); // no other file beside it has these keys
    const bool isRight =
        table && std::ranges::all_of(edits, [&](const Edit& edit) {
            const auto* entry = table->find("database." + edit.key);
            return entry && std::visit([&](const auto& value) { return holds(*entry, value); }, edit.value);
        });
    if (!isRight)
        throw CommandFailure(
            fmt::format("{}: [database] is written there in a way that setup cannot change; nothing was "
                        "changed; write it as a table of its own, or remove it, and run setup again",
                        _own.string()));
}

} // namespace supplierd::host
