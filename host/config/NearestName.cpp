#include "host/config/NearestName.h"

#include <algorithm>
#include <vector>

namespace supplierd::host {

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> beforePrevious(b.size() + 1);
    std::vector<std::size_t> previous(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        previous[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({previous[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], beforePrevious[j - 2] + 1);
        }
        std::swap(beforePrevious, previous);
        std::swap(previous, row);
    }
    return previous[b.size()];
}

std::string nearestName(std::string_view typed, std::span<const std::string> names) {
    // A third of the letters may be wrong: beyond that a suggestion is a guess that misleads.
    const std::size_t limit = std::clamp<std::size_t>(typed.size() / 3, 1, 4);
    std::size_t best = limit + 1;
    std::string nearest;
    for (const std::string& name : names) {
        const std::size_t distance = editDistance(typed, name);
        if (distance < best) {
            best = distance;
            nearest = name;
        }
    }
    return nearest;
}

std::string suggestion(std::string_view typed, std::span<const std::string> names) {
    const std::string nearest = nearestName(typed, names);
    return nearest.empty() ? std::string() : "; did you mean '" + nearest + "'?";
}

} // namespace supplierd::host
