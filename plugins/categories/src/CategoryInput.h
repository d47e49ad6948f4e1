#pragma once

#include <supplierd/Validation.h>

#include <cstdint>
#include <string>

namespace supplierd::categories {

/// The fields of a new category or of a change, checked but for what only the database knows. What a change does not
/// name is absent. A slug without a value is to be made from the name.
struct CategoryInput {
    enum class Purpose { Add, Change };

    Field<std::string> name;
    Field<std::string> slug;
    Field<std::int64_t> parentId;
    Field<std::string> type;
    Field<bool> isActive;

    /// Collects every problem into `details`; what is wrong is absent in the result.
    static CategoryInput read(const JsonObject& fields, Purpose purpose, Details& details);
};

} // namespace supplierd::categories
