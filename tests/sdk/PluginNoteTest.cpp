#include "tests/support/Test.h"

#include <supplierd/PluginNote.h>

#include <cstddef>
#include <cstring>
#include <string>

namespace supplierd::tests {

/// The packaging tools and older hosts read these bytes: where they lie is a promise.
class PluginNoteTest : public CppUnit::TestFixture {
protected:
    static constexpr PluginNoteSection SECTION = makePluginNote("wishlist", "1.2.0");
};

TEST(PluginNoteTest, headerIsThatOfAnElfNote) {
    CPPUNIT_ASSERT_EQUAL(std::uint32_t{10}, SECTION.ownerSize); // "supplierd" and its NUL
    CPPUNIT_ASSERT_EQUAL(std::uint32_t{112}, SECTION.descriptorSize);
    CPPUNIT_ASSERT_EQUAL(std::uint32_t{1}, SECTION.type);
    CPPUNIT_ASSERT_EQUAL(0, std::memcmp(SECTION.owner, "supplierd\0\0\0", 12));
    CPPUNIT_ASSERT_EQUAL(std::size_t{24}, offsetof(PluginNoteSection, note));
}

TEST(PluginNoteTest, fieldsLieWhereTheyAlwaysDid) {
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, offsetof(PluginNote, layout));
    CPPUNIT_ASSERT_EQUAL(std::size_t{4}, offsetof(PluginNote, abiMajor));
    CPPUNIT_ASSERT_EQUAL(std::size_t{6}, offsetof(PluginNote, abiMinor));
    CPPUNIT_ASSERT_EQUAL(std::size_t{8}, offsetof(PluginNote, needsMinor));
    CPPUNIT_ASSERT_EQUAL(std::size_t{10}, offsetof(PluginNote, reserved));
    CPPUNIT_ASSERT_EQUAL(std::size_t{12}, offsetof(PluginNote, cxxAbi));
    CPPUNIT_ASSERT_EQUAL(std::size_t{44}, offsetof(PluginNote, id));
    CPPUNIT_ASSERT_EQUAL(std::size_t{80}, offsetof(PluginNote, version));
}

TEST(PluginNoteTest, noteTellsWhatItWasBuiltWith) {
    CPPUNIT_ASSERT_EQUAL(PluginNote::LAYOUT, SECTION.note.layout + 0);
    CPPUNIT_ASSERT_EQUAL(SUPPLIERD_SDK_ABI_MAJOR, int{SECTION.note.abiMajor});
    CPPUNIT_ASSERT_EQUAL(SUPPLIERD_SDK_ABI_MINOR, int{SECTION.note.abiMinor});
    CPPUNIT_ASSERT_EQUAL(SUPPLIERD_SDK_ABI_MINOR, int{SECTION.note.needsMinor});
    CPPUNIT_ASSERT_EQUAL(0, int{SECTION.note.reserved});
    CPPUNIT_ASSERT_EQUAL(std::string("libstdc++-cxx11"), std::string(SECTION.note.cxxAbi));
    CPPUNIT_ASSERT_EQUAL(std::string("wishlist"), std::string(SECTION.note.id));
    CPPUNIT_ASSERT_EQUAL(std::string("1.2.0"), std::string(SECTION.note.version));
}

TEST(PluginNoteTest, longestIdFits) {
    static constexpr PluginNoteSection LONGEST = makePluginNote("a2345678901234567890123456789012", "1.0.0");
    CPPUNIT_ASSERT_EQUAL(std::size_t{32}, std::strlen(LONGEST.note.id));
}

} // namespace supplierd::tests
