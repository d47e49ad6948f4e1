#include "tests/system/redis/ServersOfRedis.h"

#include "tests/support/Concurrency.h"
#include "tests/support/Responses.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

namespace supplierd::tests {

ServersOfRedis::ServersOfRedis(const std::string& redis, const std::string& more) {
    for (int i = 0; i < COUNT; ++i) {
        auto options = probed(more + "\n" + _redis.configuration(redis), {"platform"});
        options.migrate = i == 0;
        _servers.push_back(std::make_unique<ServerProcess>(_database, options));
    }
    awaitRedis();
}

void ServersOfRedis::awaitRedis() {
    for (auto& server : _servers)
        waitFor("a server that uses Redis", [&] { return server->metric("supplierd_redis_away") == 0; });
}

std::string ServersOfRedis::newKey(const std::map<std::string, std::string>& columns) {
    return server(0).createKey(server(0).createSupplier("Rozenhof"), columns);
}

double ServersOfRedis::sum(const std::string& metric) {
    double sum = 0;
    for (auto& server : _servers)
        sum += server->metric(metric);
    return sum;
}

Taken take(ServersOfRedis& servers, const std::string& key, int requestsEach, int after,
           const std::function<void()>& meanwhile) {
    constexpr int CLIENTS = 8;
    Taken taken;
    std::mutex mutex;
    std::atomic<int> answered{0};
    std::vector<std::function<void()>> works;
    for (int c = 0; c < CLIENTS; ++c)
        works.emplace_back([&, c] {
            std::vector<HttpClient> clients;
            for (int i = 0; i < ServersOfRedis::COUNT; ++i)
                clients.push_back(servers.server(i).client(key));
            for (int i = 0; i < requestsEach; ++i) {
                const auto response = clients[static_cast<std::size_t>(c + i) % clients.size()].get("/test/whoami");
                ++answered;
                const std::lock_guard lock(mutex);
                taken.allowed += response.status == 200 ? 1 : 0;
                taken.refused += response.status == 429 ? 1 : 0;
                if (response.status != 200 && response.status != 429)
                    ++taken.others[response.status];
            }
        });
    works.emplace_back([&] {
        waitFor("the first requests", [&] { return answered >= after; });
        meanwhile();
    });
    together(works);
    return taken;
}

} // namespace supplierd::tests
