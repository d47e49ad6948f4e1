#pragma once

#include <supplierd/Request.h>

namespace supplierd::categories {

/// GET /categories: all active categories, flat, in the order they were made. A category shows its parent's id also
/// when the parent itself is not active.
Response listCategories(Request& request);

} // namespace supplierd::categories
