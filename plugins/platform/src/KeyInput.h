#pragma once

#include <supplierd/ApiKeys.h>
#include <supplierd/Validation.h>

#include <string>
#include <vector>

namespace supplierd::platform {

/// The body of POST /suppliers/{id}/keys as the key that it asks for. Collects every problem into `details`.
NewApiKey readNewKey(const JsonObject& body, std::int64_t supplierId, const std::vector<std::string>& knownScopes,
                     Details& details);

} // namespace supplierd::platform
