#include "ReferencePage.h"

#include "tests/support/Test.h"

#include <nlohmann/json.hpp>

#include <string>

namespace supplierd::tests {

namespace {

using json = nlohmann::ordered_json;

json operation() {
    return json::parse(
        R"({"operationId": "readRose", "tags": ["Roses"], "summary": "Read a rose", "x-scope": "roses:read",
        "security": [{"apiKey": ["roses:read"]}],
        "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 7}}],
        "responses": {"200": {"description": "It.", "content": {"application/json": {"schema": {"type": "object",
            "properties": {"data": {"$ref": "#/components/schemas/Rose"}}}}}}}})");
}

/// A document with this operation, "/roses/{id}", and this schema "Rose".
json documentOf(const json& operation, const char* rose = R"({"type": "object"})", const char* method = "get") {
    json document = {{"servers", {{{"url", "/api/v1/supplier"}}}},
                     {"security", {{{"apiKey", json::array()}}}},
                     {"tags", {{{"name", "Roses"}, {"description", "All **red**."}}}},
                     {"paths", {{"/roses/{id}", {{method, operation}}}}},
                     {"components", {{"schemas", {{"Rose", json::parse(rose)}}}}},
                     {"x-scopes", {{"roses:read", "Read roses"}}}};
    return document;
}

std::string contentOf(const json& operation, const char* rose = R"({"type": "object"})", const char* method = "get") {
    return apidocs::referencePage(documentOf(operation, rose, method).dump()).content;
}

void requireText(const std::string& text, const std::string& page) {
    CPPUNIT_ASSERT_MESSAGE(text + " is not in:\n" + page, page.find(text) != std::string::npos);
}

void requireNoText(const std::string& text, const std::string& page) {
    CPPUNIT_ASSERT_MESSAGE(text + " is in:\n" + page, page.find(text) == std::string::npos);
}

} // namespace

/// The reference of a document, of whatever plugins.
class ReferencePageTest : public CppUnit::TestFixture {};

TEST(ReferencePageTest, operationNamesItsPermissionAndLimit) {
    const std::string page = contentOf(operation());
    requireText("<dt>Permission</dt><dd><code>roses:read</code>: Read roses.", page);
    requireText("<dt>Limit</dt>", page);
    requireText("<strong>red</strong>", page);
    auto open = operation();
    open["security"] = json::array();
    open.erase("x-scope");
    requireText("None. This operation needs no key.", contentOf(open));
    requireNoText("Bearer", contentOf(open));
}

TEST(ReferencePageTest, publicOperationWithAScopeNeedsAKey) {
    auto open = operation();
    open["security"] = json::array();
    open["x-limit"] = "address";
    requireText("<dd><code>roses:read</code>: Read roses.", contentOf(open));
    requireText("Bearer", contentOf(open));
    requireText("<dt>Limit</dt><dd>Requests are counted for each IP address.", contentOf(open));
    open["x-limit"] = "none";
    requireText("<dt>Limit</dt><dd>None.", contentOf(open));
}

TEST(ReferencePageTest, schemeOfAPluginIsNoKey) {
    auto own = operation();
    own.erase("x-scope");
    own["security"] = {{{"signedLink", json::array()}}};
    requireText("<dd>This operation uses <code>signedLink</code> instead of a key.", contentOf(own));
    requireNoText("Bearer", contentOf(own));
    own["x-permission"] = "A person who has `signed in`.";
    requireText("<dd>A person who has <code>signed in</code>.", contentOf(own));
}

