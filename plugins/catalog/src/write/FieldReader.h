#pragma once

#include "ProductFields.h"

#include <supplierd/Validation.h>

#include <optional>
#include <string>
#include <string_view>

namespace supplierd::catalog {

/// A SKU without characters that nobody sees: they would make two SKUs that look the same.
Field<std::string> readSku(ObjectReader& reader);

/// Nothing: the body does not name the field, or what it says is wrong.
std::optional<FieldValue> readField(ObjectReader& reader, const RecordField& field, bool isRequired);
void reportMissing(ObjectReader& reader, std::string_view name);

/// What a body says of the fields of a table; collects every problem. Null on a field with a default is that by then.
template <class Values, class Fields>
Values readFields(ObjectReader& reader, const Fields& fields, bool isCreate) {
    Values values;
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (auto value = readField(reader, fields[i], isCreate && fields[i].presence == Presence::Required))
            values.set(i, *std::move(value));
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const bool isMissing = values.names(i) ? values.isNull(i) : isCreate;
        const bool isNeeded = !isCreate && fields[i].presence != Presence::Optional;
        if (isMissing && isNeeded) {
            values.clear(i);
            reportMissing(reader, fields[i].name);
        } else if (isMissing && fields[i].byDefault) {
            values.set(i, defaultOf(fields[i]));
        }
    }
    return values;
}

} // namespace supplierd::catalog
