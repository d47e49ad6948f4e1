#include "Brand.h"

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::dashboard {

namespace {

constexpr std::size_t MAX_LOGO = std::size_t{64} << 10;
/// Of WCAG 2.2, level AA, for text.
constexpr double MIN_CONTRAST = 4.5;

std::string readLogo(const std::filesystem::path& path) {
    if (path.empty())
        return {};
    if (!path.is_absolute())
        throw ConfigError("logo", "must be a path that begins with /");
    std::ifstream file(path, std::ios::binary);
    std::string svg{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open() || file.bad())
        throw ConfigError("logo", "cannot be read: " + path.string());
    if (svg.size() > MAX_LOGO || svg.find("<svg") == std::string::npos)
        throw ConfigError("logo", "must be an SVG image of at most 64 KiB: " + path.string());
    return svg;
}

/// Red, green and blue of "#0b62a8".
std::optional<std::array<int, 3>> readColour(std::string_view text) {
    if (text.size() != 7 || text.front() != '#')
        return std::nullopt;
    std::array<int, 3> parts{};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const char* const begin = text.data() + 1 + 2 * i;
        if (std::from_chars(begin, begin + 2, parts[i], 16).ptr != begin + 2)
            return std::nullopt;
    }
    return parts;
}

/// Between the colour and white, as WCAG counts it.
double contrastToWhite(const std::array<int, 3>& colour) {
    constexpr std::array WEIGHTS{0.2126, 0.7152, 0.0722};
    double luminance = 0;
    for (std::size_t i = 0; i < colour.size(); ++i) {
        const double part = colour[i] / 255.0;
        luminance += WEIGHTS[i] * (part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4));
    }
    return 1.05 / (luminance + 0.05);
}

std::string styleOf(const std::string& accent) {
    if (accent.empty())
        return {};
    const auto colour = readColour(accent);
    if (!colour)
        throw ConfigError("accent", "must be a colour such as \"#0b62a8\", found \"" + accent + "\"");
    if (contrastToWhite(*colour) < MIN_CONTRAST)
        throw ConfigError("accent", "must be dark enough for white text on it: a contrast of 4.5 or more");
    constexpr std::string_view PICO = "--pico-primary:var(--accent);--pico-primary-background:var(--accent);"
                                      "--pico-primary-hover:var(--accent-strong);"
                                      "--pico-primary-hover-background:var(--accent-strong);"
                                      "--pico-primary-inverse:var(--on-accent)}";
    std::string style = ":root:not([data-theme]){--accent:" + accent + ";--accent-strong:color-mix(in srgb," + accent;
    style.append(" 75%,#000);--on-accent:#fff;").append(PICO);
    style.append("@media(prefers-color-scheme:dark){:root:not([data-theme]){--accent:color-mix(in srgb,")
        .append(accent);
    style.append(" 45%,#fff);--accent-strong:color-mix(in srgb,").append(accent);
    style.append(" 25%,#fff);--on-accent:#12161c;").append(PICO).append("}");
    return style;
}

} // namespace

Branding readBranding(const Config& config) {
    return {
        .name = config.text("name"), .logo = readLogo(config.text("logo")), .style = styleOf(config.text("accent"))};
}

} // namespace supplierd::dashboard
