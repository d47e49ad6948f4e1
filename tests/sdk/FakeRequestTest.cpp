#include <supplierd/Errors.h>
#include <supplierd/testing/FakeDatabase.h>
#include <supplierd/testing/FakeRequest.h>

#include <cppunit/extensions/HelperMacros.h>

#include <stdexcept>

namespace supplierd::tests {

using testing::FakeDatabase;
using testing::FakeRequest;

class FakeRequestTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(FakeRequestTest);
    CPPUNIT_TEST(testPathAndQueryAreTakenApart);
    CPPUNIT_TEST(testBodyIsParsedAsTheHostDoes);
    CPPUNIT_TEST(testHeadersAreFoundInAnyCase);
    CPPUNIT_TEST(testPathParametersAreTyped);
    CPPUNIT_TEST(testTransactRunsOnce);
    CPPUNIT_TEST_SUITE_END();

    FakeDatabase database;

    void testPathAndQueryAreTakenApart() {
        const FakeRequest request(database, Method::Get, "/notes?page=2&search=a%20b");
        CPPUNIT_ASSERT(request.path() == "/notes");
        CPPUNIT_ASSERT((QueryParameters{{"page", "2"}, {"search", "a b"}}) == request.query());
        CPPUNIT_ASSERT(request.rawQuery() == "page=2&search=a%20b");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, request.principal().supplierId);
        CPPUNIT_ASSERT(FakeRequest(database, Method::Get, "/notes").query().empty());
        CPPUNIT_ASSERT(FakeRequest(database, Method::Get, "/notes").rawQuery().empty());
        CPPUNIT_ASSERT_THROW(FakeRequest(database, Method::Get, "/notes?x=%zz"), ApiError);
    }

    void testBodyIsParsedAsTheHostDoes() {
        FakeRequest request(database, Method::Post, "/notes");
        CPPUNIT_ASSERT(!request.hasBody());
        CPPUNIT_ASSERT_THROW(request.body(), std::logic_error);
        CPPUNIT_ASSERT_THROW(request.withBody("[1]"), ApiError);
        CPPUNIT_ASSERT_THROW(request.withBody(R"({"a": 1, "a": 2})"), ApiError);
        request.withBody(R"({"a": 1})");
        CPPUNIT_ASSERT(request.hasBody() && request.body().has("a"));
    }

    void testHeadersAreFoundInAnyCase() {
        FakeRequest request(database, Method::Post, "/notes");
        request.withHeader("If-Match", "\"3\"");
        CPPUNIT_ASSERT(request.header("if-match") == "\"3\"");
        CPPUNIT_ASSERT(!request.header("If-None-Match"));
    }

    void testPathParametersAreTyped() {
        FakeRequest request(database, Method::Get, "/notes/5");
        request.withPathParameter("id", "5").withPathParameter("name", "x");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, request.pathInteger("id"));
        CPPUNIT_ASSERT(request.pathText("name") == "x");
        CPPUNIT_ASSERT_THROW(request.pathInteger("name"), std::out_of_range);
        CPPUNIT_ASSERT_THROW(request.pathText("none"), std::out_of_range);
    }

    void testTransactRunsOnce() {
        FakeRequest request(database, Method::Post, "/notes");
        const Response response = request.transact([&](Transaction&) { return request.reply(201); });
        CPPUNIT_ASSERT_EQUAL(201, response.status);
        CPPUNIT_ASSERT_EQUAL(1, database.commits());
        CPPUNIT_ASSERT_THROW(request.transact([&](Transaction&) { return request.reply(); }), std::logic_error);
        CPPUNIT_ASSERT_EQUAL(1, database.commits());
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(FakeRequestTest);

} // namespace supplierd::tests
