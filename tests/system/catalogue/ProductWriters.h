#pragma once

#include "AnswerCheck.h"
#include "ListServers.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

/// Threads that change products in every way there is, through all servers, and one that approves by supplierctl.
class ProductWriters {
public:
    ProductWriters(ListServers& servers, unsigned seed);
    ~ProductWriters();

    void finish();
    std::vector<AcknowledgedWrite> takeWrites();
    /// Answers of writers, by what was asked and status.
    const std::map<std::string, std::size_t>& answers() const { return _answers; }

private:
    void run(unsigned seed);
    std::size_t anyServer(std::mt19937& random) const;
    void write(ServerConnections& connections, std::mt19937& random, std::size_t server);
    void writeByTool(std::mt19937& random);
    void renameCategory(std::mt19937& random, std::size_t server);
    void count(const std::string& what, int status);
    void acknowledge(ListedSupplier& supplier, const HttpResponse& response, std::int64_t product, const char* field,
                     const nlohmann::json& value);

    ListServers& _servers;
    std::atomic<bool> _stopping{false};
    std::mutex _mutex;
    std::vector<AcknowledgedWrite> _writes;
    std::map<std::string, std::size_t> _answers;
    std::vector<std::thread> _threads;
};

} // namespace supplierd::tests
