#include "host/config/ConfigUnits.h"

#include <array>
#include <charconv>
#include <limits>
#include <span>

namespace supplierd::host {

namespace {

struct Unit {
    std::string_view name;
    std::int64_t factor;
};

constexpr std::array<Unit, 5> DURATION_UNITS{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};
constexpr std::array<Unit, 4> SIZE_UNITS{{{"GiB", 1'073'741'824}, {"MiB", 1'048'576}, {"KiB", 1'024}, {"", 1}}};

std::optional<std::int64_t> parseWithUnit(std::string_view text, std::span<const Unit> units) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0)
        return std::nullopt;
    const std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const Unit& unit : units) {
        if (unit.name == name && number <= std::numeric_limits<std::int64_t>::max() / unit.factor)
            return number * unit.factor;
    }
    return std::nullopt;
}

std::string formatWithUnit(std::int64_t value, std::span<const Unit> units) {
    for (const Unit& unit : units) {
        if (value != 0 && value % unit.factor == 0)
            return std::to_string(value / unit.factor) + std::string(unit.name);
    }
    return std::to_string(value) + std::string(units.back().name);
}

} // namespace

std::optional<std::chrono::milliseconds> parseDuration(std::string_view text) {
    if (text == "0") // the same in every unit
        return std::chrono::milliseconds(0);
    const auto value = parseWithUnit(text, DURATION_UNITS);
    return value ? std::optional(std::chrono::milliseconds(*value)) : std::nullopt;
}

std::string formatDuration(std::chrono::milliseconds duration) {
    return formatWithUnit(duration.count(), DURATION_UNITS);
}

std::optional<std::int64_t> parseSize(std::string_view text) {
    return parseWithUnit(text, SIZE_UNITS);
}

std::string formatSize(std::int64_t bytes) {
    return formatWithUnit(bytes, SIZE_UNITS);
}

} // namespace supplierd::host
