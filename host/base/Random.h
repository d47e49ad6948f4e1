#pragma once

#include <cstddef>

namespace supplierd::host {

/// Bytes from the kernel's generator. Throws Poco::SystemException when it has none to give.
void fillRandom(unsigned char* to, std::size_t size);

} // namespace supplierd::host
