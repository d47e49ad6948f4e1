#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RawConnection.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {

constexpr int THREADS = 4;
constexpr const char* CONFIGURATION = "[server]\nthreads = 4\nmax_queued = 1000\nconnections_per_address = 0\n"
                                      "keep_alive_timeout = \"5m\"\nrequest_timeout = \"5m\"\n";
#ifdef __SANITIZE_THREAD__
constexpr const char* QUEUE_TIME = "queue_time = \"30s\"\n"; // the readers' megabytes take longer there
#else
constexpr const char* QUEUE_TIME = "";
#endif

int threadsOf(pid_t process) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("Threads:"))
            return std::stoi(line.substr(8));
    return -1;
}

/// For the test's own ends of the connections.
void raiseFileLimit() {
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
}

} // namespace

/// A server whose connections are many, slow, or both, and its honest clients.
class SlowClientsTest : public CppUnit::TestFixture {
public:
    void setUp() override { raiseFileLimit(); }

protected:
    void start(const std::string& configuration) {
        _server = std::make_unique<ServerProcess>(
            _database, probed(configuration + std::string("[rate_limit]\nrequests_per_hour = 1000000\n")));
        _key = _server->createKey(_server->createSupplier("Rozenhof"));
    }
    std::string authorization() const { return "Authorization: Bearer " + _key + "\r\n"; }

    TestDatabase _database;
    std::unique_ptr<ServerProcess> _server;
    std::string _key;
};

TEST(SlowClientsTest, slowHeadsBodiesAndReadersFailNoHonestRequest) {
    start(std::string(CONFIGURATION) + QUEUE_TIME);
    std::vector<RawConnection> heads;
    std::vector<RawConnection> bodies;
    std::vector<RawConnection> readers;
    for (int i = 0; i < 300; ++i) {
        heads.emplace_back(_server->url());
        heads.back().send("GET /api/v1/supplier/test/whoami HTTP/1.1\r\nHost: a\r\nX-Slow: ");
        bodies.emplace_back(_server->url());
        bodies.back().send("POST /api/v1/supplier/test/run HTTP/1.1\r\nHost: a\r\n" + authorization() +
                           "Content-Type: application/json\r\nContent-Length: 18\r\n\r\n{\"name\":");
    }
    for (int i = 0; i < 50; ++i) {
        readers.emplace_back(_server->url());
        std::string requests;
        for (int request = 0; request < 40; ++request) // more than the buffers on the way hold
            requests += "GET /api/v1/supplier/test/large?kib=1000 HTTP/1.1\r\nHost: a\r\n" + authorization() + "\r\n";
        readers.back().send(requests);
    }
    auto honest = _server->client(_key);
    for (int i = 0; i < 300; ++i)
        requireStatus(200, honest.get("/test/whoami"));
    heads.front().send("no\r\n" + authorization() + "\r\n");
    CPPUNIT_ASSERT(heads.front().receiveUntil("}}").starts_with("HTTP/1.1 200 "));
    bodies.front().send("\"patient\"}");
    CPPUNIT_ASSERT(bodies.front().receiveUntil("}}").starts_with("HTTP/1.1 201 "));
    CPPUNIT_ASSERT(readers.front().receiveUntil("\r\n\r\n").starts_with("HTTP/1.1 200 "));
}

TEST(SlowClientsTest, idleConnectionsCostNoThreads) {
    start(CONFIGURATION);
    const int before = threadsOf(_server->pid());
    std::vector<std::unique_ptr<HttpClient>> idle;
    for (int i = 0; i < 800; ++i) {
        idle.push_back(std::make_unique<HttpClient>(_server->url(), _key));
        requireStatus(200, idle.back()->get("/test/whoami"));
    }
    CPPUNIT_ASSERT(threadsOf(_server->pid()) <= before + THREADS);
    for (auto& client : idle)
        requireStatus(200, client->get("/test/whoami"));
}

TEST(SlowClientsTest, whatIsTooMuchIsRefusedWholeAndTheRestAnswered) {
    start("[server]\nthreads = 2\nmax_queued = 4\nqueue_time = \"1m\"\n");
    std::atomic<int> answered{0};
    std::atomic<int> refused{0};
    std::atomic<int> others{0};
    std::vector<std::thread> clients;
    for (int i = 0; i < 24; ++i)
        clients.emplace_back([&] {
            HttpClient client(_server->url(), _key); // kept: a refusal does not close it
            for (int request = 0; request < 4; ++request)
                try {
                    const auto response = client.get("/test/sleep?ms=50");
                    if (response.status == 200)
                        ++answered;
                    else if (response.status == 503 && response.header("Retry-After") == "1" &&
                             response.error().at("code") == "SERVICE_UNAVAILABLE")
                        ++refused;
                    else
                        ++others;
                } catch (const std::exception&) { // a reset
                    ++others;
                }
        });
    for (auto& client : clients)
        client.join();
    CPPUNIT_ASSERT_EQUAL(0, others.load());
    CPPUNIT_ASSERT_EQUAL(24 * 4, answered.load() + refused.load());
    CPPUNIT_ASSERT(refused.load() > 0);
    CPPUNIT_ASSERT(answered.load() >= 6);
}

TEST(SlowClientsTest, refusalsAreEnvelopesAndAreNoted) {
    start(CONFIGURATION);
    RawConnection connection(_server->url());
    connection.send("GET /api/v1/supplier/test/whoami HTTP/1.1\r\nHost: a\r\n Folded: yes\r\n\r\n");
    const auto received = connection.receiveAll(30s);
    CPPUNIT_ASSERT(connection.closed());
    CPPUNIT_ASSERT_MESSAGE(received, received.starts_with("HTTP/1.1 400 Bad Request\r\n"));
    const auto body = Json::parse(received.substr(received.find("\r\n\r\n") + 4));
    CPPUNIT_ASSERT_EQUAL(std::string("BAD_REQUEST"), body.at("error").at("code").get<std::string>());
    const auto line = accessLine(*_server, body.at("error").at("request_id").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(400, line.at("status").get<int>());
    CPPUNIT_ASSERT_EQUAL(std::string("(none)"), line.at("route").get<std::string>());
    const auto metrics = _server->adminClient().get("/metrics").body;
    CPPUNIT_ASSERT(metrics.find("supplierd_gate_refused_total{reason=\"folded_field\"} 1\n") != std::string::npos);
    CPPUNIT_ASSERT(metrics.find("supplierd_connections{state=\"waiting\"} ") != std::string::npos);
    CPPUNIT_ASSERT(metrics.find("supplierd_queue_seconds_count ") != std::string::npos);
}

} // namespace supplierd::tests
