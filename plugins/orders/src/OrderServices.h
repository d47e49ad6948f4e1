#pragma once

#include <supplierd/services/Accounts.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/ProductLookup.h>
#include <supplierd/services/ProductStock.h>

namespace supplierd::orders {

/// What orders need of the host and of the catalogue. All of it outlives who holds this.
struct OrderServices {
    AuditLog& audit;
    Accounts& accounts;
    ProductLookup& products;
    ProductStock& stock;
};

} // namespace supplierd::orders
