#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::csv {

/// A number as people write it, "€ 1.234,50", "1 234.5", "21 %", as JSON writes it; nothing when it is none.
std::optional<std::string> decimalOf(std::string_view cell, char decimalSign);
/// A whole number likewise: "1.000", "12,00".
std::optional<std::string> integerOf(std::string_view cell);

/// Finds out which decimal sign a file has, from all of its numbers.
class DecimalSigns {
public:
    void add(std::string_view cell);
    /// '.' or ','; nothing when all that speaks for one are numbers like "1,234", which may be thousands.
    std::optional<char> result() const;

private:
    std::size_t _points = 0;
    std::size_t _commas = 0;
    std::size_t _unsureCommas = 0;
};

} // namespace supplierd::csv
