#include "ApprovalRequest.h"

#include <supplierd/Validation.h>
#include <supplierd/services/Products.h>

namespace supplierd::catalog {

namespace {

void readIds(const JsonArray& array, Details& details, std::vector<std::int64_t>& ids) {
    std::size_t index = 0;
    for (const JsonValue value : array) {
        const std::string field = "product_ids[" + std::to_string(index++) + "]";
        if (!value.isInteger())
            details.add(field, "type", field + " must be an integer");
        else if (value.integer() < 1)
            details.add(field, "out_of_range", field + " must be a product's id");
        else
            ids.push_back(value.integer());
    }
}

} // namespace

ApprovalRequest ApprovalRequest::read(const JsonObject& body, bool isRejection) {
    Details details;
    ObjectReader reader(body, details);
    ApprovalRequest wanted;
    const auto ids = reader.array("product_ids", MAX_PRODUCTS);
    wanted.supplierId = reader.integer("supplier_id", {.min = 1}).value;
    if (ids)
        readIds(*ids, details, wanted.productIds);
    if (ids && wanted.supplierId)
        details.add("supplier_id", "unsupported", "supplier_id cannot be used together with product_ids");
    else if (!wanted.supplierId && wanted.productIds.empty() && details.empty())
        details.add("product_ids", "required", "product_ids or supplier_id is required");
    if (isRejection)
        wanted.reason = reader.text("reason", {Products::MAX_REASON, true}).value;
    details.throwIfAny();
    return wanted;
}

} // namespace supplierd::catalog
