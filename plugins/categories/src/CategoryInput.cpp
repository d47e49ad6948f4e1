#include "CategoryInput.h"

#include "Slug.h"

#include <array>

namespace supplierd::categories {

namespace {

constexpr std::size_t MAX_NAME = 255;
constexpr std::array<std::string_view, 2> TYPES{"flower", "supply"};
constexpr std::string_view DEFAULT_TYPE = "flower";

Field<std::string> readSlug(ObjectReader& reader) {
    Field<std::string> slug = reader.text("slug", {MAX_SLUG});
    if (slug.hasValue() && *slug.value != slugOf(*slug.value)) {
        reader.details().add(reader.path("slug"), "not_in_set",
                             reader.path("slug") + " must consist of lower-case letters, digits and single hyphens");
        return {};
    }
    return slug;
}

/// null on a field that has to have a value is `required`.
template <class T>
void refuseNull(ObjectReader& reader, std::string_view name, Field<T>& field) {
    if (!field.isNull())
        return;
    field.present = false;
    reader.details().add(reader.path(name), "required", reader.path(name) + " is required");
}

} // namespace

CategoryInput CategoryInput::read(const JsonObject& fields, Purpose purpose, Details& details) {
    const bool adding = purpose == Purpose::Add;
    ObjectReader reader(fields, details);
    CategoryInput input;
    input.name = reader.text("name", {MAX_NAME, adding});
    input.slug = readSlug(reader);
    input.parentId = reader.integer("parent_id", {1});
    input.type = reader.oneOf("type", TYPES);
    input.isActive = reader.boolean("is_active");
    if (input.type.isNull())
        input.type.value = DEFAULT_TYPE;
    if (adding) {
        input.type.value = input.type.valueOr(std::string(DEFAULT_TYPE));
        input.isActive.value = input.isActive.valueOr(true);
    } else {
        refuseNull(reader, "name", input.name);
        refuseNull(reader, "is_active", input.isActive);
    }
    return input;
}

} // namespace supplierd::categories
