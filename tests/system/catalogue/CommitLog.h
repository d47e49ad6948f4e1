#pragma once

#include "tests/support/TestDatabase.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

/// What the database itself says of every commit: triggers write down each row of the catalogue as it becomes, under
/// its supplier's number, in the transaction that changes it. It knows nothing of the server's own change log.
class CommitLog {
public:
    enum class Kind : char { Product = 'P', Variant = 'V', Sku = 'S', Image = 'I', Category = 'C' };

    struct Row {
        std::int64_t supplierId = 0; ///< 0: of all suppliers
        std::int64_t seq = 0;
        Kind kind = Kind::Product;
        std::int64_t productId = 0;
        std::int64_t id = 0;   ///< of the variant (0 with a SKU: the product's own), image, category
        nlohmann::json values; ///< null: it is gone
    };

    /// Writes down what is there under number 0. Categories are changed by one thread at a time. The images are those
    /// of the plugin test-images.
    explicit CommitLog(TestDatabase& database);

    /// What was committed since the last call, by supplier, in order.
    std::map<std::int64_t, std::vector<Row>> takeNew();

private:
    TestDatabase& _database;
    std::map<std::int64_t, std::int64_t> _taken;
};

} // namespace supplierd::tests
