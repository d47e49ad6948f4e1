#include "EntityTag.h"

#include <algorithm>

namespace supplierd::catalog {

namespace {

std::string_view withoutBlanks(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool names(std::string_view header, std::int64_t version, bool weakly) {
    header = withoutBlanks(header);
    if (header == "*")
        return true;
    const std::string tag = entityTag(version);
    // A comma inside another client's tag cuts it into parts; neither equals a tag of ours, which has digits only.
    while (!header.empty()) {
        const std::size_t end = std::min(header.find(','), header.size());
        std::string_view candidate = withoutBlanks(header.substr(0, end));
        header.remove_prefix(std::min(end + 1, header.size()));
        if (weakly && candidate.substr(0, 2) == "W/")
            candidate.remove_prefix(2);
        if (candidate == tag)
            return true;
    }
    return false;
}

} // namespace

std::string entityTag(std::int64_t version) {
    return '"' + std::to_string(version) + '"';
}

bool namesVersionWeakly(std::string_view header, std::int64_t version) {
    return names(header, version, true);
}

bool namesVersionStrongly(std::string_view header, std::int64_t version) {
    return names(header, version, false);
}

} // namespace supplierd::catalog
