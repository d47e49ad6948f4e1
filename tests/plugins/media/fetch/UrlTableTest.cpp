#include "UrlTable.h"

#include "FetchFixture.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

/// The table of hostile and usual URLs in ../shared/corpora/ssrf. No query and no connection leaves the process.
class UrlTableTest : public CppUnit::TestFixture {
protected:
    static void check(const UrlTableRow& row) {
        const FetchFixture fixture; // names lead to a public address, connections are noted and fail
        if (row.verdict == "block-after-dns")
            fixture.resolver->setDefault({"127.0.0.1"});
        std::string failure;
        try {
            failure = fixture.failure(row.url);
        } catch (const media::FetchError& problem) {
            failure = std::string(media::codeName(problem.code())) + ": " + problem.what();
        }
        const bool isRefused = failure.starts_with("address: ");
        const bool isConnected = !fixture.detour->addresses().empty();
        const bool isAsked = !fixture.resolver->asked().empty();
        const std::string message = row.id + " " + row.url + " → " + failure;
        CPPUNIT_ASSERT_MESSAGE(message, isRefused != isConnected);
        if (row.verdict == "block" || row.verdict == "policy")
            CPPUNIT_ASSERT_MESSAGE(message, isRefused && !isAsked);
        else if (row.verdict == "block-after-dns")
            CPPUNIT_ASSERT_MESSAGE(message, isRefused && isAsked);
        else if (row.verdict == "allow")
            CPPUNIT_ASSERT_MESSAGE(message, isConnected);
        else
            CPPUNIT_ASSERT_EQUAL_MESSAGE(message, std::string("either"), row.verdict);
    }
};

TEST(UrlTableTest, everyUrlHasItsVerdict) {
    const auto table = urlTable();
    if (table.empty())
        return;
    CPPUNIT_ASSERT(table.size() > 100);
    for (const auto& row : table)
        check(row);
}

} // namespace supplierd::tests
