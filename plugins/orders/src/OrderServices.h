#pragma once

#include <supplierd/services/Accounts.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/Products.h>
#include <supplierd/services/Stock.h>

namespace supplierd::orders {

/// What orders need of the host and of the catalog. All of it outlives who holds this.
struct OrderServices {
    AuditLog& audit;
    Accounts& accounts;
    Products& products;
    Stock& stock;
};

} // namespace supplierd::orders
