#pragma once

#include "host/http/Exchange.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace supplierd::host {

inline void appendField(std::string& head, std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
}

inline void appendField(std::string& head, std::string_view name, std::int64_t value) {
    const fmt::format_int digits(value);
    appendField(head, name, std::string_view(digits.data(), digits.size()));
}

/// The value of the first header of this name, in any case; null when there is none.
const std::string* findHeader(const std::vector<std::pair<std::string, std::string>>& headers, std::string_view name);

/// The status line and every field but those that describe the body. Written by hand because Poco's way through a
/// stream and a list of fields costs more than the rest of the answer.
void appendHead(std::string& head, const Exchange& exchange);

} // namespace supplierd::host
