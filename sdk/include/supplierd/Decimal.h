#pragma once

#include <supplierd/Abi.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd {

/// An exact decimal with up to four places, kept as a whole number of 1/10,000. Prices and VAT rates never pass
/// through a binary double. Thread: a value. Since 1.0.
class SUPPLIERD_API Decimal {
public:
    static constexpr std::int64_t SCALE = 10'000;

    enum class ParseError { None, Malformed, TooManyPlaces, OutOfRange };

    constexpr Decimal() = default;

    static constexpr Decimal fromTenThousandths(std::int64_t value) { return Decimal{value}; }
    static constexpr Decimal fromInteger(std::int64_t value) { return Decimal{value * SCALE}; }

    /// Reads a JSON number or a DECIMAL as the database prints it ("0.0850", "12", "1e2"). More than four places that
    /// are not zero, and values beyond ±10^14, are refused rather than rounded; `error` says which, when given.
    static std::optional<Decimal> parse(std::string_view text, ParseError* error = nullptr);

    constexpr std::int64_t tenThousandths() const { return _value; }

    /// The shortest form: "0.29", "12", "0.085", "-1.5".
    std::string toString() const;
    void appendTo(std::string& out) const;

    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a 0 in what the compiler writes here
    friend constexpr auto operator<=>(const Decimal&, const Decimal&) = default;

private:
    explicit constexpr Decimal(std::int64_t value) : _value(value) {}

    std::int64_t _value = 0;
};

} // namespace supplierd
