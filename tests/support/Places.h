#pragma once

#include <string>
#include <string_view>

namespace supplierd::tests {

// Functions, and not names of the compiler's command line, so that every checkout takes from the compiler cache what
// another one has put there. Thread: any.

/// What lies there in the checkout: sourcePath("packaging/demo"). Without an argument: the checkout itself.
std::string sourcePath(std::string_view below = {});
/// What was built there: buildPath("bin/supplierd").
std::string buildPath(std::string_view below = {});

} // namespace supplierd::tests
