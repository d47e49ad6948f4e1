#include "tests/fuzz/BodyMutator.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace supplierd::tests {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t LONGEST = 200'000;

// What has broken readers of JSON, of numbers, of UTF-8, of SQL and of decimals before.
constexpr auto FRAGMENTS = std::to_array<std::string_view>({
    "\0"sv,
    "\xff"sv,
    "\xc0\x80"sv,
    "\xed\xa0\x80"sv,
    "\xf0\x9f\x92\x90"sv,
    "\xef\xbb\xbf"sv,
    "\\u0000"sv,
    "\\ud800"sv,
    "\\udc00\\ud800"sv,
    "\\ud83d\\udc90"sv,
    "\\x"sv,
    "\""sv,
    "\\"sv,
    "{"sv,
    "}"sv,
    "["sv,
    "]"sv,
    ","sv,
    ":"sv,
    "null"sv,
    "true"sv,
    "NaN"sv,
    "-Infinity"sv,
    "/* */"sv,
    "' OR 1=1 -- "sv,
    "%_\\"sv,
    "\r\n\r\n"sv,
    "\t"sv,
    "\x7f"sv,
    "{\"a\":"sv,
    "[[[[[[[["sv,
    "\"sku\":"sv,
    "\"variants\":[{}]"sv,
    "\"id\":1,"sv,
    "\"delete\":true,"sv,
    "\xe2\x80\xae"sv,
    "\xcc\x81\xcc\x81\xcc\x81"sv,
});

constexpr auto NUMBERS = std::to_array<std::string_view>({
    "0",
    "-0",
    "-1",
    "1.0",
    "0.00001",
    "0.0850",
    "99999999.9999",
    "100000000",
    "1e2",
    "1e400",
    "-1e-400",
    "01",
    "+1",
    ".5",
    "5.",
    "2147483648",
    "-2147483649",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "18446744073709551617",
    "1e",
    "0x10",
    "123456789012345678901234567890.5",
});

struct Slice {
    std::size_t begin = 0;
    std::size_t length = 0;
};

Slice anySlice(const std::string& text, Generator& generator) {
    const std::size_t begin = pick(generator, text.size());
    return {begin, pick(generator, std::min<std::size_t>(text.size() - begin, 64) + 1)};
}

void stretch(std::string& text, Generator& generator) {
    const auto slice = anySlice(text, generator);
    const std::string repeated = text.substr(slice.begin, slice.length);
    // Mostly a little; sometimes past every limit of a field.
    const std::size_t times = once(generator, 8) ? 1 + pick(generator, 4'000) : 1 + pick(generator, 40);
    std::string inserted;
    for (std::size_t i = 0; i < times && inserted.size() < LONGEST; ++i)
        inserted += repeated;
    text.insert(slice.begin, inserted);
}

void flipBytes(std::string& text, Generator& generator) {
    for (std::size_t i = 0, count = 1 + pick(generator, 8); i < count && !text.empty(); ++i)
        text[pick(generator, text.size())] = static_cast<char>(pick(generator, 256));
}

void swapSlices(std::string& text, Generator& generator) {
    const auto slice = anySlice(text, generator);
    const std::string moved = text.substr(slice.begin, slice.length);
    text.erase(slice.begin, slice.length);
    text.insert(pick(generator, text.size() + 1), moved);
}

void replaceNumber(std::string& text, Generator& generator) {
    const auto isDigit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    const auto from = text.begin() + static_cast<std::ptrdiff_t>(pick(generator, text.size() + 1));
    const auto begin = std::find_if(from, text.end(), isDigit);
    const auto end = std::find_if_not(begin, text.end(), [&](char c) { return isDigit(c) || c == '.'; });
    text.replace(begin, end, NUMBERS[pick(generator, NUMBERS.size())]);
}

void nest(std::string& text, Generator& generator) {
    const std::size_t depth = once(generator, 4) ? 2'000 : 1 + pick(generator, 140);
    const bool inObjects = once(generator, 2);
    std::string opening;
    for (std::size_t i = 0; i < depth; ++i)
        opening += inObjects ? "{\"variants\":" : "[";
    // Sometimes around the whole, sometimes as a value inside it; sometimes never closed.
    const std::size_t at = once(generator, 2) ? 0 : text.find(':') + 1;
    text.insert(at, opening);
    if (!once(generator, 4))
        text.append(depth, inObjects ? '}' : ']');
}

} // namespace

std::size_t pick(Generator& generator, std::size_t count) {
    // Not std::uniform_int_distribution: its numbers differ between standard libraries, a seed's must not.
    return count == 0 ? 0 : static_cast<std::size_t>(generator() % count);
}

bool once(Generator& generator, std::size_t times) {
    return pick(generator, times) == 0;
}

std::string BodyMutator::next(Generator& generator) const {
    return mutate(seed(generator), generator);
}

std::string BodyMutator::mutate(std::string text, Generator& generator) const {
    // Half of them once only: what breaks in one place gets furthest into the server.
    for (std::size_t i = 0, count = once(generator, 2) ? 1 : 1 + pick(generator, 4); i < count; ++i)
        mutateOnce(text, generator);
    return text;
}

void BodyMutator::mutateOnce(std::string& text, Generator& generator) const {
    switch (pick(generator, 10)) {
    case 0:
        return text.resize(pick(generator, text.size() + 1));
    case 1:
        return stretch(text, generator);
    case 2:
        return flipBytes(text, generator);
    case 3:
        return swapSlices(text, generator);
    case 4:
    case 5:
        return replaceNumber(text, generator);
    case 6:
        return nest(text, generator);
    case 7: {
        const auto slice = anySlice(text, generator);
        text.erase(slice.begin, slice.length);
        return;
    }
    case 8: {
        const std::string& other = seed(generator);
        text.resize(pick(generator, text.size() + 1));
        text += other.substr(pick(generator, other.size()));
        return;
    }
    default:
        text.insert(pick(generator, text.size() + 1), FRAGMENTS[pick(generator, FRAGMENTS.size())]);
    }
}

} // namespace supplierd::tests
