#pragma once

#include "host/openapi/OpenApiPart.h"

#include <string>
#include <vector>

namespace supplierd::host {

/// The commands of supplierctl that a document's operations bring by their "x-command": a list of
/// `{ name, help, method, path, inputs, … }`, with all that a client has to know to offer and run them
/// (host/ctl/client/README.md). References are followed within `document`, then within the host's part.
/// @param problems gets a line for each row that cannot be a command; such rows are left out.
OpenApiJson commandTable(const OpenApiJson& document, std::vector<std::string>& problems);

} // namespace supplierd::host
