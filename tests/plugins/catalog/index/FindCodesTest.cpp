#include "index/texts/FindCodes.h"

#include "tests/support/Test.h"

#include <random>
#include <string>
#include <string_view>

namespace supplierd::tests {

class FindCodesTest : public CppUnit::TestFixture {};

TEST(FindCodesTest, findsWhatAPlainSearchFinds) {
    std::mt19937 random(11);
    const auto number = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(random); };
    const auto text = [&](int length, char last) {
        std::string bytes;
        for (int i = 0; i < length; ++i)
            bytes += static_cast<char>(number('a', last));
        return bytes;
    };
    int found = 0;
    for (int i = 0; i < 50'000; ++i) {
        const char last = number(0, 1) == 0 ? 'b' : 'h';
        const std::string in = text(number(0, 90), last);
        const std::string codes = text(number(1, i % 10 == 0 ? 40 : 6), last);
        const std::string what = std::string(in).append(" ").append(codes);
        const char* const hit = catalog::findCodes(in.data(), in.data() + in.size(), codes);
        const std::size_t expected = in.find(codes);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(what, expected == std::string::npos, hit == nullptr);
        if (hit != nullptr)
            CPPUNIT_ASSERT_EQUAL_MESSAGE(what, expected, static_cast<std::size_t>(hit - in.data()));
        found += hit != nullptr ? 1 : 0;
    }
    CPPUNIT_ASSERT(found > 10'000 && found < 45'000);
}

TEST(FindCodesTest, findsNothingBeyondTheEnd) {
    const std::string text = std::string(40, '\xff') + "ab";
    for (std::size_t length = 0; length <= 41; ++length)
        CPPUNIT_ASSERT(catalog::findCodes(text.data(), text.data() + length, "ab") == nullptr);
    CPPUNIT_ASSERT(catalog::findCodes(text.data(), text.data() + 42, "ab") == text.data() + 40);
}

} // namespace supplierd::tests
