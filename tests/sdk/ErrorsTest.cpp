#include "tests/support/Test.h"
#include "tests/support/Thrown.h"

#include <supplierd/Database.h>
#include <supplierd/Validation.h>

namespace supplierd::tests {

class ErrorsTest : public CppUnit::TestFixture {};

TEST(ErrorsTest, messageOfAValidationErrorNamesTheFirstDetail) {
    const ApiError error =
        ApiError::validation({{"name", "required", "name is required"}, {"unit", "required", "unit is required"}});
    CPPUNIT_ASSERT(error.kind() == ErrorKind::Validation);
    CPPUNIT_ASSERT_EQUAL(std::string("name is required"), error.message());
    CPPUNIT_ASSERT_EQUAL(std::string("name is required"), std::string(error.what()));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, error.details().size());
    CPPUNIT_ASSERT(!ApiError::validation({}).message().empty());
}

TEST(ErrorsTest, detailsThrowAllAtOnceOrNothing) {
    Details details;
    details.throwIfAny();
    details.add("a", "type", "a is wrong");
    details.add({"b", "duplicate", "b is taken", {}, {{"existing_product_id", "17"}}});
    CPPUNIT_ASSERT(details.has("a") && details.has("b") && !details.has("c"));
    const auto error = thrownBy<ApiError>([&] { details.throwIfAny(); });
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, error.details().size());
    CPPUNIT_ASSERT_EQUAL(std::string("17"), error.details()[1].errorMembers.at(0).second);
}

TEST(ErrorsTest, databaseErrorsAreTold) {
    CPPUNIT_ASSERT(DatabaseError(1062, "Duplicate entry").isDuplicateKey());
    CPPUNIT_ASSERT(DatabaseError(1452, "a foreign key constraint fails").isForeignKey());
    CPPUNIT_ASSERT(DatabaseError(1213, "Deadlock found").isRetryable());
    CPPUNIT_ASSERT(DatabaseError(1205, "Lock wait timeout").isRetryable());
    for (const unsigned code : {2002U, 2003U, 2006U, 2013U, 1053U, 1927U})
        CPPUNIT_ASSERT(DatabaseError(code, "lost").isConnectionLost());
    for (const unsigned code : {0U, 1062U, 1064U, 1205U, 1213U, 1969U})
        CPPUNIT_ASSERT(!DatabaseError(code, "not lost").isConnectionLost());
}

} // namespace supplierd::tests
