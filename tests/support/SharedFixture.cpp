// Compiled into each test program whose supplierd_add_test() names plugins.
#include "tests/support/Places.h"
#include "tests/support/ServerFixture.h"
#include "tests/support/cases/CaseFile.h"

namespace supplierd::tests {

#ifdef SUPPLIERD_TEST_CASES
namespace {
const RegisteredCases cases(sourcePath(SUPPLIERD_TEST_CASES));
} // namespace
#endif

ServerFixture& fixture() {
    static ServerFixture shared(
        {.plugins = {SUPPLIERD_TEST_PLUGINS},
         .configuration = "[auth]\nfailures_per_minute = 1000000\n[rate_limit]\nrequests_per_hour = 10000000\n"});
    return shared;
}

} // namespace supplierd::tests
