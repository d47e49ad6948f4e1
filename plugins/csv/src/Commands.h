#pragma once

#include "imports/ImportIntake.h"
#include "imports/ImportStore.h"

#include <supplierd/services/Accounts.h>
#include <supplierd/services/Operations.h>
#include <supplierd/services/ProductBatches.h>

namespace supplierd::csv {

/// `supplierctl product import` and `supplierctl product export`. What they are made with outlives them.
void addCommands(Operations& operations, ImportStore& store, ImportIntake& intake, ProductBatches& products,
                 Accounts& accounts);

} // namespace supplierd::csv
