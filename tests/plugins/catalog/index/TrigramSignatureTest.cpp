#include "index/texts/TrigramSignature.h"

#include "tests/support/Test.h"

#include <string>
#include <string_view>

namespace supplierd::tests {

using namespace catalog;

class TrigramSignatureTest : public CppUnit::TestFixture {
protected:
    static RowNumbers groups(const TrigramSignature& signature, std::string_view codes) {
        RowNumbers rows;
        signature.forEachGroup(codes, [&](RowNumber row) { rows.push_back(row); });
        return rows;
    }

    static void add(TrigramSignature& signature, RowNumber row, std::string_view name, std::string_view sku) {
        signature.add(row, std::string(name).append(1, '\1').append(sku).append(1, '\0'));
    }
};

TEST(TrigramSignatureTest, onlyTheGroupsOfATextAreLeft) {
    TrigramSignature signature;
    add(signature, 0, "red rose", "ab-17");
    add(signature, 15, "rosemary", "cd-18");
    add(signature, 1'023, "tulip", "ef-17");
    CPPUNIT_ASSERT(groups(signature, "rose") == (RowNumbers{0, 8}));
    CPPUNIT_ASSERT(groups(signature, "-17") == (RowNumbers{0, 1'016}));
    CPPUNIT_ASSERT(groups(signature, "rosemary") == RowNumbers{8});
    CPPUNIT_ASSERT(groups(signature, "lily").empty());
}

TEST(TrigramSignatureTest, noTrigramSpansTwoTexts) {
    TrigramSignature signature;
    add(signature, 0, "rose", "ab");
    CPPUNIT_ASSERT(groups(signature, "sea").empty());
}

TEST(TrigramSignatureTest, lessThanATrigramMayBeAnywhere) {
    const TrigramSignature signature;
    for (const char* codes : {"a", "ab"}) {
        const RowNumbers all = groups(signature, codes);
        CPPUNIT_ASSERT_EQUAL(std::size_t{TrigramSignature::ROWS / TrigramSignature::GROUP}, all.size());
        CPPUNIT_ASSERT(all.front() == 0 && all.back() == TrigramSignature::ROWS - TrigramSignature::GROUP);
    }
}

TEST(TrigramSignatureTest, itIsStaleWhenAsManyTextsWereReplacedAsThereAre) {
    TrigramSignature signature;
    for (RowNumber i = 0; i < 2 * TrigramSignature::ROWS; ++i) {
        CPPUNIT_ASSERT(!signature.isStale());
        add(signature, i % TrigramSignature::ROWS, "rose", "");
    }
    CPPUNIT_ASSERT(signature.isStale());
}

} // namespace supplierd::tests
