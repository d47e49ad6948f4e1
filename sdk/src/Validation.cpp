#include <supplierd/Validation.h>

#include <algorithm>

namespace supplierd {

void Details::add(std::string field, std::string code, std::string message) {
    _entries.push_back({std::move(field), std::move(code), std::move(message)});
}

bool Details::has(std::string_view field) const {
    return std::any_of(_entries.begin(), _entries.end(), [field](const Detail& entry) { return entry.field == field; });
}

void Details::throwIfAny() const {
    if (!_entries.empty())
        throw ApiError::validation(_entries);
}

} // namespace supplierd
