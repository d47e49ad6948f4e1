#include "host/auth/MaskedKeys.h"

#include <regex>

namespace supplierd::host {

std::string maskedKeys(std::string_view text) {
    // Cut or mistyped ones too: whatever stands behind the part of a key that may be shown.
    static const std::regex key("\\b((?:sk|ok)_[A-Za-z0-9_-]{8})[A-Za-z0-9_-]+");
    return std::regex_replace(std::string(text), key, "$1_***");
}

} // namespace supplierd::host
