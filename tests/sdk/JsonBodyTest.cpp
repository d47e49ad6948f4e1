#include "tests/support/Places.h"
#include "tests/support/Test.h"

#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <sstream>
#include <vector>

namespace supplierd::tests {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view NOT_AN_OBJECT = "the body must be a JSON object";

std::optional<ApiError> refusal(std::string_view text) {
    try {
        parseJsonObject(std::string(text));
        return std::nullopt;
    } catch (const ApiError& error) {
        return error;
    }
}

ApiError mustRefuse(std::string_view text) {
    const std::optional<ApiError> error = refusal(text);
    CPPUNIT_ASSERT_MESSAGE("accepted: " + std::string(text.substr(0, 100)), error.has_value());
    CPPUNIT_ASSERT(error->kind() == ErrorKind::Validation);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, error->details().size());
    CPPUNIT_ASSERT_EQUAL(error->message(), error->details()[0].message);
    CPPUNIT_ASSERT(error->message().size() < 400);
    return *error;
}

std::string nested(std::size_t levels) {
    std::string text;
    for (std::size_t i = 0; i < levels; ++i)
        text += R"({"a":)";
    return text + "1" + std::string(levels, '}');
}

std::string contentOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct CorpusCase {
    std::string file;
    std::string expect;
    std::string group;
};

std::vector<CorpusCase> corpus(const fs::path& folder) {
    std::vector<CorpusCase> cases;
    std::ifstream table(folder / "open.tsv");
    std::string line;
    std::getline(table, line); // the heading
    while (std::getline(table, line)) {
        std::vector<std::string> columns;
        std::istringstream fields(line);
        for (std::string column; std::getline(fields, column, '\t');)
            columns.push_back(column);
        if (columns.size() >= 6)
            cases.push_back({columns[0], columns[3], columns[5]});
    }
    return cases;
}

/// Rows that a handler refuses by its own rules; as JSON there is nothing wrong with them.
bool isRefusedByFieldRules(const CorpusCase& entry) {
    static constexpr std::array FILES{"own_emptyobj.json", "own_imgs11.json",    "own_imgs_long.json",
                                      "own_p_inf.json",    "own_p_longint.json", "own_p_neg.json",
                                      "own_q_neg.json",    "own_s_1m.json",      "own_s_empty.json"};
    return entry.expect == "reject:type" || std::find(FILES.begin(), FILES.end(), entry.file) != FILES.end();
}

} // namespace

class JsonBodyTest : public CppUnit::TestFixture {
protected:
    /// `{"k0":0,"k1":0,…}`
    static std::string manyKeys(std::size_t count) {
        std::string text = "{";
        for (std::size_t i = 0; i < count; ++i)
            text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":0";
        return text + "}";
    }

    /// `{"items":[x,x,…]}` of so many values in all.
    static std::string items(std::string_view item, std::size_t values) {
        std::string text = R"({"items":[)";
        for (std::size_t i = 2; i < values; ++i)
            text.append(i == 2 ? "" : ",").append(item);
        return text + "]}";
    }

    static nlohmann::json asOther(const JsonValue& value) {
        switch (value.kind()) {
        case JsonKind::Null:
            return nullptr;
        case JsonKind::False:
        case JsonKind::True:
            return value.boolean();
        case JsonKind::Integer:
            return value.integer();
        case JsonKind::Number:
            return nlohmann::json::parse(value.number());
        case JsonKind::Text:
            return std::string(value.text());
        case JsonKind::Array: {
            auto array = nlohmann::json::array();
            for (const JsonValue element : value.array())
                array.push_back(asOther(element));
            CPPUNIT_ASSERT_EQUAL(value.array().size(), array.size());
            return array;
        }
        case JsonKind::Object:
            break;
        }
        auto object = nlohmann::json::object();
        for (const auto& [name, member] : value.object())
            object[std::string(name)] = asOther(member);
        CPPUNIT_ASSERT_EQUAL(value.object().size(), object.size());
        return object;
    }

