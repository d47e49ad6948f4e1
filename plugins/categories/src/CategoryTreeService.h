#pragma once

#include <supplierd/services/CategoryTree.h>

namespace supplierd::categories {

/// The service "supplierd.category-tree/1", which the operators' routes stand on too. The AuditLog outlives it.
class CategoryTreeService final : public CategoryTree {
public:
    explicit CategoryTreeService(AuditLog& audit) : _audit(audit) {}

    std::vector<CategoryRecord> all(SqlSession& session) override;
    CategoryChange add(Transaction& transaction, const JsonObject& fields, const Actor& actor) override;
    CategoryChange update(Transaction& transaction, std::int64_t id, const JsonObject& fields,
                          const Actor& actor) override;
    bool isActive(SqlSession& session, std::int64_t id) override;

private:
    void record(Transaction& transaction, const CategoryChange& change, const Actor& actor);

    AuditLog& _audit;
};

} // namespace supplierd::categories
