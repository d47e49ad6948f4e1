#pragma once

#include "VariantInput.h"

#include <supplierd/Validation.h>
#include <supplierd/services/ImageIngest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// The body of a create or an update, checked but for what only the database knows. A field that the body does not name
/// is absent; null on an optional field is its default by then, or a null that clears it.
struct ProductInput {
    enum class Purpose { Create, Update };

    Field<std::string> name;
    Field<std::int64_t> categoryId;
    Field<Decimal> basePrice;
    Field<std::int64_t> unit;
    Field<std::int64_t> type;
    Field<std::string> description;
    Field<std::string> sku;
    Field<std::int64_t> stockQty;
    Field<std::int64_t> minOrderQty;
    Field<std::string> color;
    Field<std::int64_t> stemLength;
    Field<std::string> countryOfOrigin;
    Field<Decimal> vatRate;
    Field<bool> isActive;
    std::vector<VariantInput> variants;
    /// Of pictures to fetch; of different ones at most ImageIngest::MAX_IMAGES.
    std::vector<std::string> imageUrls;

    /// Collects every problem into `details`; what is wrong is absent in the result. Without `images` (null) an
    /// image_url is a problem.
    static ProductInput read(const JsonObject& body, Purpose purpose, const ImageIngest* images, Details& details);

    /// Nothing to change but perhaps images.
    bool isEmpty() const;
};

} // namespace supplierd::catalog
