#include "KnownFiles.h"

#include <supplierd/testing/FakeDatabase.h>

#include <cppunit/extensions/HelperMacros.h>

#include <string>

namespace supplierd::tests {

using media::KnownFiles;

class KnownFilesTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(KnownFilesTest);
    CPPUNIT_TEST(testTheDatabaseIsAskedOnceForAFileThatAnImageHas);
    CPPUNIT_TEST(testAFileThatNoImageHasMayGetOneAtAnyTime);
    CPPUNIT_TEST(testWithoutTheDatabaseTheStoreIsToTell);
    CPPUNIT_TEST_SUITE_END();

public:
    void testTheDatabaseIsAskedOnceForAFileThatAnImageHas() {
        _database.whenQuery("FROM product_images").thenRows({{1}});
        for (int i = 0; i < 3; ++i)
            CPPUNIT_ASSERT(_files.contains(KEY));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _database.statements().size());
    }

    void testAFileThatNoImageHasMayGetOneAtAnyTime() {
        _database.whenQuery("FROM product_images").thenRows({}).thenRows({{1}});
        CPPUNIT_ASSERT(!_files.contains(KEY));
        CPPUNIT_ASSERT(_files.contains(KEY));
    }

    void testWithoutTheDatabaseTheStoreIsToTell() {
        _database.whenQuery("FROM product_images").thenThrows(1040, "too many connections").thenRows({});
        CPPUNIT_ASSERT(_files.contains(KEY));
        CPPUNIT_ASSERT(!_files.contains(KEY)); // which was not kept
    }

private:
    static inline const std::string KEY = "ab/cd/abcd0000000000000000000000000000.jpg";

    testing::FakeDatabase _database;
    KnownFiles _files{_database};
};

CPPUNIT_TEST_SUITE_REGISTRATION(KnownFilesTest);

} // namespace supplierd::tests
