#pragma once

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>

namespace supplierd::catalog {

/// Writes the fields that the list and the single read share, into an object that the caller opened. The row's first
/// columns are those of ListStatement.h, Id to PrimaryImage. Without `withImages`, when no plugin serves them,
/// primary_image is null.
void writeListFields(JsonWriter& json, const Rows& row, bool withImages);

} // namespace supplierd::catalog
