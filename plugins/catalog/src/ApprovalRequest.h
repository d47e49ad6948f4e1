#pragma once

#include <supplierd/Json.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// The body of `POST /platform/products/approve` and `…/reject`: some products, or all that wait of one supplier.
struct ApprovalRequest {
    static constexpr std::size_t MAX_PRODUCTS = 500;

    std::vector<std::int64_t> productIds; ///< empty when there is a supplier
    std::optional<std::int64_t> supplierId;
    std::optional<std::string> reason; ///< of a rejection

    /// Throws ApiError (Validation) with every problem.
    static ApprovalRequest read(const JsonObject& body, bool isRejection);
};

} // namespace supplierd::catalog
