#pragma once

#include "ProductFields.h"
#include "VariantInput.h"

#include <supplierd/Validation.h>
#include <supplierd/internal/ImageIngest.h>

#include <string>
#include <vector>

namespace supplierd::catalog {

/// The body of a create or an update, checked but for what only the database knows. null on an optional field is its
/// default by then, or a null that clears it.
struct ProductInput {
    enum class Purpose { Create, Update };

    ProductValues values;
    std::vector<VariantInput> variants;
    /// Of pictures to fetch; of different ones at most ImageIngest::MAX_IMAGES.
    std::vector<std::string> imageUrls;

    /// Collects every problem into `details`; what is wrong is absent in the result. Without `images` (null) an
    /// image_url is a problem.
    static ProductInput read(const JsonObject& body, Purpose purpose, const ImageIngest* images, Details& details);

    /// Nothing to change but perhaps images.
    bool isEmpty() const { return values.namesNone() && variants.empty(); }
};

} // namespace supplierd::catalog
