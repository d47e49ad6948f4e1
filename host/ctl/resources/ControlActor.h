#pragma once

#include <string>

namespace supplierd::host {

/// Who runs supplierctl, for the audit log: "supplierctl:alice". Behind sudo it is the one who called sudo, else every
/// entry would say root.
std::string controlActor();

} // namespace supplierd::host