    /// A text of random values, with escapes here and there.
    static void appendRandom(std::string& out, std::mt19937& random, int depth) {
        static constexpr std::array TEXTS{R"("")",       R"("x")",         R"("\u0041\n")", R"("\ud83d\udc90 \\ \" é")",
                                          R"("\"\"\"")", R"("a\\\\b\\c")", R"("💐 \/")",     R"("\u00e9tage")"};
        static constexpr std::array SCALARS{
            "0",     "-0",   "-17", "9223372036854775807", "9223372036854775808", "1.50", "-1e-3", "5E+20", "true",
            "false", "null", "0.5"};
        const auto pick = [&random](const auto& from) { return from[random() % from.size()]; };
        const auto kind = random() % (depth > 5 ? 2 : 4);
        if (kind == 0) {
            out += pick(TEXTS);
        } else if (kind == 1) {
            out += pick(SCALARS);
        } else {
            const std::size_t size = random() % (random() % 20 == 0 ? 60 : 6);
            out += kind == 2 ? "[ " : "{";
            for (std::size_t i = 0; i < size; ++i) {
                out += i == 0 ? "" : ",";
                if (kind == 3)
                    out += "\"k\\u0065y\\\"" + std::to_string(i) + "\" : ";
                appendRandom(out, random, depth + 1);
            }
            out += kind == 2 ? "]" : " }";
        }
    }

    static bool hasNul(const ApiError& error) { return error.message().find("U+0000") != std::string::npos; }
};

TEST(JsonBodyTest, everyKindOfValueIsRead) {
    const JsonDocument body =
        parseJsonObject(R"( {"i": -5, "d": 0.0850, "t": true, "f": false, "n": null, "s": "x", "o": {"a": 1},
                           "l": [1, [2], {"b": "c"}, null]} )");
    CPPUNIT_ASSERT_EQUAL(std::int64_t{-5}, body.get("i").integer());
    CPPUNIT_ASSERT_EQUAL(std::string("0.0850"), std::string(body.get("d").number()));
    CPPUNIT_ASSERT(body.get("t").boolean() && !body.get("f").boolean());
    CPPUNIT_ASSERT(body.object().has("n") && body.get("n").isNull());
    CPPUNIT_ASSERT_EQUAL(std::string("x"), std::string(body.get("s").text()));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, body.get("o").object().get("a").integer());
    const JsonArray list = body.get("l").array();
    CPPUNIT_ASSERT_EQUAL(std::size_t{4}, list.size());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, list.at(1).array().at(0).integer());
    CPPUNIT_ASSERT_EQUAL(std::string("c"), std::string(list.at(2).object().get("b").text()));
    CPPUNIT_ASSERT(list.at(3).isNull());
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, parseJsonObject("{}").object().size());
}

TEST(JsonBodyTest, numbersAreKeptAsTheyStood) {
    const JsonDocument body = parseJsonObject(
        R"({"a": 9223372036854775807, "b": -9223372036854775808, "c": 9223372036854775808,
            "d": 18446744073709551616, "e": 5.0, "f": 1E2, "g": 9007199254740993, "h": -9223372036854775809,
            "i": 0.1000000000000000055511151231257827, "j": -0})");
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9223372036854775807}, body.get("a").integer());
    CPPUNIT_ASSERT_EQUAL(std::numeric_limits<std::int64_t>::min(), body.get("b").integer());
    CPPUNIT_ASSERT_EQUAL(std::string("9223372036854775808"), std::string(body.get("c").number()));
    CPPUNIT_ASSERT_EQUAL(std::string("18446744073709551616"), std::string(body.get("d").number()));
    CPPUNIT_ASSERT_EQUAL(std::string("5.0"), std::string(body.get("e").number()));
    CPPUNIT_ASSERT_EQUAL(std::string("1E2"), std::string(body.get("f").number()));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{9007199254740993}, body.get("g").integer());
    CPPUNIT_ASSERT_EQUAL(std::string("-9223372036854775809"), std::string(body.get("h").number()));
    CPPUNIT_ASSERT_EQUAL(std::string("0.1000000000000000055511151231257827"), std::string(body.get("i").number()));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, body.get("j").integer());
}

