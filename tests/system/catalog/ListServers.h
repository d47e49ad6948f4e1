#pragma once

#include "tests/system/fixtures/CommitLog.h"
#include "tests/system/fixtures/ServerGroup.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

/// A supplier, and what of its products somebody has heard of. Thread: any.
struct ListedSupplier {
    std::int64_t id = 0;
    std::string key;
    HeardNumbers heard;

    std::int64_t anyProduct(std::mt19937& random) const;
    void add(std::int64_t product);
    void remove(std::int64_t product);
    std::size_t products() const;

private:
    mutable std::mutex _mutex;
    std::vector<std::int64_t> _products;
};

/// Servers on one database, two of them unless it is said, and suppliers with products: the first two with some
/// hundred; the last with so many that the second server, which has little memory, answers its lists from the database.
class ListServers : public ServerGroup {
public:
    static constexpr std::size_t SUPPLIERS = 3;

    ListServers();
    /// As ServerGroup has them.
    ListServers(const std::vector<ServerOptions>& options, const std::string& settings = {});

    /// Of the server of that place. All tables of the configuration but [rate_limit] and [plugins] are free.
    static ServerOptions serverOptions(std::size_t server);

    CommitLog& log() { return *_log; }
    ListedSupplier& supplier(std::size_t index) { return *_suppliers[index]; }
    const std::vector<std::int64_t>& categories() const { return _categories; }
    HeardNumbers& marketplaceHeard() { return _marketplaceHeard; }
    /// Servers are held to what writers were told, not to what was shown: one node of a cluster may show a commit a
    /// moment before the node that it is made on, and before its writer is told. Before any thread is started.
    void demandAcknowledgedOnly();

private:
    void fill(ListedSupplier& supplier, int products, int nameLength);

    std::vector<std::int64_t> _categories;
    std::vector<std::unique_ptr<ListedSupplier>> _suppliers;
    HeardNumbers _marketplaceHeard;
    std::unique_ptr<CommitLog> _log;
};

} // namespace supplierd::tests
