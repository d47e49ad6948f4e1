#pragma once

#include "ProductInput.h"

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/internal/ImageIngest.h>
#include <supplierd/services/AuditLog.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::catalog {

using StoredVariants = std::map<std::int64_t, VariantValues>; ///< by id

/// Collects what a request changes about one product: the fields that become different, with what they were and what
/// they are, for the audit log. Made per transaction.
class ProductChanges {
public:
    ProductChanges();
    ProductChanges(const ProductChanges&) = delete;
    ProductChanges& operator=(const ProductChanges&) = delete;

    void created(const ProductInput& input);
    void changed(const ProductValues& before, const ProductInput& input);
    void deleted(const ProductValues& before);
    /// `newIds` has the ids of the inputs that had none, in their order.
    void variants(const StoredVariants& before, const std::vector<VariantInput>& inputs,
                  const std::vector<std::int64_t>& newIds);
    /// A single one, `before` null of a new one, as the object `variant`.
    void variant(const VariantValues* before, const VariantValues& after);
    void images(const std::vector<ProductImage>& before, const std::vector<ProductImage>& after);

    /// Puts them into `before` and `after` of an AuditEntry or a BatchedProduct; false when nothing became different.
    template <class Entry>
    bool complete(Entry& entry) {
        entry.before = closed(_before, _beforeText);
        entry.after = closed(_after, _afterText);
        return !entry.before.empty() || !entry.after.empty();
    }
    /// Writes one entry, unless nothing became different.
    void record(Transaction& transaction, AuditLog& log, AuditEntry entry);

private:
    /// "" while nothing was written into it.
    static std::string closed(JsonWriter& json, std::string& text);

    std::string _beforeText;
    std::string _afterText;
    JsonWriter _before;
    JsonWriter _after;
};

} // namespace supplierd::catalog