TEST(JsonBodyTest, numberThatNoDoubleHoldsIsKeptAsItStood) {
    const std::string digits(400, '7');
    for (const std::string& number :
         {std::string("1e400"), std::string("-1e400"), std::string("1e-400"), std::string("1.5E+99999"), digits,
          "-" + digits, digits + ".5", digits + "e" + digits, "0." + digits}) {
        const JsonDocument body = parseJsonObject("{\"a\": " + number + ", \"items\": [" + number + ", 5]}");
        CPPUNIT_ASSERT_EQUAL(number, std::string(body.get("a").number()));
        CPPUNIT_ASSERT_EQUAL(number, std::string(body.get("items").array().at(0).number()));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, body.get("items").array().at(1).integer());
    }
}

TEST(JsonBodyTest, whatIsNoNumberStaysRefusedWhateverItsSize) {
    const std::string digits(400, '7');
    for (const std::string& number :
         {std::string("01e400"), std::string("1e"), std::string("1e+"), std::string("1e400."), std::string("1e400e1"),
          std::string(".5e400"), std::string("-e400"), std::string("--1e400"), std::string("+1e400"), "0" + digits,
          "-0" + digits, digits + ".", digits + "x", digits + ".e1"})
        CPPUNIT_ASSERT_MESSAGE(
            number, mustRefuse("{\"a\": " + number + "}").message().starts_with("the body is not valid JSON: "));
}

TEST(JsonBodyTest, textIsDecoded) {
    const JsonDocument body = parseJsonObject(R"({"a\u00e9": "\ud83d\udc90 \n\"\\\/ €"})");
    CPPUNIT_ASSERT_EQUAL(std::string("💐 \n\"\\/ €"), std::string(body.get("aé").text()));
}

TEST(JsonBodyTest, bodyThatIsNoObjectIsToldSo) {
    for (const char* text : {"[]", "[1, 2", "5", "\"x\"", "null", "true", "1.5", " [{\"a\": 1}]"}) {
        const ApiError error = mustRefuse(text);
        CPPUNIT_ASSERT_EQUAL(std::string(NOT_AN_OBJECT), error.message());
        CPPUNIT_ASSERT_EQUAL(std::string("type"), error.details()[0].code);
        CPPUNIT_ASSERT_EQUAL(std::string(), error.details()[0].field);
    }
}

TEST(JsonBodyTest, malformedBodyIsRefusedWithItsPlace) {
    const ApiError error = mustRefuse(R"({"a": tru})");
    CPPUNIT_ASSERT_EQUAL(std::string("the body is not valid JSON: invalid literal at byte 10"), error.message());
    CPPUNIT_ASSERT_EQUAL(std::string("type"), error.details()[0].code);
    CPPUNIT_ASSERT_EQUAL(std::string(), error.details()[0].field);
    for (const char* text : {"",
                             " ",
                             "{",
                             "{\"a\"",
                             "{\"a\":",
                             "{\"a\": 1",
                             "{\"a\": 1,}",
                             "{\"a\": 1} {}",
                             "{} x",
                             "{a: 1}",
                             "{'a': 1}",
                             "{\"a\": 01}",
                             "{\"a\": .5}",
                             "{\"a\": 1.}",
                             "{\"a\": +1}",
                             "{\"a\": NaN}",
                             "{\"a\": 1} // no",
                             "{\"a\": \"\t\"}",
                             "{\"a\": [1,]}",
                             "{\"a\" 1}"}) {
        CPPUNIT_ASSERT_MESSAGE(text, mustRefuse(text).message().starts_with("the body is not valid JSON: "));
        CPPUNIT_ASSERT(mustRefuse(text).message().find(" at byte ") != std::string::npos);
    }
}

