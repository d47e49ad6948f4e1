#include "S3Server.h"

#include "tests/support/Responses.h"

#include <cppunit/TestAssert.h>

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace supplierd::tests {

using namespace std::chrono_literals;

S3Server::S3Server() {
    start();
}

void S3Server::start() {
    const auto portFile = _directory / "port";
    std::filesystem::remove(portFile);
    const auto log = _directory / "log";
    _process.emplace(
        ChildCommand{{SUPPLIERD_S3_SERVER, "--port-file", portFile, "--port", std::to_string(_port), "--bucket", BUCKET,
                      "--region", REGION, "--access-key", ACCESS_KEY, "--secret", SECRET},
                     {},
                     log,
                     log});
    const auto end = std::chrono::steady_clock::now() + 1min;
    while (!std::filesystem::exists(portFile)) {
        if (!_process->isRunning() || std::chrono::steady_clock::now() > end)
            throw std::runtime_error("s3-server does not start: " + readWholeFile(log));
        std::this_thread::sleep_for(5ms);
    }
    _port = static_cast<std::uint16_t>(std::stoul(readWholeFile(portFile)));
}

media::S3Settings S3Server::settings() const {
    media::S3Settings settings;
    settings.endpoint = "http://127.0.0.1:" + std::to_string(_port);
    settings.region = REGION;
    settings.bucket = BUCKET;
    settings.credentials = {ACCESS_KEY, SECRET};
    settings.timeout = 1min; // a machine that is too busy makes no test fail
    settings.requestTimeout = 30s;
    return settings;
}

void S3Server::control(const json& order) const {
    HttpClient http("http://127.0.0.1:" + std::to_string(_port));
    requireStatus(204, http.post("/-/control", order));
}

void S3Server::reset() const {
    control({{"reset", true}});
}

void S3Server::fail(const std::string& kind, const std::string& method, int times) const {
    json fault{{"kind", kind}, {"times", times}};
    if (!method.empty())
        fault["method"] = method;
    control({{"faults", json::array({fault})}});
}

json S3Server::ask(const std::string& path) const {
    return HttpClient("http://127.0.0.1:" + std::to_string(_port)).get(path).json();
}

json S3Server::objects() const {
    return ask("/-/objects");
}

std::vector<std::string> S3Server::keys() const {
    std::vector<std::string> keys;
    const json all = objects();
    for (const auto& [key, object] : all.items())
        if (!key.ends_with(".store-id"))
            keys.push_back(key);
    return keys;
}

json S3Server::requests() const {
    return ask("/-/requests");
}

std::size_t S3Server::countOf(const std::string& method) const {
    std::size_t count = 0;
    for (const json& request : requests())
        if (request["method"] == method)
            ++count;
    return count;
}

S3Server& sharedS3Server() {
    static S3Server server;
    return server;
}

} // namespace supplierd::tests
