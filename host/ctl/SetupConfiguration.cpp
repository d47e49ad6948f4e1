#include "host/ctl/SetupConfiguration.h"

#include "host/config/SettingsLoader.h"
#include "host/config/TomlReader.h"
#include "host/ctl/CommandFailure.h"
#include "host/ctl/ConfigEditor.h"
#include "host/ctl/SetupFiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace supplierd::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* PASSWORD_FILE = "database-password";
constexpr std::string_view NEW_FILE = "# supplierd: the configuration, begun by `supplierctl setup`.\n\n[database]\n";

/// Of the file and those of conf.d after it, in their order.
ConfigTable readTables(const fs::path& file) {
    ConfigProblems told; // loadSettings() tells the same
    ConfigTable root;
    if (auto table = readTomlFile(file, told))
        root = std::move(*table);
    std::vector<fs::path> further;
    std::error_code error;
    for (fs::directory_iterator entry(file.parent_path() / "conf.d", error), end; !error && entry != end;
         entry.increment(error))
        if (entry->path().extension() == ".toml" && !entry->path().filename().string().starts_with('.'))
            further.push_back(entry->path());
    std::sort(further.begin(), further.end());
    for (const auto& path : further)
        if (auto table = readTomlFile(path, told))
            root.merge(std::move(*table));
    return root;
}

/// A password file that is still missing is no reason to refuse: setup writes it.
std::string problemsBut(const ConfigProblems& problems, const ConfigPosition& expected) {
    std::string text;
    for (const auto& problem : problems)
        if (!problem.warning && (expected.line == 0 || problem.file != expected.file || problem.line != expected.line))
            text += (text.empty() ? "" : "\n") + problem.toString();
    return text;
}

} // namespace

SetupConfiguration::SetupConfiguration(fs::path file)
    : _file(std::move(file)), _passwordFile(_file.parent_path() / PASSWORD_FILE) {
    if (fs::exists(_file)) {
        read();
        return;
    }
    _present.user = "supplierd";
    _present.database = "supplierd";
    _present.tls = TlsMode::Preferred;
}

void SetupConfiguration::read() {
    const auto root = readTables(_file);
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
    ConfigProblems problems;
    const auto settings = loadSettings(_file, problems);
    if (const auto wrong = problemsBut(problems, passwordFile); !wrong.empty())
        throw CommandFailure(wrong);
    _present = settings.database.session;
}

bool SetupConfiguration::passwordGoesToItsFile(const SessionSettings& wanted) const {
    return !wanted.password.empty() && wanted.password != _present.password && !_places.contains("password");
}

std::vector<SetupConfiguration::Edit> SetupConfiguration::editsFor(const SessionSettings& wanted) const {
    std::vector<Edit> edits;
    const auto textEdit = [&](const char* key, const std::string& now, const std::string& then) {
        if (now != then)
            edits.push_back({key, ConfigEditor::quoted(then)});
    };
    textEdit("socket", _present.socket, wanted.socket);
    if (wanted.socket.empty()) {
        textEdit("host", _present.host, wanted.host);
        if (wanted.port != _present.port)
            edits.push_back({"port", std::to_string(wanted.port)});
    }
    textEdit("user", _present.user, wanted.user);
    textEdit("name", _present.database, wanted.database);
    if (passwordGoesToItsFile(wanted)) {
        if (!_places.contains("password_file"))
            edits.push_back({"password_file", ConfigEditor::quoted(PASSWORD_FILE)});
    } else if (!wanted.password.empty() && wanted.password != _present.password) {
        edits.push_back({"password", ConfigEditor::quoted(wanted.password), /* isSecret */ true});
    }
    return edits;
}

void SetupConfiguration::refuseElsewhere(const std::vector<Edit>& edits) const {
    for (const auto& edit : edits) {
        const auto place = _places.find(edit.key);
        if (place != _places.end() && place->second.file != _file.string())
            throw CommandFailure(fmt::format("{}:{}: database.{} is set here, and wins over {}, which setup writes; "
                                             "remove this line, or run setup with what it says",
                                             place->second.file, place->second.line, edit.key, _file.string()));
    }
}

std::vector<std::string> SetupConfiguration::changesFor(const SessionSettings& wanted) const {
    const auto edits = editsFor(wanted);
    refuseElsewhere(edits);
    std::vector<std::string> changes;
    if (passwordGoesToItsFile(wanted))
        changes.push_back("the password into " + _passwordFile.string());
    for (const auto& edit : edits)
        changes.push_back(
            fmt::format("{} = {} in {}", edit.key, edit.isSecret ? "(the password)" : edit.value, _file.string()));
    return changes;
}

void SetupConfiguration::write(const SessionSettings& wanted) {
    const auto edits = editsFor(wanted);
    refuseElsewhere(edits);
    const bool isNew = !fs::exists(_file);
    if (isNew)
        fs::create_directories(fs::absolute(_file).parent_path());
    ConfigEditor editor(isNew ? NEW_FILE : SetupFiles::read(_file));
    for (const auto& edit : edits)
        editor.set("database", edit.key, edit.value);
    if (passwordGoesToItsFile(wanted))
        SetupFiles::write(_passwordFile, wanted.password + "\n");
    if (!edits.empty() || isNew) {
        SetupFiles::keepCopy(_file, _file.string() + ".before-setup");
        SetupFiles::write(_file, editor.text());
    }
    verify(wanted);
}

void SetupConfiguration::verify(const SessionSettings& wanted) const {
    ConfigProblems problems;
    const auto written = loadSettings(_file, problems).database.session;
    if (problems.hasErrors())
        throw CommandFailure(problems.toString());
    const bool isSame = written.socket == wanted.socket && written.user == wanted.user &&
                        written.database == wanted.database &&
                        (wanted.password.empty() || written.password == wanted.password) &&
                        (!wanted.socket.empty() || (written.host == wanted.host && written.port == wanted.port));
    if (!isSame)
        throw CommandFailure(_file.string() +
                             ": the table [database] is written in a way that setup cannot change; "
                             "the former text is kept as " +
                             _file.string() + ".before-setup");
}

} // namespace supplierd::host
