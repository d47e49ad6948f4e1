#pragma once

#include <filesystem>

namespace supplierd::tests {

/// The plugin of tests/system/fixtures whose routes bring about what the catalogue cannot.
std::filesystem::path faultFixture();

} // namespace supplierd::tests
