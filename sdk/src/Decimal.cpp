#include <supplierd/Decimal.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace supplierd {

namespace {

constexpr int PLACES = 4;
constexpr std::uint64_t LIMIT = 1'000'000'000'000'000'000; // 10^14 in ten-thousandths
constexpr std::int64_t LIMIT_DIGITS = 15;                  // digits of 10^14
constexpr std::int64_t EXPONENT_LIMIT = 1'000'000'000'000; // beyond any text's length, far from overflow

/// A number of the JSON grammar taken apart: its digits are `whole` followed by `fraction`.
struct NumberParts {
    bool negative = false;
    std::string_view whole;
    std::string_view fraction;
    std::int64_t exponent = 0;
};

std::string_view takeDigits(std::string_view& text) {
    const auto end = std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; });
    const auto length = static_cast<std::size_t>(end - text.begin());
    const std::string_view digits = text.substr(0, length);
    text.remove_prefix(length);
    return digits;
}

bool take(std::string_view& text, char wanted) {
    if (text.empty() || text.front() != wanted)
        return false;
    text.remove_prefix(1);
    return true;
}

std::optional<std::int64_t> takeExponent(std::string_view& text) {
    const bool negative = take(text, '-');
    if (!negative)
        take(text, '+');
    const std::string_view digits = takeDigits(text);
    if (digits.empty())
        return std::nullopt;
    std::int64_t exponent = 0;
    for (const char digit : digits)
        exponent = std::min(EXPONENT_LIMIT, exponent * 10 + (digit - '0'));
    return negative ? -exponent : exponent;
}

std::optional<NumberParts> split(std::string_view text) {
    NumberParts parts;
    parts.negative = take(text, '-');
    parts.whole = takeDigits(text);
    if (parts.whole.empty() || (parts.whole.size() > 1 && parts.whole.front() == '0'))
        return std::nullopt;
    if (take(text, '.')) {
        parts.fraction = takeDigits(text);
        if (parts.fraction.empty())
            return std::nullopt;
    }
    if (take(text, 'e') || take(text, 'E')) {
        const std::optional<std::int64_t> exponent = takeExponent(text);
        if (!exponent)
            return std::nullopt;
        parts.exponent = *exponent;
    }
    if (!text.empty())
        return std::nullopt;
    return parts;
}

/// The digits from the first to the last that is not zero, read as a whole number times 10^exponent.
struct Significant {
    std::string digits;
    std::int64_t exponent = 0;
};

Significant significantOf(const NumberParts& parts) {
    std::string digits(parts.whole);
    digits += parts.fraction;
    const std::size_t first = digits.find_first_not_of('0');
    if (first == std::string::npos)
        return {};
    const std::size_t last = digits.find_last_not_of('0');
    const auto dropped = static_cast<std::int64_t>(digits.size() - 1 - last);
    const std::int64_t exponent = parts.exponent - static_cast<std::int64_t>(parts.fraction.size()) + dropped;
    return {digits.substr(first, last - first + 1), exponent};
}

Decimal::ParseError scale(const Significant& number, std::uint64_t& tenThousandths) {
    tenThousandths = 0;
    if (number.digits.empty())
        return Decimal::ParseError::None;
    if (static_cast<std::int64_t>(number.digits.size()) + number.exponent > LIMIT_DIGITS)
        return Decimal::ParseError::OutOfRange;
    if (number.exponent < -PLACES)
        return Decimal::ParseError::TooManyPlaces;
    // At most LIMIT_DIGITS + PLACES = 19 digits remain, which 64 bits hold.
    for (const char digit : number.digits)
        tenThousandths = tenThousandths * 10 + static_cast<std::uint64_t>(digit - '0');
    for (std::int64_t i = -PLACES; i < number.exponent; ++i)
        tenThousandths *= 10;
    return tenThousandths > LIMIT ? Decimal::ParseError::OutOfRange : Decimal::ParseError::None;
}

} // namespace

std::optional<Decimal> Decimal::parse(std::string_view text, ParseError* error) {
    ParseError problem = ParseError::Malformed;
    std::uint64_t magnitude = 0;
    const std::optional<NumberParts> parts = split(text);
    if (parts)
        problem = scale(significantOf(*parts), magnitude);
    if (error != nullptr)
        *error = problem;
    if (problem != ParseError::None)
        return std::nullopt;
    const auto value = static_cast<std::int64_t>(magnitude);
    return Decimal(parts->negative ? -value : value);
}

std::string Decimal::toString() const {
    std::string text;
    appendTo(text);
    return text;
}

void Decimal::appendTo(std::string& out) const {
    // Unsigned, because the magnitude of the lowest int64 has no int64.
    const std::uint64_t magnitude =
        _value < 0 ? 0 - static_cast<std::uint64_t>(_value) : static_cast<std::uint64_t>(_value);
    std::array<char, 32> buffer{};
    char* end = buffer.data();
    if (_value < 0)
        *end++ = '-';
    end = std::to_chars(end, buffer.data() + buffer.size(), magnitude / SCALE).ptr;

    std::uint64_t fraction = magnitude % SCALE;
    if (fraction != 0) {
        *end++ = '.';
        for (std::uint64_t place = SCALE / 10; fraction != 0; place /= 10) {
            *end++ = static_cast<char>('0' + fraction / place);
            fraction %= place;
        }
    }
    out.append(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
}

} // namespace supplierd
