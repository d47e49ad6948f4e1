#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace supplierd::host {

/// With the letters A to Z as small ones; every other byte as it is.
inline std::string lowerCase(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

} // namespace supplierd::host
