#pragma once

#include "Columns.h"
#include "imports/ImportRecord.h"
#include "text/RecordReader.h"

#include <supplierd/Errors.h>
#include <supplierd/services/CategoryTree.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::csv {

/// Categories by their names, as sheets have them.
class CategoryNames {
public:
    CategoryNames() = default;
    explicit CategoryNames(const std::vector<CategoryRecord>& categories);

    /// Nothing for a name that no category has; 0 for one that several have.
    std::optional<std::int64_t> find(std::string_view name) const;

private:
    std::map<std::string, std::int64_t, std::less<>> _ids;
};

/// What a row of a sheet says of a product, and of one of its variants. The texts are JSON objects.
struct ProductRow {
    std::int64_t row = 0;
    std::string sku;
    /// `sku` and `id`.
    std::string names;
    /// The other fields of the body of POST /products.
    std::string fields;
    /// An entry of `variants`; empty when no cell of a variant has anything in it.
    std::string variant;
    std::string variantSku;
    std::vector<std::string> imageUrls;
    /// Not of a row that only names its product, to say something of a variant.
    bool isOfProduct = true;
    /// What is wrong with the row before catalog sees it. Their fields are the API's.
    std::vector<Detail> problems;
};

/// One object with the members of both.
std::string joined(std::string_view object, std::string_view other);

/// Makes products of rows. What it is made with outlives it.
class ProductRows {
public:
    ProductRows(const Heading& heading, const ImportRecord& import, const CategoryNames& categories)
        : _heading(heading), _import(import), _categories(categories) {}

    ProductRow read(const Record& record) const;

private:
    struct Objects;

    void readCell(const Column& column, std::string_view cell, Objects& objects, ProductRow& row) const;
    void write(JsonWriter& json, const Column& column, std::string_view cell, ProductRow& row) const;
    void writeCategory(JsonWriter& json, std::string_view name, ProductRow& row) const;

    const Heading& _heading;
    const ImportRecord& _import;
    const CategoryNames& _categories;
};

} // namespace supplierd::csv
