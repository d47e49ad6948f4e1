#include "tests/dashboard/DashboardFixture.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

/// What somebody who has not signed in may send.
class StrangersBodyTest : public CppUnit::TestFixture {
protected:
    static HttpResponse answerTo(const std::string& path, std::size_t size) {
        HttpClient client = fixture().server().rootClient();
        client.sendRaw("POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: " +
                       std::to_string(size) + "\r\n\r\n");
        return client.readResponse();
    }
};

TEST(StrangersBodyTest, aLargeBodyOfAStrangerIsRefusedByItsHead) {
    for (const char* path : {"/dashboard/api/me", "/dashboard/api/sign-in", "/dashboard/api/store"}) {
        const HttpResponse response = answerTo(path, 1'048'576);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(path + response.body, 413, response.status);
    }
}

TEST(StrangersBodyTest, whoIsSignedInSendsMore) {
    auto visitor = visitorOf(createSupplierUser());
    const auto response = visitor.post("/api/v1/supplier/products", {{"name", std::string(100'000, 'x')}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 422, response.status);
}

} // namespace supplierd::tests
