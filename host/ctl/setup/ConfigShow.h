#pragma once

namespace supplierd::host {

class ControlContext;

/// `supplierctl config show`: every key with its value and where that comes from, secrets hidden. Throws CommandFailure
/// when the configuration has errors.
void showConfiguration(ControlContext& context);

} // namespace supplierd::host
