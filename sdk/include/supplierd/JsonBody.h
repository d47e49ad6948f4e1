#pragma once

#include <supplierd/Abi.h>

#include <Poco/JSON/Object.h>

#include <string>
#include <string_view>

namespace supplierd {

/// A JSON number that is no 64-bit integer (it has a point, an exponent, or too many digits), as it stood in the text.
/// Held inside a Poco::Dynamic::Var by parseJsonObject(); integers are Poco::Int64.
struct SUPPLIERD_API JsonNumber {
    std::string text;
};

/// Parses a request body into a Poco::JSON::Object. Strict: RFC 8259, UTF-8 only, no duplicate keys, no U+0000, no lone
/// surrogates, at most 64 levels deep, nothing after the document. Values are Poco::Int64, JsonNumber, bool,
/// std::string, an empty Var (null), Object::Ptr or Array::Ptr.
/// Throws ApiError (Validation) with one detail: the place of the problem.
/// Thread: any. Since 0.1.
SUPPLIERD_API Poco::JSON::Object::Ptr parseJsonObject(std::string_view text);

} // namespace supplierd
