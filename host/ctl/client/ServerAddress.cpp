#include "host/ctl/client/ServerAddress.h"

#include "host/config/SettingsLoader.h"
#include "host/ctl/terminal/Commands.h"

#include <Poco/String.h>
#include <Poco/URI.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace supplierd::host {

namespace {

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "";
}

/// The first line. Throws when others may read it: it is as good as the operator.
std::string keyIn(const std::string& file) {
    std::ifstream in(file);
    std::string key;
    struct stat found {};
    if (!std::getline(in, key) || ::stat(file.c_str(), &found) != 0)
        throw CommandFailure("cannot read an operator's key from " + file, ExitCode::Usage);
    if (S_ISREG(found.st_mode) && (found.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        throw CommandFailure(fmt::format("others may read {}, which has a key; run: chmod 600 {}", file, file),
                             ExitCode::NotAllowed);
    return Poco::trim(key);
}

std::filesystem::path profilesFile() {
    const auto folder = environment("XDG_CONFIG_HOME");
    const std::filesystem::path base =
        folder.empty() ? std::filesystem::path(environment("HOME")) / ".config" : std::filesystem::path(folder);
    return base / "supplierd" / "profiles.toml";
}

struct Profile {
    std::string server;
    std::string keyFile;
    std::string caFile;
};

/// `[name]` with server, key_file and ca_file. A relative file is taken from the folder of the profiles.
Profile readProfile(const std::string& name) {
    const auto file = profilesFile();
    try {
        const toml::table table = toml::parse_file(file.string());
        const auto* const profile = table[name].as_table();
        if (!profile)
            throw CommandFailure(fmt::format("there is no profile [{}] in {}", name, file.string()), ExitCode::Usage);
        for (const auto& [key, value] : *profile)
            if ((key != "server" && key != "key_file" && key != "ca_file") || !value.is_string())
                throw CommandFailure(fmt::format("[{}] in {}: '{}' is not one of server, key_file and ca_file, each a "
                                                 "text",
                                                 name, file.string(), std::string(key.str())),
                                     ExitCode::Usage);
        const auto text = [&](const char* key) { return (*profile)[key].value_or(std::string()); };
        if (text("server").empty()) // or the server of this machine would be taken for it
            throw CommandFailure(fmt::format("[{}] in {} has no server", name, file.string()), ExitCode::Usage);
        const auto path = [&](const char* key) {
            return text(key).empty() ? std::string() : (file.parent_path() / text(key)).string();
        };
        return {text("server"), path("key_file"), path("ca_file")};
    } catch (const toml::parse_error& error) {
        throw CommandFailure(fmt::format("cannot read the profile '{}' from {}: {}", name, file.string(),
                                         std::string(error.description())),
                             ExitCode::Usage);
    }
}

/// A key must not cross a network that others may read.
void requireSafe(const std::string& url) {
    const Poco::URI uri(url);
    if (!uri.getUserInfo().empty())
        throw CommandFailure("--server takes no user and no password; a key comes from --key-file", ExitCode::Usage);
    const auto& host = uri.getHost();
    const bool isLoopback = host == "localhost" || host == "127.0.0.1" || host == "::1" || host == "[::1]";
    if (uri.getScheme() != "https" && !(uri.getScheme() == "http" && isLoopback))
        throw CommandFailure(fmt::format("--server needs an address like https://api.market.example, found '{}'", url),
                             ExitCode::Usage);
}

std::string firstOf(const std::string& option, const std::string& profile, const char* variable) {
    if (!option.empty())
        return option;
    return profile.empty() ? environment(variable) : profile;
}

/// The configuration is for the server's user; who only may use its socket finds it at its usual place.
std::string socketOf(const std::string& configFile) {
    if (::access(configFile.c_str(), R_OK) != 0)
        return DEFAULT_CONTROL_SOCKET;
    Diagnostics problems;
    const auto settings = loadSettings(configFile, problems);
    // A secret that only the server may read is none of a client's; what keeps the server from running is.
    const auto& socket = settings.server.controlSocket;
    if (problems.hasErrors() && (socket.empty() || (::access(socket.c_str(), W_OK) != 0 && errno != EACCES)))
        throw CommandFailure(problems.toString());
    if (settings.server.controlSocket.empty())
        throw CommandFailure(configFile + " has no server.control_socket, by which the server could be reached; use "
                                          "--server, or set it");
    return settings.server.controlSocket.string();
}

} // namespace

std::string ServerAddress::describe() const {
    return "the server at " + (url.empty() ? socket : url);
}

void ServerOptions::addTo(CLI::App& program) {
    program.add_option("--server", _server, "Another server than this machine's: https://api.market.example")
        ->type_name("URL");
    program.add_option("--key-file", _keyFile, "For --server: a file with an operator's key")->type_name("FILE");
    program.add_option("--ca-file", _caFile, "For --server: the certificates of a private authority")
        ->type_name("FILE");
    program
        .add_option("--profile", _profile, "What --server and the others are, from ~/.config/supplierd/profiles.toml")
        ->type_name("NAME");
}

ServerAddress ServerOptions::resolve(const std::string& configFile) const {
    if (!_server.empty() && !_profile.empty()) // the key of one must not go to the other
        throw CommandFailure("give either --server or --profile", ExitCode::Usage);
    const auto name = _profile.empty() && _server.empty() ? environment("SUPPLIERD_PROFILE") : _profile;
    const auto profile = name.empty() ? Profile() : readProfile(name);
    ServerAddress address;
    address.url = firstOf(_server, profile.server, "SUPPLIERD_SERVER");
    while (address.url.ends_with('/'))
        address.url.pop_back();
    if (address.url.empty() && !(_keyFile.empty() && _caFile.empty()))
        throw CommandFailure("--key-file and --ca-file are for another server: name it with --server or --profile",
                             ExitCode::Usage);
    if (address.url.empty()) {
        address.socket = socketOf(configFile);
        return address;
    }
    requireSafe(address.url);
    address.caFile = firstOf(_caFile, profile.caFile, "SUPPLIERD_CA_FILE");
    if (!address.caFile.empty() && ::access(address.caFile.c_str(), R_OK) != 0)
        throw CommandFailure("cannot read the certificates in " + address.caFile, ExitCode::Usage);
    const auto keyFile = firstOf(_keyFile, profile.keyFile, "SUPPLIERD_KEY_FILE");
    address.key = keyFile.empty() ? environment("SUPPLIERD_KEY") : keyIn(keyFile);
    if (address.key.empty())
        throw CommandFailure(
            fmt::format("{} wants an operator's key: give --key-file FILE, a profile, or SUPPLIERD_KEY "
                        "in the environment",
                        address.url),
            ExitCode::Usage);
    return address;
}

} // namespace supplierd::host
