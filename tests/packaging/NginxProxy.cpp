#include "tests/packaging/NginxProxy.h"

#include "tests/support/Places.h"
#include "tests/support/PrivateMariaDb.h"

#include <Poco/Net/NetException.h>
#include <Poco/Net/StreamSocket.h>
#include <Poco/String.h>

#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace supplierd::tests {

namespace {

const std::string EXAMPLE = sourcePath("packaging/nginx/supplierd.conf");

/// Fails when the example has no such text any more.
void replaceAll(std::string& text, const std::string& what, const std::string& with) {
    auto at = text.find(what);
    if (at == std::string::npos)
        throw std::runtime_error(EXAMPLE + " does not say '" + what + "'");
    for (; at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

void runWell(const std::vector<std::string>& arguments) {
    const auto result = runCommand({.arguments = arguments});
    if (result.exitCode != 0)
        throw std::runtime_error(arguments.front() + " failed: " + result.errors);
}

std::string mainConfiguration(const std::filesystem::path& directory) {
    std::string text = "daemon off;\nmaster_process off;\npid " + (directory / "nginx.pid").string() +
                       ";\nerror_log stderr;\nevents {}\nhttp {\n    access_log off;\n";
    for (const auto* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
        text += std::string("    ") + kind + "_temp_path " + (directory / kind).string() + ";\n";
    return text + "    include " + (directory / "supplierd.conf").string() + ";\n}\n";
}

bool takesConnections(unsigned port) {
    try {
        Poco::Net::StreamSocket socket(Poco::Net::SocketAddress("127.0.0.1", static_cast<Poco::UInt16>(port)));
        return true;
    } catch (const Poco::Net::NetException&) {
        return false;
    }
}

} // namespace

std::optional<std::filesystem::path> NginxProxy::program() {
    const auto found = runCommand({.arguments = {"sh", "-c", "PATH=$PATH:/usr/sbin; command -v nginx"}});
    if (found.exitCode != 0)
        return std::nullopt;
    return Poco::trim(found.output);
}

NginxProxy::NginxProxy(const std::string& supplierd, const std::filesystem::path& pictures)
    : _directory("nginx"), _port(findFreePort()), _clearPort(findFreePort()) {
    const auto own = _directory.path().string();
    runWell({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=api.example.com", "-keyout", own + "/key.pem", "-out", own + "/fullchain.pem"});
    auto example = readWholeFile(EXAMPLE);
    replaceAll(example, "/etc/ssl/supplierd/", own + "/");
    replaceAll(example, "/var/lib/supplierd/media", pictures.string());
    replaceAll(example, "server 127.0.0.1:8080;", "server " + supplierd + ";");
    // A second server that is away is no obstacle: its share of the requests goes to the first.
    replaceAll(example, "#server 10.0.0.12:8080", "server 127.0.0.1:" + std::to_string(findFreePort()));
    replaceAll(example, "    listen [::]:80;\n", "");
    replaceAll(example, "    listen [::]:443 ssl http2;\n", "");
    replaceAll(example, "listen 80;", "listen 127.0.0.1:" + std::to_string(_clearPort) + ";");
    replaceAll(example, "listen 443 ssl http2;", "listen 127.0.0.1:" + std::to_string(_port) + " ssl http2;");
    writeWholeFile(_directory / "supplierd.conf", example);
    writeWholeFile(_directory / "nginx.conf", mainConfiguration(_directory.path()));
}

std::vector<std::string> NginxProxy::command() const {
    return {program().value(), "-p", _directory.path().string() + "/", "-c", _directory / "nginx.conf"};
}

CommandResult NginxProxy::check() const {
    auto arguments = command();
    arguments.emplace_back("-t");
    return runCommand({.arguments = arguments});
}

void NginxProxy::start() {
    _process = std::make_unique<ChildProcess>(ChildCommand{.arguments = command(), .errors = _directory / "nginx.log"});
    while (!takesConnections(_port)) {
        if (!_process->isRunning())
            throw std::runtime_error("nginx ended: " + readWholeFile(_directory / "nginx.log"));
        std::this_thread::yield();
    }
}

HttpResponse NginxProxy::request(const std::string& path, const std::vector<std::string>& curlOptions) const {
    return curl("https://127.0.0.1:" + std::to_string(_port) + path, curlOptions);
}

HttpResponse NginxProxy::requestInClear(const std::string& path) const {
    return curl("http://127.0.0.1:" + std::to_string(_clearPort) + path, {});
}

HttpResponse NginxProxy::curl(const std::string& url, const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"curl", "-s",        "-k",           "-i", "-m",
                                          "20",   "--http1.1", "--path-as-is", "-H", "Expect:"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back(url);
    const auto result = runCommand({.arguments = arguments});
    if (result.exitCode != 0)
        throw std::runtime_error("curl " + url + " ended with " + std::to_string(result.exitCode));
    HttpResponse response;
    const auto end = result.output.find("\r\n\r\n");
    response.body = result.output.substr(end + 4);
    auto head = result.output.substr(0, end + 2);
    response.statusLine = head.substr(0, head.find("\r\n"));
    response.status = std::stoi(response.statusLine.substr(9, 3));
    head.erase(0, response.statusLine.size() + 2);
    while (!head.empty()) {
        const auto line = head.substr(0, head.find("\r\n"));
        response.headers.emplace_back(line.substr(0, line.find(':')), Poco::trim(line.substr(line.find(':') + 1)));
        head.erase(0, line.size() + 2);
    }
    return response;
}

} // namespace supplierd::tests
