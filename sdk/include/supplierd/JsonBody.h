#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Errors.h>

#include <Poco/Dynamic/Var.h>
#include <Poco/JSON/Object.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

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
/// Thread: any. Since 1.0.
SUPPLIERD_API Poco::JSON::Object::Ptr parseJsonObject(std::string_view text);

/// Why and where a text is not what parseJson() takes. Since 1.0.
class JsonError : public std::runtime_error {
public:
    JsonError(Detail detail, std::size_t byte)
        : std::runtime_error(detail.message), _detail(std::move(detail)), _byte(byte) {}

    /// Its message does not tell the place.
    const Detail& detail() const noexcept { return _detail; }
    /// The byte at which the reader stopped, counted from 1; 0 when it is the text as a whole.
    std::size_t byte() const noexcept { return _byte; }

private:
    Detail _detail;
    std::size_t _byte;
};

/// The same for a text that is no request body, such as a file: an Object::Ptr or an Array::Ptr. Throws JsonError.
/// Thread: any. Since 1.0.
SUPPLIERD_API Poco::Dynamic::Var parseJson(std::string_view text);

} // namespace supplierd
