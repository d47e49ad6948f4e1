#include "PictureColours.h"

#include <optional>
#include <string>
#include <utility>

namespace supplierd::demo {

namespace {

struct NamedColour {
    std::string_view name;
    Colour colour;
};

constexpr NamedColour COLOURS[] = {
    {"red", {0.80F, 0.08F, 0.13F}},        {"pink", {0.95F, 0.55F, 0.68F}},      {"white", {0.97F, 0.96F, 0.93F}},
    {"yellow", {0.98F, 0.83F, 0.16F}},     {"orange", {0.96F, 0.53F, 0.12F}},    {"purple", {0.48F, 0.20F, 0.58F}},
    {"green", {0.47F, 0.66F, 0.27F}},      {"bronze", {0.72F, 0.45F, 0.20F}},    {"salmon", {0.97F, 0.62F, 0.50F}},
    {"blue", {0.29F, 0.40F, 0.80F}},       {"coral", {0.98F, 0.48F, 0.40F}},     {"blush", {0.96F, 0.80F, 0.77F}},
    {"black", {0.13F, 0.12F, 0.13F}},      {"peach", {0.98F, 0.76F, 0.60F}},     {"cream", {0.97F, 0.91F, 0.76F}},
    {"lilac", {0.74F, 0.60F, 0.82F}},      {"sand", {0.84F, 0.75F, 0.62F}},      {"lavender", {0.70F, 0.65F, 0.86F}},
    {"burgundy", {0.45F, 0.06F, 0.16F}},   {"apricot", {0.98F, 0.72F, 0.45F}},   {"violet", {0.53F, 0.33F, 0.74F}},
    {"brown", {0.50F, 0.34F, 0.22F}},      {"grey", {0.60F, 0.62F, 0.62F}},      {"amber", {0.80F, 0.52F, 0.15F}},
    {"smoke", {0.45F, 0.46F, 0.49F}},      {"ivory", {0.95F, 0.92F, 0.82F}},     {"sage", {0.64F, 0.70F, 0.58F}},
    {"silver", {0.77F, 0.78F, 0.80F}},     {"gold", {0.82F, 0.67F, 0.28F}},      {"copper", {0.76F, 0.45F, 0.30F}},
    {"rose", {0.90F, 0.62F, 0.62F}},       {"champagne", {0.92F, 0.84F, 0.69F}}, {"mint", {0.70F, 0.88F, 0.78F}},
    {"natural", {0.80F, 0.71F, 0.52F}},    {"petrol", {0.10F, 0.38F, 0.44F}},    {"anthracite", {0.25F, 0.26F, 0.28F}},
    {"terracotta", {0.77F, 0.43F, 0.29F}}, {"bleached", {0.94F, 0.90F, 0.82F}},  {"clear", {0.79F, 0.88F, 0.90F}},
    {"zinc", {0.63F, 0.66F, 0.68F}},       {"kraft", {0.73F, 0.57F, 0.38F}},     {"willow", {0.66F, 0.48F, 0.28F}},
    {"concrete", {0.66F, 0.65F, 0.63F}},   {"jute", {0.74F, 0.61F, 0.40F}},      {"cinnamon", {0.55F, 0.31F, 0.17F}}};

std::optional<Colour> named(std::string_view word) {
    for (const auto& [name, colour] : COLOURS)
        if (name == word)
            return colour;
    return std::nullopt;
}

/// The next run of letters, in lower case; "" at the end.
std::string takeWord(std::string_view& text) {
    std::string word;
    while (!text.empty()) {
        const char c = text.front();
        const bool isUpper = c >= 'A' && c <= 'Z';
        if (!isUpper && (c < 'a' || c > 'z') && !word.empty())
            break;
        text.remove_prefix(1);
        if (isUpper || (c >= 'a' && c <= 'z'))
            word += static_cast<char>(isUpper ? c - 'A' + 'a' : c);
    }
    return word;
}

} // namespace

PictureColours coloursOf(std::string_view words, const Colour& otherwise) {
    constexpr std::pair<std::string_view, float> TONES[] = {{"dark", -0.45F}, {"light", 0.45F}, {"hot", -0.15F}};
    std::optional<Colour> first;
    std::optional<Colour> second;
    float tone = 0;
    for (std::string word = takeWord(words); !word.empty(); word = takeWord(words)) {
        for (const auto& [name, amount] : TONES)
            if (name == word)
                tone = amount;
        const auto colour = named(word);
        if (!colour)
            continue;
        (first ? second : first) = shaded(*colour, tone);
        tone = 0;
    }
    const Colour main = first.value_or(otherwise);
    return {main, second.value_or(shaded(main, 0.30F))};
}

} // namespace supplierd::demo
