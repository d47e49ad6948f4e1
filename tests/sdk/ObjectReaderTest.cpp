#include "tests/support/Test.h"

#include <supplierd/JsonBody.h>
#include <supplierd/Validation.h>

#include <array>

namespace supplierd::tests {

class ObjectReaderTest : public CppUnit::TestFixture {
protected:
    JsonDocument object;
    Details details;

    ObjectReader read(std::string_view json, std::string prefix = {}) {
        object = parseJsonObject(std::string(json));
        details = Details();
        return {object.object(), details, std::move(prefix)};
    }

    /// "field code" of every detail, joined by commas.
    std::string problems() const {
        std::string text;
        for (const Detail& detail : details.entries())
            text += (text.empty() ? "" : ", ") + detail.field + " " + detail.code;
        return text;
    }
};

TEST(ObjectReaderTest, absentNullAndPresentFieldsAreTold) {
    ObjectReader body = read(R"({"null": null, "five": 5})");
    const Field<std::int64_t> absent = body.integer("absent", {});
    CPPUNIT_ASSERT(!absent.present && !absent.hasValue() && !absent.isNull());
    const Field<std::int64_t> null = body.integer("null", {});
    CPPUNIT_ASSERT(null.present && null.isNull() && !null.hasValue());
    const Field<std::int64_t> five = body.integer("five", {});
    CPPUNIT_ASSERT(five.present && !five.isNull() && five.value == 5);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9}, absent.valueOr(9));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, five.valueOr(9));
    CPPUNIT_ASSERT(body.has("null") && !body.has("absent"));
    CPPUNIT_ASSERT(details.empty());
}

TEST(ObjectReaderTest, requiredFieldsThatAreMissingNullOrBlankAreAllNamed) {
    static constexpr std::array<std::string_view, 1> SET{"a"};
    ObjectReader body = read(R"({"b": null, "c": "", "d": " \t\n\u00a0\u3000", "e": null, "f": null})");
    for (const char* name : {"a", "b", "c", "d"}) {
        const Field<std::string> field = body.text(name, {255, true});
        CPPUNIT_ASSERT(!field.present && !field.hasValue());
    }
    body.integer("e", {0, 10, true});
    body.decimal("f", {Decimal(), Decimal::fromInteger(1), true});
    body.boolean("g", true);
    body.oneOf("h", SET, true);
    CPPUNIT_ASSERT(!body.array("i", 5, true));
    for (const char* name : {"c", "d", "e"})
        CPPUNIT_ASSERT(!body.oneOf(name, SET, true).present);
    CPPUNIT_ASSERT_EQUAL(std::string("a required, b required, c required, d required, e required, f required, "
                                     "g required, h required, i required, c required, d required, e required"),
                         problems());
    CPPUNIT_ASSERT_EQUAL(std::string("a is required"), details.entries()[0].message);
}

TEST(ObjectReaderTest, textIsTrimmedOfUnicodeWhiteSpace) {
    ObjectReader body = read(R"({"a": " \u00a0 Rose  Avalanche \u2003\n", "b": 5, "c": ["x"], "d": true})");
    CPPUNIT_ASSERT_EQUAL(std::string("Rose  Avalanche"), *body.text("a", {}).value);
    CPPUNIT_ASSERT(!body.text("b", {}).present);
    body.text("c", {});
    body.text("d", {});
    CPPUNIT_ASSERT_EQUAL(std::string("b type, c type, d type"), problems());
}

TEST(ObjectReaderTest, emptyTextIsNullOrKept) {
    ObjectReader body = read(R"({"a": "  ", "b": ""})");
    CPPUNIT_ASSERT(body.text("a", {}).isNull());
    const Field<std::string> kept = body.text("b", {.maxCodePoints = 5, .required = false, .emptyIsNull = false});
    CPPUNIT_ASSERT(kept.hasValue() && kept.value->empty());
    CPPUNIT_ASSERT(details.empty());
}

