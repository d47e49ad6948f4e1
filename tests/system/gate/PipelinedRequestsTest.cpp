#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RawConnection.h"

#include <algorithm>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

/// Requests of several keys, one behind the other on the same connection, split at every byte: each gets its own
/// answer. SUPPLIERD_TEST_PIPELINED makes them more.
class PipelinedRequestsTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _server = std::make_unique<ServerProcess>(_database, probed("[server]\nconnections_per_address = 0\n"));
        for (const char* name : {"Rozenhof", "Tulpenhof", "Leliehof"})
            _keys.push_back(_server->createKey(_server->createSupplier(name), {{"hourly_limit", "1000000000"}}));
    }

protected:
    static constexpr int CONNECTIONS = 4;

    const std::string& keyOf(int request) const {
        return _keys[static_cast<std::size_t>(request) * 7 / 3 % _keys.size()];
    }

    /// One at its place after the other. The first ones byte by byte, each of the others in two pieces, of which the
    /// second goes out together with the first one of the next.
    void send(RawConnection& connection, int requests) const {
        constexpr int BYTE_BY_BYTE = 20;
        std::string left;
        for (int i = 0; i < requests; ++i) {
            const auto text = "GET /api/v1/supplier/test/whoami HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " +
                              keyOf(i) + "\r\nX-Request-Id: r-" + std::to_string(i) + "\r\n\r\n";
            if (i < BYTE_BY_BYTE) {
                for (const char& byte : text)
                    connection.send({&byte, 1});
                continue;
            }
            const auto split = static_cast<std::size_t>(i) % text.size();
            connection.send(left + text.substr(0, split));
            left = text.substr(split);
        }
        connection.send(left);
    }

    /// Of the one that the bytes begin with; 0 while it is not whole.
    static std::size_t answerLength(const std::string& bytes) {
        const auto end = bytes.find("\r\n\r\n");
        const std::string name = "\r\nContent-Length: ";
        const auto at = bytes.find(name);
        if (end == std::string::npos || at > end)
            return 0;
        const auto length = end + 4 + std::stoul(bytes.substr(at + name.size(), 8));
        return bytes.size() >= length ? length : 0;
    }

    /// What is wrong, or nothing.
    std::string run(int requests) const {
        RawConnection connection(_server->url());
        const std::jthread sender([&] { send(connection, requests); });
        std::string received;
        for (int i = 0; i < requests; ++i) {
            std::size_t length = 0;
            while ((length = answerLength(received)) == 0)
                if (!connection.receiveSome(received, 60s))
                    return "request " + std::to_string(i) + " has no answer, but: " + received;
            const auto answer = received.substr(0, length);
            received.erase(0, length);
            constexpr std::size_t PREFIX = 11;
            const auto marker = "\"key\":\"" + keyOf(i).substr(0, PREFIX) + '"';
            if (!answer.starts_with("HTTP/1.1 200 ") || answer.find(marker) == std::string::npos ||
                answer.find("X-Request-Id: r-" + std::to_string(i) + "\r\n") == std::string::npos)
                return "request " + std::to_string(i) + " of " + marker + " got: " + answer;
        }
        return received;
    }

    TestDatabase _database;
    std::unique_ptr<ServerProcess> _server;
    std::vector<std::string> _keys;
};

TEST(PipelinedRequestsTest, pipelinedResponsesAreEachTheirOwnKeys) {
    const char* const given = std::getenv("SUPPLIERD_TEST_PIPELINED");
    const int requests = given ? std::atoi(given) : 4'000;
    std::vector<std::future<std::string>> connections;
    for (int i = 0; i < CONNECTIONS; ++i)
        connections.push_back(std::async(std::launch::async, [&] { return run(requests / CONNECTIONS); }));
    for (auto& connection : connections)
        CPPUNIT_ASSERT_EQUAL(std::string(), connection.get());
}

} // namespace supplierd::tests
