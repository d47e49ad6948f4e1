#include "index/texts/WeightAlphabet.h"

#include "NaiveCatalog.h"
#include "tests/support/Test.h"

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace supplierd::tests {

using catalog::WeightAlphabet;

class WeightAlphabetTest : public CppUnit::TestFixture {
protected:
    static void requireRoundTrip(const WeightAlphabet& alphabet, const std::string& weights, std::string codes) {
        codes += '\1';
        CPPUNIT_ASSERT(alphabet.decode(codes.data()) == weights);
    }

    /// With runs in common and blanks at the end.
    static std::string randomWeights(std::mt19937& random, std::uint32_t characters) {
        const auto number = [&](std::uint32_t to) {
            return std::uniform_int_distribution<std::uint32_t>(0, to)(random);
        };
        std::string weights;
        for (std::uint32_t i = number(5); i > 0; --i) {
            const std::uint32_t character = number(characters - 1);
            weights +=
                character % 3 == 2 ? weightString({0xfbc3, 0x8000 + character}) : weightString({0x0208 + character});
        }
        if (number(3) == 0)
            weights += weightString({0x020a, 0x020a});
        return weights;
    }
};

TEST(WeightAlphabetTest, aSuppliersScriptHasAByteACharacter) {
    WeightAlphabet alphabet;
    std::string codes;
    for (std::uint32_t weight = 0x1200; weight < 0x1200 + 150; ++weight)
        alphabet.encode(weightString({weight}), codes);
    // Of two weights each.
    for (std::uint32_t emoji = 0; emoji < 40; ++emoji)
        alphabet.encode(weightString({0xfbc3, 0xf300 + emoji}), codes);
    CPPUNIT_ASSERT_EQUAL(std::size_t{190}, codes.size());
    alphabet.encode(weightString({0x1200, 0xfbc3, 0xf301}), codes);
    CPPUNIT_ASSERT_EQUAL(std::size_t{192}, codes.size());
    alphabet.encode(weightString({0x2000}), codes);
    CPPUNIT_ASSERT_EQUAL(std::size_t{194}, codes.size());
}

TEST(WeightAlphabetTest, everyCharacterOfUnicodeComesBack) {
    WeightAlphabet alphabet;
    std::size_t longest = 0;
    std::vector<std::string> texts;
    const auto add = [&](const std::string& weights) {
        std::string codes;
        alphabet.encode(weights, codes);
        longest = std::max(longest, codes.size());
        if (alphabet.units().size() % 97 == 0)
            requireRoundTrip(alphabet, weights, codes);
    };
    for (std::uint32_t weight = 1; weight < 0x4000; ++weight)
        add(weightString({weight}));
    for (std::uint32_t character = 0; character < 0x110000; ++character)
        add(weightString({0xfbc0 + (character >> 15U), 0x8000 | (character & 0x7fffU)}));
    CPPUNIT_ASSERT_EQUAL(std::size_t{0x4000 - 1 + 0x110000}, alphabet.units().size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{5}, longest);
}

TEST(WeightAlphabetTest, noCodeLiesWithinAnother) {
    WeightAlphabet alphabet;
    std::vector<std::string> codes;
    for (std::uint32_t weight = 1; weight < 0x3000; ++weight)
        alphabet.encode(weightString({weight}), codes.emplace_back());
    std::mt19937 random(3);
    std::uniform_int_distribution<std::size_t> any(0, codes.size() - 1);
    for (int i = 0; i < 20'000; ++i) {
        const std::string& a = codes[any(random)];
        const std::string& b = codes[any(random)];
        const std::string& c = codes[any(random)];
        const std::string text = a + b;
        const std::size_t place = text.find(c);
        CPPUNIT_ASSERT_EQUAL(c == a ? 0 : c == b ? a.size() : std::string::npos, place);
    }
}

TEST(WeightAlphabetTest, textsCompareAsTheirWeights) {
    for (const std::uint32_t characters : {3U, 40U, 12'000U}) {
        WeightAlphabet alphabet;
        std::mt19937 random(characters);
        std::vector<std::string> weights(400);
        std::vector<std::string> codes(weights.size());
        for (std::size_t i = 0; i < weights.size(); ++i) {
            weights[i] = randomWeights(random, characters);
            alphabet.encode(weights[i], codes[i]);
            codes[i] += i % 2 == 0 ? '\0' : '\1';
        }
        int equal = 0;
        for (std::size_t a = 0; a < weights.size(); ++a)
            for (std::size_t b = 0; b < weights.size(); b += 3) {
                const int expected = compareWeights(weights[a], weights[b]);
                CPPUNIT_ASSERT_EQUAL(expected, alphabet.compare(codes[a].data(), codes[b].data()));
                CPPUNIT_ASSERT_EQUAL(expected, alphabet.compare(codes[a].data(), WeightAlphabet::unitsOf(weights[b])));
                equal += expected == 0 ? 1 : 0;
            }
        CPPUNIT_ASSERT(equal >= 134);
    }
}

TEST(WeightAlphabetTest, anUnknownCharacterIsTold) {
    WeightAlphabet alphabet;
    std::string codes;
    CPPUNIT_ASSERT(!alphabet.encodeKnown(weightString({0x1200}), codes));
    CPPUNIT_ASSERT(alphabet.encodeKnown("", codes));
    alphabet.encode(weightString({0x1200, 0xfbc3, 0xf300}), codes);
    std::string known;
    CPPUNIT_ASSERT(alphabet.encodeKnown(weightString({0x1200, 0xfbc3, 0xf300}), known));
    CPPUNIT_ASSERT_EQUAL(codes, known);
    CPPUNIT_ASSERT(!alphabet.encodeKnown(weightString({0x1200, 0xfbc3, 0xf301}), known));
    CPPUNIT_ASSERT(!alphabet.encodeKnown(weightString({0x1201}), known));
}

TEST(WeightAlphabetTest, halfAWeightIsRefused) {
    WeightAlphabet alphabet;
    std::string codes;
    CPPUNIT_ASSERT_THROW(alphabet.encode("abc", codes), std::invalid_argument);
}

} // namespace supplierd::tests
