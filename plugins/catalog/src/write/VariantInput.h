#pragma once

#include "ProductFields.h"

#include <supplierd/Validation.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::catalog {

inline constexpr std::size_t MAX_VARIANTS = 100;

/// One entry of `variants`: a new variant, a change of one (with id), or its removal.
struct VariantInput {
    /// "variants[2]."
    std::string prefix;
    std::optional<std::int64_t> id;
    /// It was sent with an id that cannot be one; the other fields are checked all the same.
    bool hasWrongId = false;
    bool remove = false;
    Field<std::string> name;
    Field<std::string> sku;
    Field<std::string> color;
    Field<std::int64_t> stemLength;
    Field<Decimal> basePrice;
    Field<std::int64_t> stockQty;
    Field<bool> isActive;

    /// An entry that is to change the variant with this id, or to make one (nothing): `id` and `delete` of the entry
    /// are not looked at.
    static VariantInput read(const JsonObject& entry, std::string prefix, std::optional<std::int64_t> id,
                             Details& details);
    /// The body's `variants`. On create no variant has an id yet, so one that is sent is an unknown reference.
    static std::vector<VariantInput> readAll(ObjectReader& product, bool creating);
};

/// A text that must also pass a check, unless that is null.
Field<std::string> readText(ObjectReader& reader, std::string_view name, const TextRule& rule, TextCheck check);
/// Text without characters that nobody sees: they would make two SKUs that look the same.
Field<std::string> readSku(ObjectReader& reader);

void reportMissing(ObjectReader& reader, std::string_view name);

} // namespace supplierd::catalog