TEST(ReferencePageTest, commonErrorHasItsStatus) {
    auto one = operation();
    one["responses"]["400"]["$ref"] = "#/components/responses/BadRequest";
    json document = documentOf(one);
    document["components"]["responses"]["BadRequest"]["description"] = "Wrong";
    document["components"]["responses"]["Gone"]["description"] = "Ends it";
    document["webhooks"]["rose.cut"]["post"] = {{"tags", {"Roses"}},
                                                {"responses", {{"410", {{"$ref", "#/components/responses/Gone"}}}}}};
    const std::string page = apidocs::referencePage(document.dump()).content;
    requireText("<dt><code>400</code> <code>BadRequest</code></dt><dd>Wrong", page);
    requireText("The same for <a href=\"#errors\">many operations</a>", page);
    requireText("<dt><code>410</code></dt><dd>Ends it", page);
}

TEST(ReferencePageTest, requestIsShownInFourLanguages) {
    const std::string page = contentOf(operation());
    for (const char* const language : {"sh", "js", "php", "python"})
        requireText("data-language=\"" + std::string(language) + "\"", page);
    requireText("https://api.example.com/api/v1/supplier/roses/7", page);
}

TEST(ReferencePageTest, recordedRequestAndAnswerComeFirst) {
    auto recorded = operation();
    recorded["x-request"] = "/roses/4711?full=true";
    recorded["responses"]["200"]["content"]["application/json"]["example"] = {{"data", {{"name", "Red Naomi"}}}};
    const std::string page = contentOf(recorded);
    requireText("/api/v1/supplier/roses/4711?full=true", page);
    requireText("Red Naomi", page);
    requireText("<p class=\"prints\">Response: 200", page);
    requireText("<p class=\"prints\">Sample response: 200", contentOf(operation()));
}

TEST(ReferencePageTest, answerWithoutAnExampleIsMadeOfTheSchema) {
    const std::string page = contentOf(operation(), R"({"type": "object", "properties": {
        "name": {"type": "string", "example": "Avalanche"}, "colour": {"enum": ["white", "red"]},
        "picked_at": {"type": ["string", "null"], "format": "date-time"}, "thorns": {"type": "array", "items": {"type": "integer"}}}})");
    for (const char* const text : {"&quot;Avalanche&quot;", "&quot;white&quot;", "&quot;2026-03-02T09:30:00Z&quot;"})
        requireText(text, page);
}

TEST(ReferencePageTest, fieldsSayTheirTypesAndBounds) {
    const std::string page = contentOf(operation(), R"({"allOf": [
        {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 20}}},
        {"type": "object", "properties": {"grower": {"anyOf": [{"type": "object", "properties": {
            "city": {"type": "string", "description": "Where it grows"}}}, {"type": "null"}]}}}]})");
    requireText("<code>name</code> <span>string, <strong>required</strong></span></dt><dd> 1 to 20 characters.", page);
    requireText("<code>grower</code> <span>object or null</span>", page);
    requireText("<code>grower.city</code> <span>string</span></dt><dd>Where it grows.", page);
}

TEST(ReferencePageTest, boundsAndNullAreSaid) {
    const std::string page = contentOf(operation(), R"({"type": "object", "properties": {
        "tags": {"type": "array", "minItems": 1, "default": null}, "colour": {"type": "string", "default": "red"},
        "height": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        "width": {"anyOf": [{"type": ["string", "integer"]}, {"type": "null"}]}}})");
    requireText("<code>tags</code> <span>array</span></dt><dd> At least 1 entry.</dd>", page);
    requireText("<dd> The default is <code>red</code>.</dd>", page);
    requireText("<code>height</code> <span>string or integer or null</span>", page);
    requireText("<code>width</code> <span>string or integer or null</span>", page);
}

