#include "tests/system/faults/ReadingLoad.h"

#include <Poco/Exception.h>

#include <stdexcept>
#include <string_view>

namespace supplierd::tests {

namespace {

/// A cursor carries the number of the last change, which is another one in each run of the database.
std::string withoutCursor(std::string body) {
    constexpr std::string_view NAME = R"("next_cursor":")";
    if (const auto begin = body.find(NAME); begin != std::string::npos)
        body.erase(begin, body.find('"', begin + NAME.size()) - begin);
    return body;
}

} // namespace

ReadingLoad::ReadingLoad(const FaultFixture& fixture, std::size_t account, std::vector<std::string> paths, int clients)
    : _fixture(fixture), _account(account), _paths(std::move(paths)) {
    auto http = _fixture.client(_account);
    for (const auto& path : _paths) {
        const auto response = http.get(path);
        if (response.status != 200)
            throw std::runtime_error("cannot read " + path + ": " + response.body);
        _bodies.push_back(withoutCursor(response.body));
    }
    for (int i = 0; i < clients; ++i)
        _threads.emplace_back([this] { run(); });
}

ReadingLoad::~ReadingLoad() {
    finish();
}

void ReadingLoad::finish() {
    _stopping = true;
    for (auto& thread : _threads)
        if (thread.joinable())
            thread.join();
}

void ReadingLoad::run() {
    auto http = _fixture.client(_account);
    http.setTimeout(std::chrono::minutes(2));
    for (std::size_t i = 0; !_stopping; ++i) {
        try {
            read(http, i % _paths.size());
        } catch (const Poco::Exception& error) {
            reportFailure("a reader got no response: " + error.displayText());
            return;
        } catch (const std::exception& error) {
            reportFailure(std::string("a reader failed: ") + error.what());
            return;
        }
    }
}

void ReadingLoad::read(HttpClient& http, std::size_t path) {
    const auto response = http.get(_paths[path]);
    if (response.status == 200 && withoutCursor(response.body) == _bodies[path]) {
        ++_answered;
    } else if (response.status == 503 && response.hasHeader("Retry-After") &&
               response.error().at("code") == "SERVICE_UNAVAILABLE") {
        ++_refused;
        std::this_thread::sleep_for(PAUSE_AFTER_REFUSAL);
    } else {
        reportFailure(_paths[path] + " got " + response.statusLine + ": " + response.body);
    }
}

void ReadingLoad::reportFailure(const std::string& what) {
    const std::lock_guard lock(_mutex);
    _complaints.push_back(what);
}

} // namespace supplierd::tests
