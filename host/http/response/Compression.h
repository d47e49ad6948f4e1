#pragma once

#include "host/gate/HeaderSyntax.h"

#include <cstddef>
#include <string>

namespace supplierd::host {

/// What is smaller gains nothing.
inline constexpr std::size_t COMPRESSED_FROM = 1'024;

/// Whether the client takes gzip: it names it, or "*", in Accept-Encoding, and not with q=0.
bool acceptsGzip(const HeaderFields& fields);

/// The text as gzip. Throws Poco::Exception.
std::string gzipped(const std::string& text);

} // namespace supplierd::host
