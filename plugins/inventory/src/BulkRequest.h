#pragma once

#include <supplierd/Request.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/Stock.h>

namespace supplierd::inventory {

/// POST /stock and POST /prices: set the stocks or prices of many products and variants. What is wrong with an item is
/// told in the answer and stops no other; the good items commit together. Throw ApiError (Validation).
Response setStocks(Request& request, Stock& stock, AuditLog& audit);
Response setPrices(Request& request, Stock& stock, AuditLog& audit);

} // namespace supplierd::inventory
