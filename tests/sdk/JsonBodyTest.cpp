#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>

#include <Poco/JSON/Array.h>

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
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
        parseJsonObject(text);
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
    CPPUNIT_TEST_SUITE(JsonBodyTest);
    CPPUNIT_TEST(testEveryKindOfValueIsRead);
    CPPUNIT_TEST(testNumbersAreKeptAsTheyStood);
    CPPUNIT_TEST(testNumberThatNoDoubleHoldsIsKeptAsItStood);
    CPPUNIT_TEST(testWhatIsNoNumberStaysRefusedWhateverItsSize);
    CPPUNIT_TEST(testTextIsDecoded);
    CPPUNIT_TEST(testBodyThatIsNoObjectIsToldSo);
    CPPUNIT_TEST(testMalformedBodyIsRefusedWithItsPlace);
    CPPUNIT_TEST(testNothingOfTheBodyIsEchoed);
    CPPUNIT_TEST(testDuplicateKeyIsRefusedWithItsPath);
    CPPUNIT_TEST(testSameKeyInDifferentObjectsIsNoDuplicate);
    CPPUNIT_TEST(testNulIsRefusedEverywhere);
    CPPUNIT_TEST(testLoneSurrogatesAndBadUtf8AreRefused);
    CPPUNIT_TEST(testDepthIsLimited);
    CPPUNIT_TEST(testVeryDeepBodiesCostNothing);
    CPPUNIT_TEST(testTextOfAFileMayBeAnArray);
    CPPUNIT_TEST(testProblemOfAFileHasItsByte);
    CPPUNIT_TEST(testMutatedBodiesAreReadOrRefusedAndNothingElse);
    CPPUNIT_TEST(testCorpusOfJsonTexts);
    CPPUNIT_TEST_SUITE_END();

    void testEveryKindOfValueIsRead() {
        const Poco::JSON::Object::Ptr body =
            parseJsonObject(R"( {"i": -5, "d": 0.0850, "t": true, "f": false, "n": null, "s": "x", "o": {"a": 1},
                               "l": [1, [2], {"b": "c"}, null]} )");
        CPPUNIT_ASSERT_EQUAL(Poco::Int64{-5}, body->get("i").extract<Poco::Int64>());
        CPPUNIT_ASSERT_EQUAL(std::string("0.0850"), body->get("d").extract<JsonNumber>().text);
        CPPUNIT_ASSERT(body->get("t").extract<bool>() && !body->get("f").extract<bool>());
        CPPUNIT_ASSERT(body->has("n") && body->get("n").isEmpty());
        CPPUNIT_ASSERT_EQUAL(std::string("x"), body->get("s").extract<std::string>());
        CPPUNIT_ASSERT_EQUAL(Poco::Int64{1}, body->getObject("o")->get("a").extract<Poco::Int64>());
        const Poco::JSON::Array::Ptr list = body->getArray("l");
        CPPUNIT_ASSERT_EQUAL(std::size_t{4}, list->size());
        CPPUNIT_ASSERT_EQUAL(Poco::Int64{2}, list->getArray(1)->get(0).extract<Poco::Int64>());
        CPPUNIT_ASSERT_EQUAL(std::string("c"), list->getObject(2)->get("b").extract<std::string>());
        CPPUNIT_ASSERT(list->get(3).isEmpty());
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, parseJsonObject("{}")->size());
    }

    void testNumbersAreKeptAsTheyStood() {
        const Poco::JSON::Object::Ptr body = parseJsonObject(
            R"({"a": 9223372036854775807, "b": -9223372036854775808, "c": 9223372036854775808,
                "d": 18446744073709551616, "e": 5.0, "f": 1E2, "g": 9007199254740993, "h": -9223372036854775809,
                "i": 0.1000000000000000055511151231257827, "j": -0})");
        CPPUNIT_ASSERT_EQUAL(Poco::Int64{9223372036854775807}, body->get("a").extract<Poco::Int64>());
        CPPUNIT_ASSERT_EQUAL(std::numeric_limits<Poco::Int64>::min(), body->get("b").extract<Poco::Int64>());
        CPPUNIT_ASSERT_EQUAL(std::string("9223372036854775808"), body->get("c").extract<JsonNumber>().text);
        CPPUNIT_ASSERT_EQUAL(std::string("18446744073709551616"), body->get("d").extract<JsonNumber>().text);
        CPPUNIT_ASSERT_EQUAL(std::string("5.0"), body->get("e").extract<JsonNumber>().text);
        CPPUNIT_ASSERT_EQUAL(std::string("1E2"), body->get("f").extract<JsonNumber>().text);
        CPPUNIT_ASSERT_EQUAL(Poco::Int64{9007199254740993}, body->get("g").extract<Poco::Int64>());
        CPPUNIT_ASSERT_EQUAL(std::string("-9223372036854775809"), body->get("h").extract<JsonNumber>().text);
        CPPUNIT_ASSERT_EQUAL(std::string("0.1000000000000000055511151231257827"),
                             body->get("i").extract<JsonNumber>().text);
        CPPUNIT_ASSERT_EQUAL(Poco::Int64{0}, body->get("j").extract<Poco::Int64>());
    }

    void testNumberThatNoDoubleHoldsIsKeptAsItStood() {
        const std::string digits(400, '7');
        for (const std::string& number :
             {std::string("1e400"), std::string("-1e400"), std::string("1e-400"), std::string("1.5E+99999"), digits,
              "-" + digits, digits + ".5", digits + "e" + digits, "0." + digits}) {
            const Poco::JSON::Object::Ptr body =
                parseJsonObject("{\"a\": " + number + ", \"items\": [" + number + ", 5]}");
            CPPUNIT_ASSERT_EQUAL(number, body->get("a").extract<JsonNumber>().text);
            CPPUNIT_ASSERT_EQUAL(number, body->getArray("items")->get(0).extract<JsonNumber>().text);
            CPPUNIT_ASSERT_EQUAL(Poco::Int64{5}, body->getArray("items")->get(1).extract<Poco::Int64>());
        }
    }

    void testWhatIsNoNumberStaysRefusedWhateverItsSize() {
        const std::string digits(400, '7');
        for (const std::string& number :
             {std::string("01e400"), std::string("1e"), std::string("1e+"), std::string("1e400."),
              std::string("1e400e1"), std::string(".5e400"), std::string("-e400"), std::string("--1e400"),
              std::string("+1e400"), "0" + digits, "-0" + digits, digits + ".", digits + "x", digits + ".e1"})
            CPPUNIT_ASSERT_MESSAGE(
                number, mustRefuse("{\"a\": " + number + "}").message().starts_with("the body is not valid JSON: "));
    }

    void testTextIsDecoded() {
        const Poco::JSON::Object::Ptr body = parseJsonObject(R"({"a\u00e9": "\ud83d\udc90 \n\"\\\/ €"})");
        CPPUNIT_ASSERT_EQUAL(std::string("💐 \n\"\\/ €"), body->get("aé").extract<std::string>());
    }

    void testBodyThatIsNoObjectIsToldSo() {
        for (const char* text : {"[]", "[1, 2", "5", "\"x\"", "null", "true", "1.5", " [{\"a\": 1}]"}) {
            const ApiError error = mustRefuse(text);
            CPPUNIT_ASSERT_EQUAL(std::string(NOT_AN_OBJECT), error.message());
            CPPUNIT_ASSERT_EQUAL(std::string("type"), error.details()[0].code);
            CPPUNIT_ASSERT_EQUAL(std::string(), error.details()[0].field);
        }
    }

    void testMalformedBodyIsRefusedWithItsPlace() {
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

    void testNothingOfTheBodyIsEchoed() {
        const ApiError error = mustRefuse("{\"secret\": \"hunter2" + std::string(100'000, 'x'));
        CPPUNIT_ASSERT(error.message().find("hunter2") == std::string::npos);
        CPPUNIT_ASSERT(error.message().size() < 200);
    }

    void testDuplicateKeyIsRefusedWithItsPath() {
        const ApiError error = mustRefuse(R"({"items": [{"sku": "A"}, {"sku": "B", "s\u006bu": "C"}]})");
        CPPUNIT_ASSERT_EQUAL(std::string("items[1].sku"), error.details()[0].field);
        CPPUNIT_ASSERT_EQUAL(std::string("duplicate"), error.details()[0].code);
        CPPUNIT_ASSERT_EQUAL(std::string("'items[1].sku' is given twice in one object at byte 48"), error.message());
        CPPUNIT_ASSERT_EQUAL(std::string("a"), mustRefuse(R"({"a": null, "a": null})").details()[0].field);
        const std::string longName(100'000, 'n');
        mustRefuse("{\"" + longName + "\": 1, \"" + longName + "\": 2}");
    }

    void testSameKeyInDifferentObjectsIsNoDuplicate() {
        parseJsonObject(R"({"a": {"a": [{"a": 1}, {"a": 2}]}, "A": 1, "b": {"a": 1}})");
    }

    void testNulIsRefusedEverywhere() {
        const ApiError error = mustRefuse(R"({"variants": [{"name": "a\u0000b"}]})");
        CPPUNIT_ASSERT_EQUAL(std::string("variants[0].name"), error.details()[0].field);
        mustRefuse(R"({"price\u0000x": 1})");
        mustRefuse(std::string_view("{\"a\": \"\0\"}", 10));
        mustRefuse(std::string_view("{}\0", 3));
        mustRefuse(std::string_view("\0", 1));
        mustRefuse(std::string_view("{}\0{\"a\": 1}", 11));
    }

    void testLoneSurrogatesAndBadUtf8AreRefused() {
        for (const char* text :
             {R"({"a": "\ud800"})", R"({"a": "\udc00"})", R"({"a": "\ud800\u0041"})", R"({"a": "\ud800\ud800"})",
              R"({"\ud83d": 1})", "{\"a\": \"\xff\"}", "{\"a\": \"\xc0\xaf\"}", "{\"a\": \"\xed\xa0\x80\"}",
              "{\"a\": \"\xf4\x90\x80\x80\"}", "{\"\xe9\": 1}", "{\"a\": \"caf\xe9\"}", "{\"a\": 1\xe9}"})
            mustRefuse(text);
    }

    void testDepthIsLimited() {
        CPPUNIT_ASSERT(!refusal(nested(64)));
        const ApiError error = mustRefuse(nested(65));
        CPPUNIT_ASSERT(error.message().find("64 levels") != std::string::npos);
        mustRefuse(R"({"a": )" + std::string(64, '[') + std::string(64, ']') + "}");
        CPPUNIT_ASSERT(!refusal(R"({"a": )" + std::string(63, '[') + std::string(63, ']') + "}"));
    }

    void testVeryDeepBodiesCostNothing() {
        std::string open;
        for (int i = 0; i < 100'000; ++i)
            open += R"({"a":)";
        mustRefuse(open);
        mustRefuse(R"({"a":)" + std::string(1'000'000, '['));
    }

    void testMutatedBodiesAreReadOrRefusedAndNothingElse() {
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

    void testCorpusOfJsonTexts() {
        const fs::path folder = fs::path(SUPPLIERD_TEST_SOURCE_DIR) / "../shared/corpora/json-suite";
        if (!fs::exists(folder / "open.tsv")) {
            std::cout << "skipped, there is no " << folder << ": ";
            return;
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

    void testTextOfAFileMayBeAnArray() {
        const auto array = parseJson(R"([{"a":1},[2],"x",null])").extract<Poco::JSON::Array::Ptr>();
        CPPUNIT_ASSERT_EQUAL(std::size_t{4}, array->size());
        CPPUNIT_ASSERT_EQUAL(Poco::Int64{1}, array->getObject(0)->getValue<Poco::Int64>("a"));
        CPPUNIT_ASSERT(parseJson("{}").type() == typeid(Poco::JSON::Object::Ptr));
        CPPUNIT_ASSERT_EQUAL(std::string(NOT_AN_OBJECT), mustRefuse("[]").message());
    }

    void testProblemOfAFileHasItsByte() {
        const auto problem = [](std::string_view text) {
            try {
                parseJson(text);
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

    static bool hasNul(const ApiError& error) { return error.message().find("U+0000") != std::string::npos; }
};

CPPUNIT_TEST_SUITE_REGISTRATION(JsonBodyTest);

} // namespace supplierd::tests
