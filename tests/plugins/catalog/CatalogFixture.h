#pragma once

#include "tests/support/Responses.h"
#include "tests/support/SupplierClient.h"

#include <Poco/URI.h>

namespace supplierd::tests {

inline std::string pathOf(const Json& product) {
    return "/products/" + product.at("id").dump();
}

/// Percent-encodes a value of a query.
inline std::string escaped(const std::string& value) {
    std::string out;
    Poco::URI::encode(value, "&=+#?/;:,%", out);
    return out;
}

} // namespace supplierd::tests
