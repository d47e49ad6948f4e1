#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

struct SUPPLIERD_API SupplierRecord {
    std::int64_t id = 0;
    std::string name;
    std::optional<std::string> email = std::nullopt;
    /// "unverified", "verified" or "suspended".
    std::string status;
    /// ISO 8601 UTC.
    std::string createdAt;
    Reserved reserved = {};
};

/// A service of the host: the suppliers. Thread: any. Throws DatabaseError. Since 1.0.
class SUPPLIERD_API Suppliers {
public:
    static constexpr std::string_view ID = "supplierd.suppliers/1";

    /// Those of them that there are, in the order of their ids, each once. One statement.
    virtual std::vector<SupplierRecord> find(SqlSession& session, std::span<const std::int64_t> ids) = 0;

protected:
    ~Suppliers() = default;
};

/// Fills in `supplierName` by `supplierId`. One statement. Since 1.0.
template <class Item>
void nameSuppliers(SqlSession& session, Suppliers& suppliers, std::span<Item> items) {
    std::vector<std::int64_t> ids;
    for (const Item& item : items)
        ids.push_back(item.supplierId);
    const std::vector<SupplierRecord> found = suppliers.find(session, ids);
    for (Item& item : items) {
        const auto supplier = std::find_if(found.begin(), found.end(),
                                           [&](const SupplierRecord& record) { return record.id == item.supplierId; });
        if (supplier != found.end())
            item.supplierName = supplier->name;
    }
}

} // namespace supplierd
