#pragma once

#include <supplierd/BoundedCache.h>
#include <supplierd/services/Accounts.h>

#include <cstddef>
#include <cstdint>

namespace supplierd::catalog {

/// Which suppliers are sandboxes, so that their products are marked as such. What a supplier is it stays, so each is
/// asked for once. Thread: any. The service outlives it.
class Sandboxes {
public:
    explicit Sandboxes(Accounts& accounts) : _accounts(accounts) {}

    /// Throws DatabaseError.
    bool contains(SqlSession& session, std::int64_t supplierId);

private:
    static constexpr std::size_t MEMORY = 1'048'576;

    Accounts& _accounts;
    BoundedCache<std::int64_t, bool> _known{MEMORY};
};

} // namespace supplierd::catalog
