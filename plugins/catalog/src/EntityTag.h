#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace supplierd::catalog {

/// `"7"` for version 7.
std::string entityTag(std::int64_t version);

/// Whether the value of an If-None-Match header names the version (weakly compared, RFC 9110, 13.1.2). `*` does.
bool namesVersionWeakly(std::string_view header, std::int64_t version);
/// Whether the value of an If-Match header names it (strongly compared: W/"7" does not). `*` does.
bool namesVersionStrongly(std::string_view header, std::int64_t version);

} // namespace supplierd::catalog
