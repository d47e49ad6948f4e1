#pragma once

#include "EndpointStore.h"

#include <supplierd/services/Operations.h>

namespace supplierd::webhooks {

/// `supplierctl webhooks list`, `show`, `disable` and `enable`, and what `doctor` says of endpoints. What they are made
/// with outlives them.
void addOperations(Operations& operations, Database& database, const EndpointStore& endpoints);

} // namespace supplierd::webhooks
