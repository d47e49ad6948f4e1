#include "tests/support/Places.h"
#include "tests/support/SupplierClient.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"

#include <Poco/String.h>
#include <Poco/StringTokenizer.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

struct SuiteFile {
    std::string name;
    std::string expected;
    std::string text;
};

std::vector<SuiteFile> jsonSuite() {
    const std::filesystem::path folder = sourcePath("../shared/corpora/json-suite");
    std::ifstream verdicts(folder / "open.tsv");
    std::vector<SuiteFile> files;
    if (!verdicts)
        throw Skip("there is no ../shared/corpora/json-suite");
    std::string line;
    std::getline(verdicts, line);
    while (std::getline(verdicts, line)) {
        const Poco::StringTokenizer fields(line, "\t");
        files.push_back({fields[0], fields[3], readWholeFile(folder / "open" / fields[0])});
    }
    return files;
}

/// The suite's placeholders as the API's fields, and what else a product needs.
std::string asProduct(const std::string& text, std::int64_t category) {
    auto body = Poco::replace(text, std::string("\"price\""), std::string("\"base_price\""));
    body = Poco::replace(body, std::string("\"stock\""), std::string("\"stock_qty\""));
    const auto brace = body.find('{');
    return body.substr(0, brace + 1) + "\"unit\":\"stem\",\"category_id\":" + std::to_string(category) + "," +
           body.substr(brace + 1);
}

} // namespace

/// JSONTestSuite and bodies for this API, each with its verdict, sent to a running server.
class JsonSuiteTest : public CppUnit::TestFixture {};

TEST(JsonSuiteTest, everyFileIsTakenOrRefusedAsAnEnvelope) {
    SupplierClient client;
    for (const auto& file : jsonSuite()) {
        const auto response = client.postText("/products", file.text);
        CPPUNIT_ASSERT_MESSAGE(file.name + ": " + response.statusLine, response.status < 500);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(file.name, response.status < 300, response.json().at("success").get<bool>());
        const bool isRefusedAsJson = response.body.find("valid JSON") != std::string::npos;
        if (file.name.starts_with("n_") && file.expected.starts_with("reject"))
            CPPUNIT_ASSERT_MESSAGE(file.name + response.body, response.status >= 400);
        if (file.name.starts_with("y_"))
            CPPUNIT_ASSERT_MESSAGE(file.name + response.body, !isRefusedAsJson);
    }
}

TEST(JsonSuiteTest, bodiesForThisApiGetTheirVerdicts) {
    // Pictures have a field of another form, and tests of their own.
    constexpr std::string_view PICTURES = "own_imgs";
    SupplierClient client;
    const auto category = client.productBody().at("category_id").get<std::int64_t>();
    for (const auto& file : jsonSuite()) {
        if (!file.name.starts_with("own_") || file.name.starts_with(PICTURES))
            continue;
        const bool isObject = Poco::trimLeft(file.text).starts_with("{\"");
        const auto response = client.postText("/products", isObject ? asProduct(file.text, category) : file.text);
        const auto said =
            file.name + " (" + file.expected + "): " + response.statusLine + " " + response.body.substr(0, 500);
        CPPUNIT_ASSERT_MESSAGE(said, response.status < 500);
        if (file.expected.starts_with("reject"))
            CPPUNIT_ASSERT_MESSAGE(said, response.status >= 400);
        if (file.expected == "accept")
            CPPUNIT_ASSERT_EQUAL_MESSAGE(said, 201, response.status);
    }
}

} // namespace supplierd::tests
