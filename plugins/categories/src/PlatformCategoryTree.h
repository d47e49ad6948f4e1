#pragma once

#include <supplierd/CategoryTree.h>

namespace supplierd::categories {

/// The service "supplierd.category-tree/1". Keeps nothing between calls.
class PlatformCategoryTree final : public CategoryTree {
public:
    std::vector<CategoryRecord> all(SqlSession& session) override;
    CategoryChange add(Transaction& transaction, const JsonObject& fields) override;
    CategoryChange change(Transaction& transaction, std::int64_t id, const JsonObject& fields) override;
};

} // namespace supplierd::categories
