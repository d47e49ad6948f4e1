#pragma once

#include "tests/system/fixtures/CommitLog.h"
#include "tests/system/fixtures/TwoServers.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A supplier, and what of its products somebody has heard of. Thread: any.
struct ListedSupplier {
    std::int64_t id = 0;
    std::string key;
    Highest heardOf;

    std::int64_t anyProduct(std::mt19937& random) const;
    void add(std::int64_t product);
    void remove(std::int64_t product);
    std::size_t products() const;

private:
    mutable std::mutex _mutex;
    std::vector<std::int64_t> _products;
};

/// Two servers on one database, and suppliers with products: the first two with some hundred; the last with so many
/// that the second server, which has little memory, answers its lists from the database.
class ListServers : public TwoServers {
public:
    static constexpr std::size_t SUPPLIERS = 3;

    ListServers();

    CommitLog& log() { return *_log; }
    ListedSupplier& supplier(std::size_t index) { return *_suppliers[index]; }
    const std::vector<std::int64_t>& categories() const { return _categories; }
    Highest& marketplaceHeardOf() { return _marketplaceHeardOf; }

private:
    void fill(ListedSupplier& supplier, int products, int nameLength);

    std::vector<std::int64_t> _categories;
    std::vector<std::unique_ptr<ListedSupplier>> _suppliers;
    Highest _marketplaceHeardOf;
    std::unique_ptr<CommitLog> _log;
};

} // namespace supplierd::tests
