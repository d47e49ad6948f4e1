#pragma once

#include <supplierd/Catalogue.h>
#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>

namespace supplierd::catalog {

/// Reads the fields that the lists and the single read share. The row's first columns are those of ListStatement.h, Id
/// to PrimaryImage. Without `withImages`, when no plugin serves them, there is no primary image.
void readSummary(const Rows& row, bool withImages, ProductSummary& product);

/// Writes the fields of a supplier's list straight from such a row, into an object that the caller opened.
void writeListFields(JsonWriter& json, const Rows& row, bool withImages);

} // namespace supplierd::catalog
