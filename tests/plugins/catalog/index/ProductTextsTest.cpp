#include "index/texts/ProductTexts.h"

#include "NaiveCatalog.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace catalog;

class ProductTextsTest : public CppUnit::TestFixture {
protected:
    static std::string ascii(std::string_view text) {
        std::string weights;
        for (const char c : text)
            weights += weightString({0x1200U + static_cast<unsigned char>(c)});
        return weights;
    }

    static bool isIn(const IndexedTexts& texts, const std::string& term) {
        return containsWeights(texts.nameWeights, term) ||
               std::any_of(texts.skus.begin(), texts.skus.end(),
                           [&](const IndexedSku& sku) { return containsWeights(sku.weights, term); });
    }

    static RowNumbers found(const ProductTexts& texts, std::string_view term, std::size_t count) {
        return foundWeights(texts, ascii(term), count);
    }

    /// By a pass over all, which passes over what signatures rule out. Looking at each alone, without them, must agree.
    static RowNumbers foundWeights(const ProductTexts& texts, std::string_view term, std::size_t count) {
        const auto sought = texts.termOf(term);
        RowNumbers rows;
        RowSet set(count);
        texts.search(sought, 0, static_cast<RowNumber>(count), set);
        for (RowNumber row = 0; row < count; ++row) {
            CPPUNIT_ASSERT_EQUAL(set.has(row), texts.contains(row, sought));
            if (set.has(row))
                rows.push_back(row);
        }
        return rows;
    }

    static void requireSkus(const ProductTexts& texts, const std::vector<IndexedTexts>& expected, std::uint64_t hash) {
        RowSet set(expected.size());
        texts.findSkus({hash}, set);
        for (std::size_t row = 0; row < expected.size(); ++row) {
            const auto& skus = expected[row].skus;
            const bool has =
                std::any_of(skus.begin(), skus.end(), [&](const auto& sku) { return sku.keyHash == hash; });
            CPPUNIT_ASSERT_EQUAL(has, set.has(static_cast<RowNumber>(row)));
            CPPUNIT_ASSERT_EQUAL(has, texts.hasSku(static_cast<RowNumber>(row), {hash}));
        }
    }
};

TEST(ProductTextsTest, nothingIsFoundAcrossTwoTexts) {
    ProductTexts texts;
    texts.append({ascii("rose"), {{ascii("ab"), 1}, {ascii("cd"), 2}}});
    texts.append({ascii("tulip"), {}});
    for (const char* term : {"rosea", "ea", "bc", "dt", "cdt"})
        CPPUNIT_ASSERT_MESSAGE(term, found(texts, term, 2).empty());
    CPPUNIT_ASSERT(found(texts, "cd", 2) == RowNumbers{0});
}

TEST(ProductTextsTest, aTextOfNoWeightsIsKept) {
    ProductTexts texts;
    texts.append({"", {}});
    texts.append({"", {{"", 5}}});
    texts.append({ascii("a"), {}});
    CPPUNIT_ASSERT(found(texts, "a", 3) == RowNumbers{2});
    CPPUNIT_ASSERT(texts.nameWeights(0).empty() && texts.nameWeights(1).empty());
    CPPUNIT_ASSERT(texts.hasSku(1, {5}) && !texts.hasSku(0, {5}) && !texts.hasSku(2, {5}));
}