TEST(JsonBodyTest, nothingOfTheBodyIsEchoed) {
    const ApiError error = mustRefuse("{\"secret\": \"hunter2" + std::string(100'000, 'x'));
    CPPUNIT_ASSERT(error.message().find("hunter2") == std::string::npos);
    CPPUNIT_ASSERT(error.message().size() < 200);
}

TEST(JsonBodyTest, duplicateKeyIsRefusedWithItsPath) {
    const ApiError error = mustRefuse(R"({"items": [{"sku": "A"}, {"sku": "B", "s\u006bu": "C"}]})");
    CPPUNIT_ASSERT_EQUAL(std::string("items[1].sku"), error.details()[0].field);
    CPPUNIT_ASSERT_EQUAL(std::string("duplicate"), error.details()[0].code);
    CPPUNIT_ASSERT_EQUAL(std::string("'items[1].sku' is given twice in one object at byte 48"), error.message());
    CPPUNIT_ASSERT_EQUAL(std::string("a"), mustRefuse(R"({"a": null, "a": null})").details()[0].field);
    const std::string longName(100'000, 'n');
    mustRefuse("{\"" + longName + "\": 1, \"" + longName + "\": 2}");
}

TEST(JsonBodyTest, sameKeyInDifferentObjectsIsNoDuplicate) {
    parseJsonObject(R"({"a": {"a": [{"a": 1}, {"a": 2}]}, "A": 1, "b": {"a": 1}})");
}

TEST(JsonBodyTest, nulIsRefusedEverywhere) {
    const ApiError error = mustRefuse(R"({"variants": [{"name": "a\u0000b"}]})");
    CPPUNIT_ASSERT_EQUAL(std::string("variants[0].name"), error.details()[0].field);
    mustRefuse(R"({"price\u0000x": 1})");
    mustRefuse(std::string_view("{\"a\": \"\0\"}", 10));
    mustRefuse(std::string_view("{}\0", 3));
    mustRefuse(std::string_view("\0", 1));
    mustRefuse(std::string_view("{}\0{\"a\": 1}", 11));
}

TEST(JsonBodyTest, loneSurrogatesAndBadUtf8AreRefused) {
    for (const char* text :
         {R"({"a": "\ud800"})", R"({"a": "\udc00"})", R"({"a": "\ud800\u0041"})", R"({"a": "\ud800\ud800"})",
          R"({"\ud83d": 1})", "{\"a\": \"\xff\"}", "{\"a\": \"\xc0\xaf\"}", "{\"a\": \"\xed\xa0\x80\"}",
          "{\"a\": \"\xf4\x90\x80\x80\"}", "{\"\xe9\": 1}", "{\"a\": \"caf\xe9\"}", "{\"a\": 1\xe9}"})
        mustRefuse(text);
}

TEST(JsonBodyTest, depthIsLimited) {
    CPPUNIT_ASSERT(!refusal(nested(64)));
    const ApiError error = mustRefuse(nested(65));
    CPPUNIT_ASSERT(error.message().find("64 levels") != std::string::npos);
    mustRefuse(R"({"a": )" + std::string(64, '[') + std::string(64, ']') + "}");
    CPPUNIT_ASSERT(!refusal(R"({"a": )" + std::string(63, '[') + std::string(63, ']') + "}"));
}

TEST(JsonBodyTest, veryDeepBodiesCostNothing) {
    std::string open;
    for (int i = 0; i < 100'000; ++i)
        open += R"({"a":)";
    mustRefuse(open);
    mustRefuse(R"({"a":)" + std::string(1'000'000, '['));
}

TEST(JsonBodyTest, duplicateKeyIsFoundAmongManyAtOnce) {
    for (const std::size_t count : {1, 15, 16, 17, 18, 63, 64, 65, 1'000, 49'998}) {
        std::string text = manyKeys(count);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(count), !refusal(text));
        CPPUNIT_ASSERT_EQUAL(count, parseJsonObject(text).object().size());
        text.back() = ',';
        const ApiError error = mustRefuse(text + "\"k\\u0030\":1, \"never\": read");
        CPPUNIT_ASSERT_EQUAL(std::string("duplicate"), error.details()[0].code);
        CPPUNIT_ASSERT_EQUAL(std::string("k0"), error.details()[0].field);
        CPPUNIT_ASSERT(error.message().ends_with("at byte " + std::to_string(text.size() + 9)));
    }
    // Others within it, and the values of a few that are large themselves.
    const std::string nestedKeys = R"({"a":)" + manyKeys(40) + R"(,"b":[)" + manyKeys(40) + "," + manyKeys(3) + "]}";
    CPPUNIT_ASSERT(!refusal(nestedKeys));
    CPPUNIT_ASSERT_EQUAL(std::string("b[1].k1"),
                         mustRefuse(R"({"a":)" + manyKeys(40) + R"(,"b":[)" + manyKeys(40) + R"(,{"k1":0,"k1":0}]})")
                             .details()[0]
                             .field);
}

TEST(JsonBodyTest, valuesAreLimited) {
    for (const char* item : {"{}", "[]", "\"\"", "1.0", "7", "null", "true"}) {
        CPPUNIT_ASSERT_MESSAGE(item, !refusal(items(item, MAX_BODY_VALUES)));
        const ApiError error = mustRefuse(items(item, MAX_BODY_VALUES + 1));
        CPPUNIT_ASSERT_EQUAL(std::string("too_many"), error.details()[0].code);
        CPPUNIT_ASSERT_EQUAL(std::string(), error.details()[0].field);
        CPPUNIT_ASSERT(error.message().starts_with("the body has more than 50000 values at byte "));
        CPPUNIT_ASSERT_EQUAL(MAX_BODY_VALUES, parseJson(items(item, MAX_BODY_VALUES + 2)).get("items").array().size());
    }
    CPPUNIT_ASSERT(!refusal(manyKeys(MAX_BODY_VALUES - 1)));
    CPPUNIT_ASSERT_EQUAL(std::string("too_many"), mustRefuse(manyKeys(MAX_BODY_VALUES)).details()[0].code);
}

TEST(JsonBodyTest, whatIsReadIsWhatAnotherReaderReads) {
    std::mt19937 random(20261122); // NOLINT(cert-msc32-c,cert-msc51-cpp): a test that repeats
    for (int round = 0; round < 2'000; ++round) {
        std::string text = R"({"all": [)";
        appendRandom(text, random, 0);
        text += "]}";
        const JsonDocument document = parseJson(text);
        CPPUNIT_ASSERT_EQUAL(nlohmann::json::parse(text).dump(), asOther(document.root()).dump());
    }
}

TEST(JsonBodyTest, documentLivesAsLongAsACopyOfIt) {
    JsonDocument copy;
    JsonValue value;
    {
        const JsonDocument document = parseJsonObject(R"({"a": {"b": "Ro\u0073e"}})");
        copy = document.part(document.get("a"));
        value = copy.get("b");
    }
    CPPUNIT_ASSERT_EQUAL(std::string("Rose"), std::string(value.text()));
    CPPUNIT_ASSERT(JsonDocument().root().isNull());
    CPPUNIT_ASSERT(JsonObject().empty() && !JsonObject().has("a") && JsonArray().empty());
    CPPUNIT_ASSERT(JsonObject().begin() == JsonObject().end());
}

TEST(JsonBodyTest, valueThatIsSomethingElseIsRefused) {
    const JsonDocument body = parseJsonObject(R"({"text": "5", "integer": 5, "number": 5.0})");
    CPPUNIT_ASSERT_THROW(body.get("text").integer(), std::logic_error);
    CPPUNIT_ASSERT_THROW(body.get("number").integer(), std::logic_error);
    CPPUNIT_ASSERT_THROW(body.get("integer").text(), std::logic_error);
    CPPUNIT_ASSERT_THROW(body.get("integer").boolean(), std::logic_error);
    CPPUNIT_ASSERT_THROW(body.get("text").number(), std::logic_error);
    CPPUNIT_ASSERT_THROW(body.get("absent").object(), std::logic_error);
    CPPUNIT_ASSERT_THROW(body.array(), std::logic_error);
    CPPUNIT_ASSERT_THROW(parseJson("[1]").array().at(1), std::out_of_range);
    CPPUNIT_ASSERT(body.get("absent").isNull() && !body.object().find("absent"));
}

TEST(JsonBodyTest, textOfAFileMayBeAnArray) {
    const JsonDocument array = parseJson(R"([{"a":1},[2],"x",null])");
    CPPUNIT_ASSERT_EQUAL(std::size_t{4}, array.array().size());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, array.array().at(0).object().get("a").integer());
    CPPUNIT_ASSERT(parseJson("{}").root().isObject());
    CPPUNIT_ASSERT_EQUAL(std::string(NOT_AN_OBJECT), mustRefuse("[]").message());
}

TEST(JsonBodyTest, problemOfAFileHasItsByte) {
    const auto problem = [](std::string_view text) {
        try {
            parseJson(std::string(text));
        } catch (const JsonError& error) {
            return error.detail().field + " " + error.detail().code + " " + std::to_string(error.byte()) + " " +
                   error.what();
        }
        return std::string("accepted");
    };
    CPPUNIT_ASSERT_EQUAL(std::string("[1].a duplicate 15 '[1].a' is given twice in one object"),
                         problem(R"([{},{"a":1, "a":2}])").substr(0, 55));
    CPPUNIT_ASSERT(problem("[1,\n x]").starts_with(" type 6 the text is not valid JSON: "));
    CPPUNIT_ASSERT_EQUAL(std::string(" type 0 the text must be a JSON object or array"), problem("5"));
    CPPUNIT_ASSERT(problem("").starts_with(" type 1 the text is not valid JSON: "));
}

TEST(JsonBodyTest, mutatedBodiesAreReadOrRefusedAndNothingElse) {
    const std::string body = R"({"name": "Rosa \u00e9 \ud83d\udc90 💐", "base_price": 0.0850, "stock_qty": -12e+3,
        "variants": [{"sku": "A\\B", "on": true}, {"id": 18446744073709551617, "x": null}, []]})";
    std::mt19937 random(20261120); // NOLINT(cert-msc32-c,cert-msc51-cpp): a test that repeats
    std::size_t read = 0;
    for (int round = 0; round < 50'000; ++round) {
        std::string mutant = body.substr(0, random() % 8 == 0 ? random() % body.size() : body.size());
        for (std::size_t i = random() % 4; i > 0 && !mutant.empty(); --i) {
            const std::size_t at = random() % mutant.size();
            if (random() % 2 == 0)
                mutant[at] = static_cast<char>(random() % 256);
            else
                mutant.insert(at, body, random() % body.size(), random() % 9);
        }
        read += refusal(mutant) ? 0U : 1U; // any other exception fails the test
    }
    CPPUNIT_ASSERT(read > 1'000 && read < 49'000);
}

