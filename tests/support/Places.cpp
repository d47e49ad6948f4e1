#include "tests/support/Places.h"

namespace supplierd::tests {

namespace {

std::string joined(std::string_view folder, std::string_view below) {
    return std::string(folder).append(below.empty() ? "" : "/").append(below);
}

} // namespace

std::string sourcePath(std::string_view below) {
    return joined(SUPPLIERD_TEST_SOURCE_DIR, below);
}

std::string buildPath(std::string_view below) {
    return joined(SUPPLIERD_TEST_BINARY_DIR, below);
}

} // namespace supplierd::tests
