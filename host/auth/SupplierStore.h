#pragma once

#include <supplierd/Suppliers.h>

namespace supplierd::host {

/// The table suppliers: the service "supplierd.suppliers/1". Holds nothing. Thread: any. Errors: DatabaseError.
class SupplierStore final : public Suppliers {
public:
    std::vector<SupplierRecord> find(SqlSession& session, std::span<const std::int64_t> ids) override;
};

} // namespace supplierd::host
