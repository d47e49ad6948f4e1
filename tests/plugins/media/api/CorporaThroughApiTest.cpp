#include "CorpusFiles.h"
#include "MediaFixture.h"
#include "UrlTable.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <map>

namespace supplierd::tests {

/// Every hostile picture and URL of ../shared/corpora, given to a running server by a supplier.
class CorporaThroughApiTest : public CppUnit::TestFixture {
protected:
    /// The code of the refusal by index; "" for an image that was added.
    static std::map<std::size_t, std::string> codesOf(const HttpResponse& response, std::size_t urls) {
        std::map<std::size_t, std::string> codes;
        for (std::size_t i = 0; i < urls; ++i)
            codes[i] = "";
        CPPUNIT_ASSERT_MESSAGE(response.body, response.status == 201 || response.status == 422);
        const json errors = response.status == 201 ? response.data()["errors"] : response.error()["details"];
        for (const json& error : errors)
            codes[error["index"].get<std::size_t>()] = error["code"];
        return codes;
    }
};

TEST(CorporaThroughApiTest, everyPictureGetsItsVerdict) {
    const auto files = corpusFiles();
    if (files.empty())
        return;
    MediaFixture fixture;
    MediaClient supplier(fixture);
    std::string wrong;
    for (std::size_t begin = 0; begin < files.size(); begin += 10) {
        const std::size_t count = std::min<std::size_t>(10, files.size() - begin);
        std::vector<std::string> urls;
        for (std::size_t i = 0; i < count; ++i)
            urls.push_back(fixture.origin().serve(files[begin + i].content));
        for (const auto& [index, code] : codesOf(supplier.postImages(supplier.createProduct(), urls), count))
            if (const auto& file = files[begin + index]; !file.allows(code))
                wrong += file.folder + "/" + file.name + ": " + file.expected + ", got '" + code + "'\n";
    }
    CPPUNIT_ASSERT_EQUAL(std::string(), wrong);
    CPPUNIT_ASSERT_EQUAL(0.0, fixture.server().metric(R"(supplierd_media_worker_restarts_total{reason="lost"})"));
    fixture.requireAgreement();
    CPPUNIT_ASSERT(fixture.server().process().isRunning());
}

TEST(CorporaThroughApiTest, everyForbiddenUrlIsRefused) {
    const auto table = urlTable();
    if (table.empty())
        return;
    MediaFixture fixture({.settings = {{"fetch.allow_networks", "[]"}, {"fetch.allow_ports", "[80, 443]"}}});
    MediaClient supplier(fixture);
    const auto product = supplier.createProduct();
    unsigned checked = 0;
    for (const auto& row : table) {
        if (row.verdict != "block" && row.verdict != "policy")
            continue; // the others need a name server
        const HttpResponse response = supplier.post(imagesPath(product), {{"image_url", row.url}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(row.id + response.body, 422, response.status);
        const json details = response.error().at("details");
        // what no URL can be is refused before anybody looks at it as one
        const json code = row.url.empty() ? "required" : row.url.find('\0') != std::string::npos ? "type" : "address";
        CPPUNIT_ASSERT_MESSAGE(row.id + response.body, !details.empty());
        for (const json& detail : details)
            CPPUNIT_ASSERT_EQUAL_MESSAGE(row.id + response.body, code, detail["code"]);
        ++checked;
    }
    CPPUNIT_ASSERT(checked > 80);
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, fixture.origin().requests());
    CPPUNIT_ASSERT_EQUAL(json::array(), supplier.images(product));
}

} // namespace supplierd::tests
