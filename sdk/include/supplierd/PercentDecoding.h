#pragma once

#include <supplierd/Abi.h>

#include <optional>
#include <string>
#include <string_view>

namespace supplierd {

/// The text behind percent escapes; nothing when an escape is broken, or the text is no UTF-8 or has a U+0000.
/// `plusIsBlank`: as in a query string. Thread: any. Since 1.0.
SUPPLIERD_API std::optional<std::string> percentDecoded(std::string_view raw, bool plusIsBlank = false);

} // namespace supplierd
