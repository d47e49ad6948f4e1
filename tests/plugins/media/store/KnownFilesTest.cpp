#include "library/KnownFiles.h"

#include "tests/support/Test.h"

#include <supplierd/testing/FakeDatabase.h>

#include <string>

namespace supplierd::tests {

using media::KnownFiles;

class KnownFilesTest : public CppUnit::TestFixture {
protected:
    static inline const std::string KEY = "ab/cd/abcd0000000000000000000000000000.jpg";

    testing::FakeDatabase _database;
    KnownFiles _files{_database};
};

TEST(KnownFilesTest, theDatabaseIsAskedOnceForAFileThatAnImageHas) {
    _database.whenQuery("FROM product_images").thenRows({{1}});
    for (int i = 0; i < 3; ++i)
        CPPUNIT_ASSERT(_files.contains(KEY));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _database.statements().size());
}

TEST(KnownFilesTest, aFileThatNoImageHasMayGetOneAtAnyTime) {
    _database.whenQuery("FROM product_images").thenRows({}).thenRows({{1}});
    CPPUNIT_ASSERT(!_files.contains(KEY));
    CPPUNIT_ASSERT(_files.contains(KEY));
}

TEST(KnownFilesTest, withoutTheDatabaseTheStoreIsToTell) {
    _database.whenQuery("FROM product_images").thenThrows(1040, "too many connections").thenRows({});
    CPPUNIT_ASSERT(_files.contains(KEY));
    CPPUNIT_ASSERT(!_files.contains(KEY)); // which was not kept
}

} // namespace supplierd::tests
