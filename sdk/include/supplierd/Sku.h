#pragma once

#include <supplierd/Abi.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace supplierd {

/// A SKU's key has at most so many code points for each one of the SKU.
inline constexpr std::size_t MAX_KEY_GROWTH = 3;

/// What two SKUs have in common that are the same: they differ in nothing but case, or in how their characters are put
/// together ("é" as one code point or as two). Everything else tells them apart: accents, width, kana, white space.
/// In Unicode's terms NFC(fold(NFD(sku))), where fold is the full case folding without the Turkic exceptions; two SKUs
/// with equal keys are a canonical caseless match (definition D145). Folded from NFD, it does not depend on the form in
/// which the SKU came. Keys are stored: they are compared byte by byte and stay as they are with every later Unicode,
/// but for SKUs of characters that were not assigned when they were stored. `sku` is valid UTF-8 and trimmed; the key
/// does not begin or end with white space either. Thread: any. Errors: std::bad_alloc. Since 1.0.
SUPPLIERD_API std::string skuKey(std::string_view sku);

/// Whether a character of valid UTF-8 is one that nobody sees (Unicode's Default_Ignorable_Code_Point): zero-width
/// space and joiners, soft hyphen, marks of direction, variation selectors, fillers. Thread: any. Since 1.0.
SUPPLIERD_API bool hasInvisibleCharacter(std::string_view utf8);

} // namespace supplierd
