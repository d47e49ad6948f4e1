#include "EntityTag.h"

#include <supplierd/EntityTag.h>

#include <algorithm>

namespace supplierd::catalog {

std::string ShownVersion::entityTag() const {
    std::string tag = '"' + std::to_string(product);
    if (category != 0)
        tag += '-' + std::to_string(category);
    return tag += '"';
}

bool namesVersion(std::string_view header, std::int64_t version) {
    const std::string opened = '"' + std::to_string(version);
    const auto tags = namedTags(header);
    return std::any_of(tags.begin(), tags.end(), [&opened](std::string_view tag) {
        return tag == "*" || tag == opened + '"' || (tag.starts_with(opened + '-') && tag.ends_with('"'));
    });
}

} // namespace supplierd::catalog