TEST(ObjectReaderTest, textLengthCountsCodePoints) {
    ObjectReader body = read(R"({"a": " 💐💐💐 ", "b": "💐💐💐💐"})");
    CPPUNIT_ASSERT_EQUAL(std::string("💐💐💐"), *body.text("a", {3}).value);
    CPPUNIT_ASSERT(!body.text("b", {3}).present);
    CPPUNIT_ASSERT_EQUAL(std::string("b too_long"), problems());
    CPPUNIT_ASSERT_EQUAL(std::string("b must have at most 3 characters"), details.entries()[0].message);
}

TEST(ObjectReaderTest, onlyJsonIntegersAreIntegers) {
    ObjectReader body = read(R"({"a": "5", "b": 5.5, "c": 5.0, "d": 1e2, "e": true, "f": [], "g": {}, "h": 1e400})");
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"})
        CPPUNIT_ASSERT(!body.integer(name, {}).present);
    CPPUNIT_ASSERT_EQUAL(std::string("a type, b type, c type, d type, e type, f type, g type, h type"), problems());
}

TEST(ObjectReaderTest, integersOutsideTheLimitsAreOutOfRange) {
    ObjectReader body = read(R"({"a": -1, "b": 11, "c": 18446744073709551617, "d": -99999999999999999999, "e": 0,
                                 "f": 10, "g": 9223372036854775808, "h": )" +
                             std::string(400, '9') + "}");
    for (const char* name : {"a", "b", "c", "d", "g", "h"})
        CPPUNIT_ASSERT(!body.integer(name, {0, 10}).present);
    CPPUNIT_ASSERT(body.integer("e", {0, 10}).value == 0);
    CPPUNIT_ASSERT(body.integer("f", {0, 10}).value == 10);
    CPPUNIT_ASSERT_EQUAL(
        std::string("a out_of_range, b out_of_range, c out_of_range, d out_of_range, g out_of_range, h out_of_range"),
        problems());
}

