#pragma once

#include "tests/system/fixtures/CommitLog.h"
#include "tests/system/fixtures/ServerGroup.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

/// How long who got a 503 waits.
inline constexpr auto AFTER_A_REFUSAL = std::chrono::milliseconds(20);

/// Numbers that somebody has heard of. What a writer was told, every later answer has. So it is with what was shown,
/// among servers that read in the same way: one node of a cluster may show a commit a moment before the node that it is
/// made on, and before its writer is told. Thread: any.
class HeardNumbers {
public:
    enum class Reading {
        Plain, ///< on the node that is written to
        InStep ///< on whatever node, once it has what the cluster has committed
    };

    void acknowledge(std::int64_t number) { _acknowledged.raise(number); }
    void show(Reading reading, std::int64_t number) { shown(reading).raise(number); }
    /// What an answer of a server that reads so has to have.
    std::int64_t least(Reading reading) { return std::max(_acknowledged.get(), shown(reading).get()); }

private:
    Highest& shown(Reading reading) { return reading == Reading::Plain ? _plain : _inStep; }

    Highest _acknowledged;
    Highest _plain;
    Highest _inStep;
};

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
    /// How each server reads, and the test's own session: plainly, unless it is said. Before any thread is started.
    void setReading(std::vector<HeardNumbers::Reading> servers, HeardNumbers::Reading own) {
        _readings = std::move(servers);
        _ownReading = own;
    }
    HeardNumbers::Reading reading(std::size_t server) const {
        return _readings.empty() ? HeardNumbers::Reading::Plain : _readings[server];
    }
    HeardNumbers::Reading ownReading() const { return _ownReading; }

private:
    void fill(ListedSupplier& supplier, int products, int nameLength);

    std::vector<std::int64_t> _categories;
    std::vector<std::unique_ptr<ListedSupplier>> _suppliers;
    HeardNumbers _marketplaceHeard;
    std::vector<HeardNumbers::Reading> _readings;
    HeardNumbers::Reading _ownReading = HeardNumbers::Reading::Plain;
    std::unique_ptr<CommitLog> _log;
};

} // namespace supplierd::tests
