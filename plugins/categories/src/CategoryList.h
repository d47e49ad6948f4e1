#pragma once

#include <supplierd/Request.h>

namespace supplierd::categories {

/// GET /categories: all active categories, flat, in the order they were made, and the number of the tree's last change,
/// which is its tag too. What lies below an inactive category is not listed.
Response listCategories(Request& request);

} // namespace supplierd::categories