TEST(JsonBodyTest, corpusOfJsonTexts) {
    const fs::path folder = fs::path(sourcePath("../shared/corpora/json-suite"));
    if (!fs::exists(folder / "open.tsv")) {
        throw Skip("there is no " + folder.string());
    }
    std::size_t accepted = 0;
    std::size_t rejected = 0;
    for (const CorpusCase& entry : corpus(folder)) {
        const std::string text = contentOf(folder / "open" / entry.file);
        const std::optional<ApiError> error = refusal(text);
        const bool isObject = !error || error->message() != NOT_AN_OBJECT;
        if (entry.expect == "accept" && isObject) {
            // Duplicate keys are JSON, but not for us.
            const bool isDuplicate = error && error->details()[0].code == "duplicate";
            CPPUNIT_ASSERT_MESSAGE("refused: " + entry.file, !error || isDuplicate || hasNul(*error));
            ++accepted;
        } else if (entry.expect.starts_with("reject") && !isRefusedByFieldRules(entry)) {
            CPPUNIT_ASSERT_MESSAGE("accepted: " + entry.file, error.has_value());
            ++rejected;
        }
    }
    CPPUNIT_ASSERT_MESSAGE("the corpus has too few objects", accepted > 10);
    CPPUNIT_ASSERT_MESSAGE("the corpus has too few bad texts", rejected > 100);
}

} // namespace supplierd::tests
