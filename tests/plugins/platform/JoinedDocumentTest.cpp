#include "PlatformWorld.h"

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
        const auto response = PlatformWorld::instance().server().adminClient().get("/openapi.json");
        CPPUNIT_ASSERT_EQUAL(200, response.status);
        CPPUNIT_ASSERT_EQUAL(std::string("application/json"), response.header("Content-Type").substr(0, 16));
        const auto document = response.json();
        CPPUNIT_ASSERT(document.at("openapi").get<std::string>().starts_with("3."));
        for (const char* path : {"/api/v1/supplier/categories", "/api/v1/supplier/products", "/api/v1/supplier/stock",
                                 "/api/v1/supplier/orders/{id}", "/api/v1/platform/suppliers"})
            CPPUNIT_ASSERT_MESSAGE(path, document.at("paths").contains(path));
    }

    void testItIsNotOnTheListenerOfTheApi() {
        auto& server = PlatformWorld::instance().server();
        const auto url = server.url();
        CPPUNIT_ASSERT_EQUAL(404, HttpClient(url.substr(0, url.find("/api/"))).get("/openapi.json").status);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(JoinedDocumentTest);

} // namespace supplierd::tests
