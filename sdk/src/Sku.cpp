#include "AsciiCase.h"
#include "Utf8.h"

#include <supplierd/Sku.h>

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>

namespace supplierd {

namespace {

struct Free {
    void operator()(utf8proc_uint8_t* text) const { std::free(text); }
};

std::string mapped(std::string_view text, int options) {
    utf8proc_uint8_t* raw = nullptr;
    const utf8proc_ssize_t length =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                     &raw, static_cast<utf8proc_option_t>(options));
    const std::unique_ptr<utf8proc_uint8_t, Free> result(raw);
    if (length == UTF8PROC_ERROR_NOMEM)
        throw std::bad_alloc();
    if (length < 0)
        throw std::invalid_argument(utf8proc_errmsg(length));
    return {reinterpret_cast<const char*>(result.get()), static_cast<std::size_t>(length)};
}

bool isAscii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

} // namespace

std::string skuKey(std::string_view sku) {
    if (isAscii(sku))
        return lowerAscii(sku);
    // The library folds before it decomposes, so what is to be folded is decomposed by a pass of its own.
    const std::string decomposed = mapped(sku, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
    return mapped(decomposed, UTF8PROC_STABLE | UTF8PROC_CASEFOLD | UTF8PROC_COMPOSE);
}

bool isInvisible(char32_t c) {
    if (c < 0x80)
        return false;
    // The library knows assigned characters only; Unicode has promised that what comes here will be invisible too.
    const bool isKeptForInvisibles = c == 0x2065 || (c >= 0xFFF0 && c <= 0xFFF8) || (c >= 0xE0000 && c <= 0xE0FFF);
    return isKeptForInvisibles || utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->ignorable;
}

bool hasInvisibleCharacter(std::string_view utf8) {
    for (std::size_t at = 0; at < utf8.size();) {
        const Utf8Step step = decodeUtf8(utf8, at);
        if (step.valid && isInvisible(step.codePoint))
            return true;
        at += step.length;
    }
    return false;
}

} // namespace supplierd
