#pragma once

#include "tests/system/fixtures/CommitLog.h"
#include "tests/system/fixtures/ServerGroup.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A supplier, his products, which never run out, and what of his orders somebody has heard of. Thread: any.
struct OrderedSupplier {
    std::int64_t id = 0;
    std::string key;
    std::vector<std::int64_t> products;
    HeardNumbers heard;

    /// One of the newest; nothing before there is any.
    std::optional<std::int64_t> anyOrder(std::mt19937& random) const;
    void add(std::int64_t order);
    /// One that was delivered and that nobody took yet.
    std::optional<std::int64_t> takeDelivered();
    void addDelivered(std::int64_t order);

private:
    mutable std::mutex _mutex;
    std::vector<std::int64_t> _orders;
    std::vector<std::int64_t> _delivered;
};

/// Two servers on one database, the second of which has little memory for orders, and suppliers who have some.
class OrderServers : public ServerGroup {
public:
    static constexpr std::size_t SUPPLIERS = 3;

    OrderServers();

    CommitLog& log() { return *_log; }
    OrderedSupplier& supplier(std::size_t index) { return *_suppliers[index]; }

private:
    std::vector<std::unique_ptr<OrderedSupplier>> _suppliers;
    std::unique_ptr<CommitLog> _log;
};

} // namespace supplierd::tests
