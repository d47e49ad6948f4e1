#pragma once

#include "FieldReader.h"

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
    VariantValues values;

    /// An entry that is to change the variant with this id, or to make one (nothing): `id` and `delete` of the entry
    /// are not looked at.
    static VariantInput read(const JsonObject& entry, std::string prefix, std::optional<std::int64_t> id,
                             Details& details);
    /// The body's `variants`. On create no variant has an id yet, so one that is sent is an unknown reference.
    static std::vector<VariantInput> readAll(ObjectReader& product, bool creating);
};

} // namespace supplierd::catalog
