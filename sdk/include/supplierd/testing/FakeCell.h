#pragma once

#include <supplierd/Decimal.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace supplierd::testing {

/// A value of a scripted row, or one that a statement was given; kept as the text the database would print.
class FakeCell {
public:
    FakeCell(std::nullptr_t) {}
    FakeCell(const char* text) : _text(text) {}
    FakeCell(std::string text) : _text(std::move(text)) {}
    FakeCell(std::string_view text) : _text(text) {}
    FakeCell(const Decimal& number) : _text(number.toString()) {}
    FakeCell(bool truth) : _text(truth ? "1" : "0") {}
    template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) FakeCell(T number) : _text(std::to_string(number)) {}

    bool isNull() const { return !_text; }
    /// "" for NULL.
    std::string text() const { return _text.value_or(""); }
    /// 0 for NULL and for what is no integer.
    std::int64_t integer() const;

    friend bool operator==(const FakeCell&, const FakeCell&) = default;

private:
    std::optional<std::string> _text;
};

using FakeRow = std::vector<FakeCell>;

} // namespace supplierd::testing
