#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Errors.h>
#include <supplierd/Json.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace supplierd {

/// How many values the body of a request may have, arrays and objects among them.
inline constexpr std::size_t MAX_BODY_VALUES = 50'000;

/// Reads a request body, an object. Strict: RFC 8259, UTF-8 only, no duplicate keys, no U+0000, no lone surrogates, at
/// most 64 levels deep and MAX_BODY_VALUES values, nothing after the document. The document keeps the text (move it in)
/// and adds 16 bytes a value. Throws ApiError (Validation) with one detail: the place of the problem.
/// Thread: any. Since 1.0.
SUPPLIERD_API JsonDocument parseJsonObject(std::string text);

/// Why and where a text is not what parseJson() takes. Since 1.0.
class SUPPLIERD_API JsonError : public std::runtime_error {
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
    Reserved _reserved;
};

/// The same for a text that is no request body, such as a file: an object or an array of at most 256 MiB. Throws
/// JsonError. Thread: any. Since 1.0.
SUPPLIERD_API JsonDocument parseJson(std::string text);

} // namespace supplierd
