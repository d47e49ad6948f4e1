#pragma once

#include "host/plugins/LoadedPlugin.h"

#include <supplierd/Request.h>

#include <string>
#include <vector>

namespace supplierd::host {

/// The OpenAPI 3.1 document of one of the two APIs, Audience::Supplier or Audience::Operator, in JSON: what its routes
/// are, by the parts of all these plugins and the host's own. Public routes that a part describes are in the one for
/// suppliers. What the host does on every route, the parts leave out, and it is added here: keys, scopes, path
/// parameters, `Idempotency-Key`, errors and headers.
///
/// A part says nothing of names that others use. So what it names (components, operations, webhooks) gets the plugin's
/// id in front; not so in a part with `"x-names": "plain"`, whose author has seen to it that nobody else uses them.
/// @param problems gets a line for each plugin whose part cannot be read, and is left out.
std::string openApiDocument(Audience audience, const std::vector<LoadedPlugin>& plugins,
                            std::vector<std::string>& problems);

} // namespace supplierd::host