TEST(ObjectReaderTest, integerMessagesTellTheLimits) {
    ObjectReader body = read(R"({"stock_qty": -1, "category_id": 0})");
    body.integer("stock_qty", {0, 1'000'000'000});
    body.integer("category_id", {1});
    CPPUNIT_ASSERT_EQUAL(std::string("stock_qty must be an integer from 0 to 1000000000"),
                         details.entries()[0].message);
    CPPUNIT_ASSERT_EQUAL(std::string("category_id must be an integer of at least 1"), details.entries()[1].message);
}

TEST(ObjectReaderTest, decimalsAreExact) {
    ObjectReader body = read(R"({"a": 0.29, "b": 12, "c": 0.0850, "d": 99999999.9999, "e": 1e2, "f": -0})");
    CPPUNIT_ASSERT_EQUAL(std::string("0.29"), body.decimal("a", {}).value->toString());
    CPPUNIT_ASSERT_EQUAL(std::string("12"), body.decimal("b", {}).value->toString());
    CPPUNIT_ASSERT_EQUAL(std::string("0.085"), body.decimal("c", {}).value->toString());
    CPPUNIT_ASSERT_EQUAL(std::string("99999999.9999"), body.decimal("d", {}).value->toString());
    CPPUNIT_ASSERT_EQUAL(std::string("100"), body.decimal("e", {}).value->toString());
    CPPUNIT_ASSERT_EQUAL(std::string("0"), body.decimal("f", {}).value->toString());
    CPPUNIT_ASSERT(details.empty());
}

TEST(ObjectReaderTest, decimalsOutsideTheRuleAreRefused) {
    ObjectReader body = read(R"({"a": "0.29", "b": -0.01, "c": 100000000, "d": 0.00001, "e": 9223372036854775807,
                                 "f": true, "g": 1e300, "h": 1e400, "i": -1e400, "j": 1e-400})");
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"})
        CPPUNIT_ASSERT(!body.decimal(name, {}).present);
    CPPUNIT_ASSERT_EQUAL(std::string("a type, b out_of_range, c out_of_range, d out_of_range, e out_of_range, "
                                     "f type, g out_of_range, h out_of_range, i out_of_range, j out_of_range"),
                         problems());
    CPPUNIT_ASSERT_EQUAL(std::string("b must be a number from 0 to 99999999.9999 with at most 4 decimals"),
                         details.entries()[1].message);
}

TEST(ObjectReaderTest, valueOutsideTheSetIsRefusedWithTheSet) {
    static constexpr std::array<std::string_view, 3> UNITS{"stem", "bunch", "box"};
    ObjectReader body = read(R"({"a": "bunch", "b": "Stem", "c": 1, "d": null, "e": "b unch"})");
    CPPUNIT_ASSERT_EQUAL(std::string("bunch"), *body.oneOf("a", UNITS).value);
    body.oneOf("b", UNITS);
    body.oneOf("c", UNITS);
    CPPUNIT_ASSERT(body.oneOf("d", UNITS).isNull());
    body.oneOf("e", UNITS);
    CPPUNIT_ASSERT_EQUAL(std::string("b not_in_set, c type, e not_in_set"), problems());
    CPPUNIT_ASSERT_EQUAL(std::string("b must be one of stem, bunch, box"), details.entries()[0].message);
}

TEST(ObjectReaderTest, valueOfASetIsTrimmedAndEmptyItIsNull) {
    static constexpr std::array<std::string_view, 2> UNITS{"stem", "bunch"};
    ObjectReader body = read(R"({"a": " bunch\n", "b": "\u00a0stem", "c": "", "d": " \u3000\t"})");
    CPPUNIT_ASSERT_EQUAL(std::string("bunch"), *body.oneOf("a", UNITS, true).value);
    CPPUNIT_ASSERT_EQUAL(std::string("stem"), *body.oneOf("b", UNITS).value);
    CPPUNIT_ASSERT(body.oneOf("c", UNITS).isNull());
    CPPUNIT_ASSERT(body.oneOf("d", UNITS).isNull());
    CPPUNIT_ASSERT(details.empty());
}

TEST(ObjectReaderTest, onlyTrueAndFalseAreBooleans) {
    ObjectReader body = read(R"({"a": true, "b": false, "c": 1, "d": "true", "e": null})");
    CPPUNIT_ASSERT(body.boolean("a").value == true);
    CPPUNIT_ASSERT(body.boolean("b").value == false);
    body.boolean("c");
    body.boolean("d");
    CPPUNIT_ASSERT(body.boolean("e").isNull());
    CPPUNIT_ASSERT_EQUAL(std::string("c type, d type"), problems());
}

TEST(ObjectReaderTest, arraysAreLimited) {
    ObjectReader body = read(R"({"a": [1, 2, 3], "b": {"0": 1}, "c": null, "d": []})");
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, body.array("a", 3)->size());
    CPPUNIT_ASSERT(!body.array("a", 2));
    CPPUNIT_ASSERT(!body.array("b", 3));
    CPPUNIT_ASSERT(!body.array("c", 3));
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, body.array("d", 3, true)->size());
    CPPUNIT_ASSERT_EQUAL(std::string("a too_many, b type"), problems());
}

TEST(ObjectReaderTest, objectsAreReadOnTheirOwn) {
    ObjectReader body = read(R"({"a": {"b": 5}, "c": null, "d": [], "e": {}})", "order.");
    ObjectReader inner(*body.object("a", true), details, body.path("a") + ".");
    CPPUNIT_ASSERT(inner.integer("b", {}).value == 5 && !inner.text("c", {3, true}).present);
    CPPUNIT_ASSERT(!body.object("c") && !body.object("d") && !body.object("f") && body.object("e")->empty());
    CPPUNIT_ASSERT(!body.object("c", true) && !body.object("f", true));
    CPPUNIT_ASSERT_EQUAL(std::string("order.a.c required, order.d type, order.c required, order.f required"),
                         problems());
    CPPUNIT_ASSERT_EQUAL(std::string("order.d must be an object"), details.entries()[1].message);
}

TEST(ObjectReaderTest, pathsCarryThePrefix) {
    ObjectReader body = read(R"({"stock_qty": -1})", "items[3].");
    body.integer("stock_qty", {});
    CPPUNIT_ASSERT_EQUAL(std::string("items[3].stock_qty out_of_range"), problems());
    CPPUNIT_ASSERT_EQUAL(std::string("items[3].sku"), body.path("sku"));
}

} // namespace supplierd::tests
