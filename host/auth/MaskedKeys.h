#pragma once

#include <string>
#include <string_view>

namespace supplierd::host {

/// The text with the secret of whatever may be an API key in it replaced: "sk_ab12cd34_***". What people paste at the
/// wrong place ends in terminals, histories and logs.
std::string maskedKeys(std::string_view text);

} // namespace supplierd::host