/// Products with a hundred variants: blocks of more than 64 KB, which get longer and shorter.
TEST(ProductTextsTest, longTextsAreFoundWhereTheyLie) {
    std::mt19937 random(5);
    const auto number = [&](std::size_t to) { return std::uniform_int_distribution<std::size_t>(0, to)(random); };
    std::vector<IndexedTexts> expected;
    ProductTexts texts;
    const auto make = [&](std::size_t row) {
        IndexedTexts made{ascii("name " + std::to_string(row)), {}};
        for (std::size_t i = number(3) == 0 ? number(100) : number(2); i > 0; --i) {
            const std::string sku = std::to_string(number(100'000)) + std::string(number(50), 'x');
            made.skus.push_back({ascii(sku), hashOfSkuKey(sku)});
        }
        return made;
    };
    for (std::size_t row = 0; row < 500; ++row) {
        expected.push_back(make(row));
        texts.append(expected.back());
    }
    for (int round = 0; round < 600; ++round) {
        const std::size_t row = number(expected.size() - 1);
        expected[row] = make(row + 1'000);
        texts.replace(static_cast<RowNumber>(row), expected[row]);
        if (round % 20 != 0)
            continue;
        for (const std::string& term : {std::to_string(number(999)), std::string("xxx1"), std::string("e 1")}) {
            RowNumbers rows;
            for (std::size_t i = 0; i < expected.size(); ++i)
                if (isIn(expected[i], ascii(term)))
                    rows.push_back(static_cast<RowNumber>(i));
            CPPUNIT_ASSERT_MESSAGE(term, rows == found(texts, term, expected.size()));
        }
        const auto& some = expected[number(expected.size() - 1)].skus;
        if (!some.empty())
            requireSkus(texts, expected, some.back().keyHash);
        for (std::size_t i = 0; i < expected.size(); i += 17)
            CPPUNIT_ASSERT(texts.nameWeights(static_cast<RowNumber>(i)) == expected[i].nameWeights);
    }
}

TEST(ProductTextsTest, aBlockThatGrowsBeyondItsPlacesKeepsWhatItHas) {
    constexpr std::size_t COUNT = 300;
    const auto nameOf = [](std::size_t row) { return ascii("n" + std::to_string(row) + std::string(1'500, 'x')); };
    ProductTexts texts;
    for (std::size_t row = 0; row < COUNT; ++row)
        texts.append({nameOf(row), {{ascii("k"), row}}});
    for (std::size_t row = 0; row < COUNT; ++row) {
        CPPUNIT_ASSERT(texts.nameWeights(static_cast<RowNumber>(row)) == nameOf(row));
        CPPUNIT_ASSERT(texts.hasSku(static_cast<RowNumber>(row), {row}));
        CPPUNIT_ASSERT(found(texts, "n" + std::to_string(row) + "x", COUNT) == RowNumbers{static_cast<RowNumber>(row)});
    }
}

/// So many rows that most have signatures, and so many changes that these are made again.
TEST(ProductTextsTest, signaturesHideNothing) {
    constexpr std::size_t CHARACTER = 2;
    std::mt19937 random(8);
    const auto number = [&](std::size_t to) { return std::uniform_int_distribution<std::size_t>(0, to)(random); };
    // Some have codes of two bytes, and a few are in most texts.
    const auto text = [&](std::size_t length) {
        std::string weights;
        for (std::size_t i = 0; i < length; ++i)
            weights += weightString({0x1200U + static_cast<std::uint32_t>(number(3) == 0 ? number(400) : number(5))});
        return weights;
    };
    std::vector<IndexedTexts> expected;
    ProductTexts texts;
    const auto make = [&] {
        IndexedTexts made{text(number(12)), {}};
        for (std::size_t i = number(3); i > 1; --i)
            made.skus.push_back({text(number(9)), number(1'000'000)});
        return made;
    };
    const auto grow = [&](std::size_t rows) {
        for (; rows > 0; --rows)
            texts.append(expected.emplace_back(make()));
    };
    const auto partOf = [&](const std::string& whole) {
        const std::size_t first = number(whole.size() / CHARACTER) * CHARACTER;
        return whole.substr(first, (1 + number(7)) * CHARACTER);
    };
    grow(3'000);
    std::size_t hits = 0;
    for (int round = 0; round < 25; ++round) {
        for (int i = 0; i < 200; ++i) {
            const std::size_t row = number(number(3) == 0 ? expected.size() - 1 : 1'023);
            expected[row] = make();
            texts.replace(static_cast<RowNumber>(row), expected[row]);
        }
        grow(number(150));
        for (int i = 0; i < 12; ++i) {
            const IndexedTexts& some = expected[number(i % 2 == 0 ? 1'023 : expected.size() - 1)];
            const std::string term = i % 4 == 3          ? text(1 + number(4))
                                     : some.skus.empty() ? partOf(some.nameWeights)
                                                         : partOf(some.skus.front().weights);
            if (term.empty())
                continue;
            const std::size_t count = i % 3 == 0 ? expected.size() : 1 + number(expected.size() - 1);
            RowNumbers rows;
            for (std::size_t row = 0; row < count; ++row)
                if (isIn(expected[row], term))
                    rows.push_back(static_cast<RowNumber>(row));
            CPPUNIT_ASSERT(rows == foundWeights(texts, term, count));
            hits += rows.size();
        }
    }
    CPPUNIT_ASSERT(hits > 1'000);
}

TEST(ProductTextsTest, onlyWholeSignaturesTakeMemory) {
    ProductTexts texts;
    for (RowNumber row = 0; row < TrigramSignature::ROWS - 1; ++row)
        texts.append({ascii("rose"), {}});
    CPPUNIT_ASSERT(texts.bytes() < TrigramSignature::bytes());
    texts.append({ascii("rose"), {}});
    CPPUNIT_ASSERT(texts.bytes() > TrigramSignature::bytes());
    CPPUNIT_ASSERT_EQUAL(std::size_t{32}, TrigramSignature::bytes() / TrigramSignature::ROWS);
    const std::size_t after = texts.bytes();
    for (RowNumber row = 0; row < 3 * TrigramSignature::ROWS; ++row)
        texts.replace(row % TrigramSignature::ROWS, {ascii(row % 2 == 0 ? "sore" : "eros"), {}});
    CPPUNIT_ASSERT_EQUAL(after, texts.bytes());
}

TEST(ProductTextsTest, replacingSaysWhatBecameDifferent) {
    ProductTexts texts;
    texts.append({ascii("rose"), {{ascii("k1"), 1}}});
    texts.append({ascii("tulip"), {}});
    const auto replace = [&](const IndexedTexts& with) {
        const auto difference = texts.replace(0, with);
        return std::pair(difference.name, difference.skus);
    };
    CPPUNIT_ASSERT(replace({ascii("rose"), {{ascii("k1"), 1}}}) == std::pair(false, false));
    CPPUNIT_ASSERT(replace({ascii("rosa"), {{ascii("k1"), 1}}}) == std::pair(true, false));
    CPPUNIT_ASSERT(replace({ascii("rosa"), {{ascii("k1"), 2}}}) == std::pair(false, true));
    CPPUNIT_ASSERT(replace({ascii("rosa"), {{ascii("k2"), 2}}}) == std::pair(false, true));
    CPPUNIT_ASSERT(replace({ascii("rosak"), {{ascii("2"), 2}}}) == std::pair(true, true));
    CPPUNIT_ASSERT(replace({ascii("rosak"), {}}) == std::pair(false, true));
    CPPUNIT_ASSERT(texts.nameWeights(1) == ascii("tulip"));
}

} // namespace supplierd::tests
