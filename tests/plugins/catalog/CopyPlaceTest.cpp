#include "list/CopyPlace.h"

#include "tests/support/Test.h"

#include <supplierd/internal/ChangePlace.h>

namespace supplierd::tests {

using catalog::CopyPlace;

class CopyPlaceTest : public CppUnit::TestFixture {};

TEST(CopyPlaceTest, aNumberIsThePlace) {
    for (const std::int64_t seq : {std::int64_t{1}, std::int64_t{77}, (std::int64_t{1} << 27) - 1})
        for (const std::int64_t rest : {std::int64_t{1}, std::int64_t{2}, (std::int64_t{1} << 19) - 1,
                                        std::int64_t{1} << 19, std::int64_t{1} << 20, (std::int64_t{1} << 24) - 1}) {
            const auto number = CopyPlace{seq, rest}.encode(seq + 5);
            CPPUNIT_ASSERT(number.has_value());
            CPPUNIT_ASSERT(*number < std::int64_t{1} << 52);
            CPPUNIT_ASSERT(!ChangePlace::decode(*number));
            const auto place = CopyPlace::decode(*number, seq + 9);
            CPPUNIT_ASSERT(place.has_value());
            CPPUNIT_ASSERT_EQUAL(seq, place->seq);
            CPPUNIT_ASSERT_EQUAL(rest, place->rest);
        }
    CPPUNIT_ASSERT_EQUAL(std::int64_t{77}, (CopyPlace{77, 0}.encode(80).value()));
}

TEST(CopyPlaceTest, numbersOfChangesAreNone) {
    for (const std::int64_t number : {std::int64_t{0}, std::int64_t{1}, (std::int64_t{1} << 32) - 1,
                                      ChangePlace{1, 1}.encode().value(), std::int64_t{1} << 53})
        CPPUNIT_ASSERT(!CopyPlace::decode(number, 100));
    // Where changes have such numbers, there are no places.
    CPPUNIT_ASSERT(!CopyPlace::decode((std::int64_t{1} << 32) + 7, (std::int64_t{1} << 32) + 9));
}

TEST(CopyPlaceTest, whatDoesNotFitHasNoNumber) {
    CPPUNIT_ASSERT((!CopyPlace{1, 1 << 24}.encode(1)));
    CPPUNIT_ASSERT((!CopyPlace{std::int64_t{1} << 27, 1 << 19}.encode(std::int64_t{1} << 28)));
    CPPUNIT_ASSERT((CopyPlace{std::int64_t{1} << 27, (1 << 19) - 1}.encode(std::int64_t{1} << 28).has_value()));
    CPPUNIT_ASSERT((!CopyPlace{1, 1}.encode(std::int64_t{1} << 32)));
}

} // namespace supplierd::tests
