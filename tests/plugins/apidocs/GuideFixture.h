#pragma once

#include <string>

namespace supplierd::tests {

/// The URL of a picture on an origin that the server of fixture() may fetch from; with ".missing" behind it, of none.
std::string guidePicture();

} // namespace supplierd::tests
