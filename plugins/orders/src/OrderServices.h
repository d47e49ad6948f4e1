#pragma once

#include <supplierd/AuditLog.h>
#include <supplierd/ProductLookup.h>
#include <supplierd/ProductStock.h>
#include <supplierd/Suppliers.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace supplierd::orders {

/// What orders need of the host and of the catalogue. All of it outlives who holds this.
struct OrderServices {
    AuditLog& audit;
    Suppliers& suppliers;
    ProductLookup& products;
    ProductStock& stock;
};

/// Fills in the suppliers' names. One statement.
template <class Order>
void nameSuppliers(SqlSession& session, Suppliers& suppliers, std::span<Order> orders) {
    std::vector<std::int64_t> ids;
    for (const Order& order : orders)
        ids.push_back(order.supplierId);
    const std::vector<SupplierRecord> found = suppliers.find(session, ids);
    for (Order& order : orders) {
        const auto supplier = std::find_if(found.begin(), found.end(),
                                           [&](const SupplierRecord& record) { return record.id == order.supplierId; });
        if (supplier != found.end())
            order.supplierName = supplier->name;
    }
}

} // namespace supplierd::orders