/// The same schema again says nothing new: its fields are in the list already.
TEST(ReferencePageTest, schemaThatRefersToItselfEnds) {
    const std::string page = contentOf(
        operation(), R"({"type": "object", "properties": {"parent": {"$ref": "#/components/schemas/Rose"}}})");
    requireText("<code>parent</code> <span>object</span>", page);
    requireNoText("parent.parent", page);
}

TEST(ReferencePageTest, schemaThatIsMadeOfItselfEnds) {
    const std::string self = R"({"$ref": "#/components/schemas/Rose"})";
    for (const std::string& rose :
         {R"({"type": "array", "items": )" + self + "}",
          R"({"anyOf": [{"type": "string"}, {"type": "array", "items": )" + self + "}]}",
          R"({"allOf": [)" + self + ", " + self + "]}", R"({"oneOf": [)" + self + ", " + self + "]}",
          R"({"anyOf": [)" + self + R"(, {"type": "null"}]})", R"({"additionalProperties": )" + self + "}"})
        requireText("Read a rose", contentOf(operation(), rose.c_str()));
    const std::string within =
        R"({"type": "object", "properties": {"tree": {"type": "array", "items": )" + self + "}}}";
    requireText("<code>tree</code> <span>array of object</span>", contentOf(operation(), within.c_str()));
}

TEST(ReferencePageTest, largeSchemaIsCut) {
    json rose = {{"type", "object"}};
    for (int depth = 0; depth < 3; ++depth) {
        json properties;
        for (int i = 0; i < 20; ++i)
            properties["f" + std::to_string(i)] = rose;
        rose["properties"] = std::move(properties);
    }
    const std::string page = contentOf(operation(), rose.dump().c_str());
    requireText("<code>f0.f0.f0</code>", page);
    std::size_t rows = 0;
    for (auto at = page.find("<code>f"); at != std::string::npos; at = page.find("<code>f", at + 1))
        ++rows;
    CPPUNIT_ASSERT_EQUAL(std::size_t{300}, rows);
    CPPUNIT_ASSERT(page.size() < 100'000);
}

TEST(ReferencePageTest, textsOfADocumentAreNoHtml) {
    auto hostile = operation();
    hostile["summary"] = "<script>1</script>";
    hostile["description"] = "`<b>` [here](javascript:alert) \"<img>";
    hostile["operationId"] = "a\"b";
    const std::string page = contentOf(hostile);
    for (const char* const text : {"<script", "<b>`", "<img", "href=\"javascript", "id=\"a\"b"})
        requireNoText(text, page);
}

TEST(ReferencePageTest, longTextIsShownAsItIs) {
    auto wordy = operation();
    wordy["description"] = "`" + std::string(1'000'000, 'a') + "`";
    requireText("<p>`aaa", contentOf(wordy));
}

TEST(ReferencePageTest, textOfMarksThatDoNotEndIsShown) {
    for (const char mark : {'[', '`', '*', 'a'}) {
        auto wordy = operation();
        wordy["description"] = "see " + std::string(1'990, mark);
        requireText("<p>see " + std::string(1'990, mark), contentOf(wordy));
    }
}

TEST(ReferencePageTest, operationThatIsNotAsOpenApiHasItLeavesTheOthersShown) {
    auto wrong = operation();
    wrong["operationId"] = "cutRose";
    wrong["summary"] = 5;
    wrong["parameters"][0]["required"] = "yes";
    json document = documentOf(operation());
    document["paths"]["/roses/{id}/cut"]["post"] = wrong;
    document["webhooks"]["rose.cut"]["post"] = {{"tags", {"Roses"}}, {"requestBody", {{"description", "<b>"}}}};
    const auto page = apidocs::referencePage(document.dump());
    for (const char* const text :
         {"Read a rose</a></h3>", "roses:read", "id=\"cutRose\"", "/roses/{id}/cut", "id=\"rose.cut\""})
        requireText(text, page.content);
    for (const char* const text : {"href=\"#readRose\"", ">cutRose</a>", ">rose.cut</a>"})
        requireText(text, page.menu);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, page.problems.size());
    requireText("cutRose: ", page.problems[0]);
}

TEST(ReferencePageTest, bodyIsQuotedAsEachLanguageWantsIt) {
    auto sent = operation();
    sent["requestBody"]["content"]["application/json"] = {{"schema", json::object()},
                                                          {"example", {{"name", "d'Or ${x}"}}}};
    const std::string page = contentOf(sent, R"({"type": "object"})", "post");
    requireText("d&#39;\\&#39;&#39;Or", page);
    requireText("curl -sS -X POST", page);
    requireText("&lt;&lt;&lt;&#39;BODY&#39;", page);
}

TEST(ReferencePageTest, bodyOfAnyBytesIsQuoted) {
    auto sent = operation();
    sent["requestBody"]["content"]["text/csv"]["example"] = "@name\n'''a\\b\"\nBODY\n\"";
    const std::string page = contentOf(sent, R"({"type": "object"})", "post");
    requireText("--data-raw &#39;@name", page);
    requireText("body = &#39;&#39;&#39;@name\n\\&#39;\\&#39;\\&#39;a\\\\b&quot;\nBODY\n&quot;&#39;&#39;&#39;", page);
    requireText("\nBODY_,\n", page);
}

TEST(ReferencePageTest, textAsJsonIsQuoted) {
    auto sent = operation();
    sent["requestBody"]["content"]["application/json"]["example"] = "red";
    requireText("JSON.stringify(&quot;red&quot;)", contentOf(sent, R"({"type": "object"})", "post"));
}

TEST(ReferencePageTest, bodyThatOnlyAnExampleCouldShowIsLeftOut) {
    auto sent = operation();
    sent["requestBody"]["content"]["image/png"] = {{"schema", json::object()}};
    const std::string page = contentOf(sent, R"({"type": "object"})", "post");
    requireText("data-type=\"image/png\"", page);
    requireNoText("--data-raw", page);
}

TEST(ReferencePageTest, bodyThatIsAFileIsReadFromIt) {
    auto sent = operation();
    sent["requestBody"]["content"]["image/jpeg"] = {{"schema", json::object()}, {"example", "rose.jpg"}};
    const std::string page = contentOf(sent, R"({"type": "object"})", "post");
    requireText("Content-Type: image/jpeg", page);
    requireText("data-body=\"\"", page);
    requireText("--data-binary &#39;@rose.jpg&#39;", page);
    requireText(".readFile(&quot;rose.jpg&quot;)", page);
    requireText("file_get_contents(&#39;rose.jpg&#39;)", page);
    requireText("Path(&quot;rose.jpg&quot;).read_bytes()", page);
}

TEST(ReferencePageTest, responseOfBytesIsSaved) {
    auto picture = operation();
    picture["responses"]["200"]["content"] = {{"image/jpeg", json::object()}};
    const std::string page = contentOf(picture);
    for (const char* const text : {"--output response.bin", "writeFile(&quot;response.bin&quot;, response.body)",
                                   "file_put_contents(&#39;response.bin&#39;", ").write_bytes("})
        requireText(text, page);
    requireNoText("decode()", page);
}

TEST(ReferencePageTest, nothingEndsTheQuotesOfAProgram) {
    auto hostile = operation();
    hostile["parameters"][0]["example"] = "a b/'\"\\";
    hostile["requestBody"]["content"]["text/'\"x"]["example"] = "text";
    requireText("/roses/a%20b%2F%27%22%5C", contentOf(hostile, R"({"type": "object"})", "post"));
    requireNoText("Content-Type", contentOf(hostile, R"({"type": "object"})", "post"));
    hostile["x-request"] = "/roses/'\"\\";
    requireText("/roses/%27%22%5C", contentOf(hostile));
}

TEST(ReferencePageTest, successIsShownBeforeAnError) {
    auto recorded = operation();
    const auto example = [&](const char* status, const char* text) {
        recorded["responses"][status]["content"]["application/json"]["example"] = text;
    };
    recorded["responses"] = json::object();
    example("403", "No");
    example("201", "Yes");
    requireText("<samp>Yes</samp>", contentOf(recorded));
}

} // namespace supplierd::tests
