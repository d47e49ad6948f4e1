#include "tests/support/ServerFixture.h"

#include <cppunit/extensions/HelperMacros.h>

namespace supplierd::tests {

/// GET /openapi.json on the operators' listener of a running server.
class JoinedDocumentTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(JoinedDocumentTest);
    CPPUNIT_TEST(testEveryPluginIsInIt);
    CPPUNIT_TEST(testItIsNotOnTheListenerOfTheApi);
    CPPUNIT_TEST_SUITE_END();

public:
    void testEveryPluginIsInIt() {
        const auto response = fixture().server().adminClient().get("/openapi.json");
        requireStatus(200, response);
        CPPUNIT_ASSERT_EQUAL(std::string("application/json"), response.header("Content-Type").substr(0, 16));
        const auto document = response.json();
        CPPUNIT_ASSERT(document.at("openapi").get<std::string>().starts_with("3."));
        for (const char* path : {"/api/v1/supplier/categories", "/api/v1/supplier/products", "/api/v1/supplier/stock",
                                 "/api/v1/supplier/orders/{id}", "/api/v1/platform/suppliers"})
            CPPUNIT_ASSERT_MESSAGE(path, document.at("paths").contains(path));
    }

    void testItIsNotOnTheListenerOfTheApi() {
        requireStatus(404, fixture().server().rootClient().get("/openapi.json"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(JoinedDocumentTest);

} // namespace supplierd::tests
