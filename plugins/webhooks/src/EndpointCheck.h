#pragma once

#include <supplierd/Database.h>
#include <supplierd/services/Operations.h>

namespace supplierd::webhooks {

/// What `supplierctl doctor` says of endpoints, and the kind of their audit entries. The database outlives it.
void addOperations(Operations& operations, Database& database);

} // namespace supplierd::webhooks
