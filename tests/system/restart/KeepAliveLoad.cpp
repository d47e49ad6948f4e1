#include "tests/system/restart/KeepAliveLoad.h"

#include "tests/support/HttpClient.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <Poco/Exception.h>

#include <algorithm>

namespace supplierd::tests {

KeepAliveLoad::KeepAliveLoad(const std::string& url, const std::string& key, const std::string& path, int clients)
    : _url(url), _key(key), _path(path), _responses(static_cast<std::size_t>(clients)) {
    for (std::size_t i = 0; i < _responses.size(); ++i)
        _threads.emplace_back([this, i] { run(i); });
}

KeepAliveLoad::~KeepAliveLoad() {
    finish();
}

void KeepAliveLoad::waitForMore(std::size_t responsesEach) const {
    std::vector<std::size_t> wanted;
    for (const auto& count : _responses)
        wanted.push_back(count + responsesEach);
    waitFor("responses to the load", [&] {
        return _failed ||
               std::equal(_responses.begin(), _responses.end(), wanted.begin(),
                          [](const std::atomic<std::size_t>& count, std::size_t least) { return count >= least; });
    });
}

void KeepAliveLoad::finish() {
    _stopping = true;
    for (auto& thread : _threads)
        if (thread.joinable())
            thread.join();
}

void KeepAliveLoad::run(std::size_t client) {
    HttpClient http(_url, _key);
    http.setTimeout(std::chrono::minutes(1));
    while (!_stopping) {
        try {
            const auto response = http.get(_path);
            if (response.status != 200)
                fail("client " + std::to_string(client) + ": " + response.statusLine + ": " + response.body);
            ++_answered;
            ++_responses[client];
            // Without it the clients take all of the machine's time from the processes that end and start.
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } catch (const Poco::Exception& error) {
            fail("client " + std::to_string(client) + ": " + error.displayText());
        } catch (const std::exception& error) {
            fail("client " + std::to_string(client) + ": " + error.what());
        }
    }
}

void KeepAliveLoad::fail(const std::string& what) {
    const std::lock_guard lock(_mutex);
    constexpr std::size_t enough = 20;
    if (_failures.size() < enough)
        _failures.push_back(what);
    _failed = true;
}

} // namespace supplierd::tests
