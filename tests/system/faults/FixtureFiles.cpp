#include "tests/system/faults/FixtureFiles.h"

namespace supplierd::tests {

std::filesystem::path faultFixture() {
    return std::filesystem::path(SUPPLIERD_TEST_FIXTURE_DIR) / "test-faults.so";
}

} // namespace supplierd::tests
