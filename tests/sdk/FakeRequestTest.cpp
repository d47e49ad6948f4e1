#include "tests/support/Test.h"

#include <supplierd/Errors.h>
#include <supplierd/testing/FakeDatabase.h>
#include <supplierd/testing/FakeRequest.h>

#include <stdexcept>

namespace supplierd::tests {

using testing::FakeDatabase;
using testing::FakeRequest;

class FakeRequestTest : public CppUnit::TestFixture {
protected:
    FakeDatabase database;
};

TEST(FakeRequestTest, pathAndQueryAreTakenApart) {
    const FakeRequest request(database, Method::Get, "/notes?page=2&search=a%20b");
    CPPUNIT_ASSERT(request.path() == "/notes");
    CPPUNIT_ASSERT((QueryParameters{{"page", "2"}, {"search", "a b"}}) == request.query());
    CPPUNIT_ASSERT(request.rawQuery() == "page=2&search=a%20b");
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, request.principal().supplierId);
    CPPUNIT_ASSERT(FakeRequest(database, Method::Get, "/notes").query().empty());
    CPPUNIT_ASSERT(FakeRequest(database, Method::Get, "/notes").rawQuery().empty());
    CPPUNIT_ASSERT_THROW(FakeRequest(database, Method::Get, "/notes?x=%zz"), ApiError);
}

TEST(FakeRequestTest, bodyIsParsedAsTheHostDoes) {
    FakeRequest request(database, Method::Post, "/notes");
    CPPUNIT_ASSERT(!request.hasBody());
    CPPUNIT_ASSERT_THROW(request.body(), std::logic_error);
    CPPUNIT_ASSERT_THROW(request.withBody("[1]"), ApiError);
    CPPUNIT_ASSERT_THROW(request.withBody(R"({"a": 1, "a": 2})"), ApiError);
    request.withBody(R"({"a": 1})");
    CPPUNIT_ASSERT(request.hasBody() && request.body().has("a"));
}

TEST(FakeRequestTest, headersAreFoundInAnyCase) {
    FakeRequest request(database, Method::Post, "/notes");
    request.withHeader("If-Match", "\"3\"");
    CPPUNIT_ASSERT(request.header("if-match") == "\"3\"");
    CPPUNIT_ASSERT(!request.header("If-None-Match"));
}

TEST(FakeRequestTest, pathParametersAreTyped) {
    FakeRequest request(database, Method::Get, "/notes/5");
    request.withPathParameter("id", "5").withPathParameter("name", "x");
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, request.pathInteger("id"));
    CPPUNIT_ASSERT(request.pathText("name") == "x");
    CPPUNIT_ASSERT_THROW(request.pathInteger("name"), std::out_of_range);
    CPPUNIT_ASSERT_THROW(request.pathText("none"), std::out_of_range);
}

TEST(FakeRequestTest, transactRunsOnce) {
    FakeRequest request(database, Method::Post, "/notes");
    const Response response = request.transact([&](Transaction&) { return request.reply(201); });
    CPPUNIT_ASSERT_EQUAL(201, response.status);
    CPPUNIT_ASSERT_EQUAL(1, database.commits());
    CPPUNIT_ASSERT_THROW(request.transact([&](Transaction&) { return request.reply(); }), std::logic_error);
    CPPUNIT_ASSERT_EQUAL(1, database.commits());
}

TEST(FakeRequestTest, formIsParsed) {
    FakeRequest request(database, Method::Post, "/notes");
    CPPUNIT_ASSERT_THROW(request.form(), std::logic_error);
    request.withForm("title=Red+roses&n=%32");
    CPPUNIT_ASSERT((QueryParameters{{"title", "Red roses"}, {"n", "2"}}) == request.form());
    CPPUNIT_ASSERT_THROW(request.withForm("a=%zz"), ApiError);
}

TEST(FakeRequestTest, rawBodyComesInPieces) {
    FakeRequest request(database, Method::Post, "/notes");
    CPPUNIT_ASSERT_THROW(request.rawBody(), std::logic_error);
    request.withRawBody("abcdefg", 3);
    std::string piece(10, ' ');
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{7}, request.rawBody().size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, request.rawBody().read(piece));
    CPPUNIT_ASSERT(piece.starts_with("abc") && !request.isRawBodyConsumed());
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, request.rawBody().read(piece));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, request.rawBody().read(piece));
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, request.rawBody().read(piece));
    CPPUNIT_ASSERT(request.isRawBodyConsumed());
}

TEST(FakeRequestTest, headTellsOfTheClient) {
    FakeRequest request(database, Method::Delete, "/notes?a=1");
    CPPUNIT_ASSERT(request.clientAddress() == "192.0.2.1" && request.scheme() == "http" && !request.cookie("s"));
    request.withClientAddress("2001:db8::1").withScheme("https").withCookie("s", "abc");
    CPPUNIT_ASSERT(request.clientAddress() == "2001:db8::1" && request.scheme() == "https");
    CPPUNIT_ASSERT(request.cookie("s") == "abc" && request.head().method() == "DELETE");
    CPPUNIT_ASSERT(request.head().path() == "/notes" && request.head().rawQuery() == "a=1");
}

} // namespace supplierd::tests
