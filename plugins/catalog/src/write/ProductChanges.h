#pragma once

#include "ProductInput.h"

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/ImageIngest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// What a supplier can set of a product, as it is in the database.
struct StoredProduct {
    std::string name;
    std::int64_t categoryId = 0;
    Decimal basePrice;
    std::int64_t unit = 0;
    std::int64_t type = 0;
    std::optional<std::string> description;
    std::optional<std::string> sku;
    std::int64_t stockQty = 0;
    std::int64_t minOrderQty = 0;
    std::optional<std::string> color;
    std::optional<std::int64_t> stemLength;
    std::optional<std::string> countryOfOrigin;
    Decimal vatRate;
    bool isActive = true;

    /// From columns in the order of the fields.
    static StoredProduct read(const Rows& row, std::size_t firstColumn);
};

struct StoredVariant {
    std::optional<std::string> sku;
    std::string name;
    std::optional<std::string> color;
    std::optional<std::int64_t> stemLength;
    std::optional<Decimal> basePrice;
    std::int64_t stockQty = 0;
    bool isActive = true;

    /// From columns in the order of the fields.
    static StoredVariant read(const Rows& row, std::size_t firstColumn);
};

using StoredVariants = std::map<std::int64_t, StoredVariant>; ///< by id

/// Collects what a request changes about one product: the fields that become different, with what they were and what
/// they are, for the audit log. Made per transaction.
class ProductChanges {
public:
    ProductChanges();
    ProductChanges(const ProductChanges&) = delete;
    ProductChanges& operator=(const ProductChanges&) = delete;

    void created(const ProductInput& input);
    void changed(const StoredProduct& before, const ProductInput& input);
    void deleted(const StoredProduct& before);
    /// `newIds` has the ids of the inputs that had none, in their order.
    void variants(const StoredVariants& before, const std::vector<VariantInput>& inputs,
                  const std::vector<std::int64_t>& newIds);
    void images(const std::vector<ProductImage>& before, const std::vector<ProductImage>& after);

    /// Whether an update would make any field different.
    static bool differ(const StoredProduct& before, const ProductInput& input);

    /// Puts them into an entry; false when nothing became different.
    bool complete(AuditEntry& entry);
    /// Writes one entry, unless nothing became different.
    void record(SqlSession& session, AuditLog& log, AuditEntry entry);

private:
    std::string _beforeText;
    std::string _afterText;
    JsonWriter _before;
    JsonWriter _after;
};

} // namespace supplierd::catalog
