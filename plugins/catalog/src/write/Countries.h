#pragma once

#include <string_view>

namespace supplierd::catalog {

/// Whether `code` is an officially assigned ISO 3166-1 alpha-2 code, in upper case.
bool isCountryCode(std::string_view code);

} // namespace supplierd::catalog
