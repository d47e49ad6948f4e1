#pragma once

#include <supplierd/Accounts.h>
#include <supplierd/AuditLog.h>
#include <supplierd/ProductLookup.h>
#include <supplierd/ProductStock.h>

namespace supplierd::orders {

/// What orders need of the host and of the catalogue. All of it outlives who holds this.
struct OrderServices {
    AuditLog& audit;
    Accounts& accounts;
    ProductLookup& products;
    ProductStock& stock;
};

} // namespace supplierd::orders
