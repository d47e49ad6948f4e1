#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::tests {

/// Texts by chance, the same ones for the same seed: of forty scripts, with emoji, combining marks, ligatures,
/// zero-width characters, wildcards and blanks among them. UTF-8.
class ScriptSamples {
public:
    explicit ScriptSamples(unsigned seed) : _random(seed) {}

    std::string name();
    std::string sku();
    /// A part of `text`, or nearly one: with another character of the script, another case, a mark more.
    std::string term(const std::string& text);

private:
    char32_t letter(std::size_t script);
    char32_t anything();
    std::uint32_t number(std::uint32_t to) { return std::uniform_int_distribution<std::uint32_t>(0, to)(_random); }

    std::mt19937 _random;
};

/// The characters of UTF-8, each as UTF-8.
std::vector<std::string> charactersOf(std::string_view text);

} // namespace supplierd::tests
