#include "imports/OrderSplitter.h"

#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/support/Thrown.h"

#include <supplierd/Errors.h>

#include <cppunit/TestFixture.h>

#include <string>

namespace supplierd::tests {

using orders::OrderSplitter;

/// How a file of orders is cut, whatever pieces it comes in.
class OrderSplitterTest : public CppUnit::TestFixture {
protected:
    /// "{…}|{…}|"
    static std::string split(const std::string& text, std::size_t piece = 1) {
        std::string orders;
        OrderSplitter splitter([&](const std::string& order) { orders += order + "|"; });
        for (std::size_t at = 0; at < text.size(); at += piece)
            splitter.add(std::string_view(text).substr(at, piece));
        splitter.end();
        return orders;
    }

    static std::string problemOf(const std::string& text) {
        return thrownBy<ApiError>([&] { split(text); }).details().at(0).message;
    }
};

TEST(OrderSplitterTest, arrayIsCutIntoItsElements) {
    for (const std::size_t piece : {1, 2, 3, 7, 1'000}) {
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"a":[1,{"b":"]},\""}]}|{}|)"),
                             split(R"( [ {"a":[1,{"b":"]},\""}]},{}] )", piece));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"a":1}|{"b":2}|)"), split(R"({ "orders" : [{"a":1}, {"b":2}] } )", piece));
    }
    CPPUNIT_ASSERT_EQUAL(std::string(), split("[]"));
    CPPUNIT_ASSERT_EQUAL(std::string(), split(R"({"orders":[ ]})"));
}

TEST(OrderSplitterTest, anyOtherObjectIsTheOnlyOrder) {
    for (const std::string text : {R"({})", R"({"order_number":"A","items":[]})", R"({"orders ":[1]})", R"({"or":[]})"})
        CPPUNIT_ASSERT_EQUAL(text + "|", split(text));
    for (const auto* text : {R"({"orders":{"a":1}})", R"({"orders":5})", R"({"a":1,"orders":[]})"})
        requireIn("orders must be an array, and come first in its object", problemOf(text));
}

TEST(OrderSplitterTest, otherMembersMayFollowTheOrders) {
    CPPUNIT_ASSERT_EQUAL(std::string("{}|{}|"), split(R"({"orders":[{},{}], "exported":["today"]} )"));
}

TEST(OrderSplitterTest, whatIsNoOrderIsLeftForTheJobToRefuse) {
    CPPUNIT_ASSERT_EQUAL(std::string(R"(5|null|"a,b"|[1]|)"), split(R"([5,null,"a,b",[1]])"));
}

TEST(OrderSplitterTest, whatIsNoJsonIsNamedByLineAndColumn) {
    requireIn("line 2, column 3: order 2: the text is not valid JSON", problemOf("[{},\n  oops\n]"));
    requireIn("line 2, column 10: order 2: 'b' is given twice in one object",
              problemOf("[{\"a\":1},\n{\"b\":1,\"b\":2}]"));
    requireIn("line 1, column 11: order 1: ", problemOf(R"([{"a":1 "b":2}])"));
    requireIn("line 3, column ", problemOf("[{},\n{\n\"a\": x}]"));
    requireIn("line 2, column ", problemOf("[{\"a\":1},\n{\"b\":"));
    requireIn("line 1, column 1: an order, an array of orders", problemOf("\xff"));
    requireIn("nested more than 64 levels", problemOf(std::string(100, '[') + std::string(100, ']')));
    CPPUNIT_ASSERT_EQUAL(std::string("the file is empty"), problemOf(" \n"));
    CPPUNIT_ASSERT_EQUAL(std::string("the file is empty"), problemOf(""));
}

TEST(OrderSplitterTest, whatIsCutIsStillJudged) {
    for (const auto* text : {"[{]}",
                             "[{}}]",
                             "[{},,{}]",
                             "[{}] x",
                             "[{} {}]",
                             "[,]",
                             "[{},]",
                             "{\"orders\":[{}]",
                             "{\"orders\":[{}]}}",
                             "{\"orders\":[{}],}",
                             "[{\"a\":\"\\x\"}]",
                             "[{\"a\":\"b}]",
                             "[{'a':1}]",
                             "[{\"a\":[}]}]",
                             "[{\"a\" 1}]",
                             "{\"orders\":[{}],\"orders\":[]}",
                             "[{}",
                             "{\"a\":1",
                             "{} {}",
                             "[{]]",
                             "\"a\"",
                             "5"})
        requireIn("nothing was taken in", problemOf(text));
}

TEST(OrderSplitterTest, anOrderHasALimit) {
    const std::string large = "[{\"a\":\"" + std::string(OrderSplitter::MAX_ORDER, 'x') + "\"}]";
    requireIn("order 1 is larger than 1048576 bytes", problemOf(large));
    const std::string fits = "{\"a\":\"" + std::string(OrderSplitter::MAX_ORDER - 8, 'x') + "\"}";
    CPPUNIT_ASSERT_EQUAL(fits + "|" + fits + "|", split("[" + fits + "," + fits + "]", 1'000));
}

} // namespace supplierd::tests
