#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace supplierd::catalog {

/// What an answer about a product shows: of the product, and of its category, whose name is in it.
struct ShownVersion {
    std::int64_t product = 0;
    std::int64_t category = 0; ///< 0: it never changed

    /// `"7"`, or `"7-2"` when the category has changed.
    std::string entityTag() const;
};

/// Whether the value of an If-Match header names a tag of that version of the product (strongly compared, RFC 9110,
/// 13.1.1: W/"7" does not). `*` does. The category is no part of what a client writes, so its version does not matter.
bool namesVersion(std::string_view header, std::int64_t version);

} // namespace supplierd::catalog
