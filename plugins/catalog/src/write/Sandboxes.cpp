#include "Sandboxes.h"

#include <memory>

namespace supplierd::catalog {

bool Sandboxes::contains(SqlSession& session, std::int64_t supplierId) {
    if (const auto known = _known.find(supplierId))
        return *known;
    const auto supplier = _accounts.findSupplier(session, supplierId);
    if (!supplier)
        return false;
    _known.keep(supplierId, std::make_shared<const bool>(supplier->isSandbox()), sizeof(bool),
                [](bool) { return false; });
    return supplier->isSandbox();
}

} // namespace supplierd::catalog
