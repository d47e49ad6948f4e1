#pragma once

#include <supplierd/BoundedCache.h>
#include <supplierd/services/Accounts.h>

#include <cstdint>

namespace supplierd::catalog {

/// Which suppliers are sandboxes, so that their products are marked as such. What a supplier is it stays, so each is
/// asked for once. Thread: any. The service outlives it.
class Sandboxes {
public:
    Sandboxes(Accounts& accounts, CacheMemory& memory)
        : _accounts(accounts), _known(memory, "catalog: sandboxes", WORTH) {}

    /// Throws DatabaseError.
    bool contains(SqlSession& session, std::int64_t supplierId);

private:
    static constexpr double WORTH = 8; ///< a question of the database's for some bytes

    Accounts& _accounts;
    BoundedCache<std::int64_t, bool> _known;
};

} // namespace supplierd::catalog
