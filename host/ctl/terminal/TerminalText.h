#pragma once

#include <string>
#include <string_view>

namespace supplierd::host {

/// Text of unknown origin on one line of a terminal: what a terminal could take for a command, and what turns the
/// direction of writing, stands as `\u001b`; a byte of what is no UTF-8 as `\xff`. JSON needs none of this.
std::string terminalText(std::string_view text);

/// The same, but lines stay lines.
std::string terminalLines(std::string_view text);

} // namespace supplierd::host
