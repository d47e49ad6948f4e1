#include "tests/fuzz/parsers/FuzzTarget.h"

#include <supplierd/Decimal.h>

#include <cmath>
#include <cstdlib>
#include <string>

namespace {

using namespace supplierd;
using tests::require;

void checkValue(const std::string& text, Decimal value) {
    const auto shortest = value.toString();
    const auto again = Decimal::parse(shortest);
    require(again && *again == value, "its own text is read as something else");
    require(std::llabs(value.tenThousandths()) <= 100'000'000'000'000LL * Decimal::SCALE, "a value beyond the limit");
    // 64 bits of mantissa tell all that is within the limit apart.
    const long double other = std::strtold(text.c_str(), nullptr) * Decimal::SCALE;
    const auto own = static_cast<long double>(value.tenThousandths());
    require(std::fabs(other - own) < 0.5L, "the C library reads another value");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(tests::bytesOf(data, size));
    auto error = Decimal::ParseError::None;
    const auto value = Decimal::parse(text, &error);
    require(value.has_value() == (error == Decimal::ParseError::None), "a value with an error, or neither");
    if (!value)
        return 0;
    require(text.find_first_not_of("0123456789+-.eE") == std::string::npos, "a number with other characters");
    checkValue(text, *value);
    return 0;
}
