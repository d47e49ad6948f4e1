#pragma once

#include <supplierd/Errors.h>

#include <cppunit/TestAssert.h>

#include <string>

namespace supplierd::tests {

/// The error of that kind that `work` throws; fails the test, saying `otherwise`, when it throws none.
template <class Error, class Work>
Error thrownBy(const Work& work, const std::string& otherwise = "nothing was thrown") {
    try {
        work();
    } catch (const Error& error) {
        return error;
    }
    CPPUNIT_FAIL(otherwise);
}

/// Whether it ends as a 503 that says when to try again.
template <class Work>
bool isUnavailable(const Work& work) {
    try {
        work();
        return false;
    } catch (const ApiError& error) {
        return error.kind() == ErrorKind::Unavailable && error.retryAfter() > 0;
    }
}

} // namespace supplierd::tests
