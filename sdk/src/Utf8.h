#pragma once

#include <cstddef>
#include <string_view>

namespace supplierd {

/// One step through UTF-8: a code point, or the longest run of bytes that begins like one and is none.
struct Utf8Step {
    std::size_t length = 0;
    bool valid = false;
    char32_t codePoint = 0;
};

/// Decodes at `at`, which must lie within `text`. Overlong forms, surrogates and values above U+10FFFF are not valid.
Utf8Step decodeUtf8(std::string_view text, std::size_t at);

/// Unicode's Default_Ignorable_Code_Point.
bool isInvisible(char32_t c);

} // namespace supplierd
