#pragma once

#include "tests/support/HttpClient.h"
#include "tests/support/Json.h"

#include <string>

namespace supplierd::tests {

/// Fails with what was expected and found unless the response is as expected: "422 name:required error.message~name".
void requireAnswer(const std::string& expected, const HttpResponse& response);
/// What a response is about, for `$name`: an object with an id in its data, else the data, the error, or the text.
Json subjectOf(const HttpResponse& response);

/// Of everything in the database of fixture() that a client could change.
std::string checksums();

/// The JSON that it is, or a text without quotes.
Json jsonOf(const std::string& text);
/// Of a length that can be read.
std::string shortened(const std::string& text);
void require(bool so, const std::string& message);

} // namespace supplierd::tests
