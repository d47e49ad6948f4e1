#include <supplierd/services/ChangeLog.h>

#include <stdexcept>

namespace supplierd {

namespace {

constexpr std::size_t LONGEST_HALF = 31;

bool isHalf(std::string_view text) {
    return !text.empty() && text.size() <= LONGEST_HALF &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

} // namespace

void checkChangeKind(std::string_view kind) {
    const std::size_t dot = kind.find('.');
    if (dot == std::string_view::npos || !isHalf(kind.substr(0, dot)) || !isHalf(kind.substr(dot + 1)))
        throw std::invalid_argument("'" + std::string(kind.substr(0, 2 * LONGEST_HALF + 2)) +
                                    "' is no kind of change: <object>.<what happened>, each 1 to 31 of a-z, 0-9 and _");
}

} // namespace supplierd
