#pragma once

#include "batch/ProductName.h"
#include "write/ProductWriter.h"

#include <supplierd/Database.h>
#include <supplierd/services/CategoryTree.h>
#include <supplierd/services/Products.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::catalog {

/// One product of a batch: what becomes of it, and what is to be written.
struct PlannedProduct {
    BatchedProduct result;
    ProductWrite write;

    /// Puts into the result what would become different.
    void describe();
};

/// What a batch comes to, as things are: reads the products that it names with one statement, and checks each of them.
class BatchPlan {
public:
    BatchPlan(SqlSession& session, CategoryTree& categories, std::int64_t supplierId)
        : _session(session), _categories(categories), _supplierId(supplierId) {}

    /// In the order of `products`. Throws DatabaseError.
    std::vector<PlannedProduct> make(std::span<const JsonObject> products);

private:
    void planOne(const JsonObject& product, const ProductName& name, const Rows& row, PlannedProduct& planned);
    void check(const JsonObject& product, ProductInput::Purpose purpose, PlannedProduct& planned);
    void findUnknownCategories(std::vector<PlannedProduct>& plan);
    void readActive(const std::set<std::int64_t>& categories);
    void findRepeated(const std::vector<ProductName>& names, std::vector<PlannedProduct>& plan) const;

    SqlSession& _session;
    CategoryTree& _categories;
    std::int64_t _supplierId;
    std::map<std::int64_t, bool> _isActive; ///< of the categories that were read
};

} // namespace supplierd::catalog
