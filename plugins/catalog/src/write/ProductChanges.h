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
    void images(const std::vector<ProductImage>& before, const std::vector<ProductImage>& after);

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
