#include "tests/system/faults/ReadingLoad.h"

#include <Poco/Exception.h>

#include <stdexcept>

namespace supplierd::tests {
ReadingLoad::ReadingLoad(const SupplierWorld& world, std::size_t account, std::vector<std::string> paths, int clients)
    : _world(world), _account(account), _paths(std::move(paths)) {
    auto http = _world.client(_account);
    for (const auto& path : _paths) {
        const auto answer = http.get(path);
        if (answer.status != 200)
            throw std::runtime_error("cannot read " + path + ": " + answer.body);
        _bodies.push_back(answer.body);
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
    auto http = _world.client(_account);
    http.setTimeout(std::chrono::minutes(2));
    for (std::size_t i = 0; !_stopping; ++i) {
        try {
            read(http, i % _paths.size());
        } catch (const Poco::Exception& error) {
            complain("a reader got no answer: " + error.displayText());
            return;
        } catch (const std::exception& error) {
            complain(std::string("a reader failed: ") + error.what());
            return;
        }
    }
}

void ReadingLoad::read(HttpClient& http, std::size_t path) {
    const auto answer = http.get(_paths[path]);
    if (answer.status == 200 && answer.body == _bodies[path]) {
        ++_answered;
    } else if (answer.status == 503 && answer.hasHeader("Retry-After") &&
               answer.error().at("code") == "SERVICE_UNAVAILABLE") {
        ++_refused;
        std::this_thread::sleep_for(PAUSE_AFTER_REFUSAL);
    } else {
        complain(_paths[path] + " got " + answer.statusLine + ": " + answer.body);
    }
}

void ReadingLoad::complain(const std::string& what) {
    const std::lock_guard lock(_mutex);
    _complaints.push_back(what);
}

} // namespace supplierd::tests
