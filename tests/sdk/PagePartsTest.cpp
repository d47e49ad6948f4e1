#include "tests/support/Test.h"

#include <supplierd/Assets.h>
#include <supplierd/Cookies.h>
#include <supplierd/Errors.h>
#include <supplierd/Gzip.h>
#include <supplierd/Html.h>

#include <array>
#include <stdexcept>
#include <string>

namespace supplierd::tests {

class PagePartsTest : public CppUnit::TestFixture {
protected:
    static constexpr std::array<EmbeddedAsset, 2> FILES = {
        {{"index.html", "\"1\"", "<p>"}, {"css/a.css", "\"2\"", "a {}"}}};
    Assets _assets{FILES};
};

TEST(PagePartsTest, cookieIsFoundByItsWholeName) {
    CPPUNIT_ASSERT(findCookie("a=1; session=abc;b=\"x y\"", "session") == "abc");
    CPPUNIT_ASSERT(findCookie("a=1; session=abc;b=\"x\"", "b") == "x");
    CPPUNIT_ASSERT(findCookie("a==1=", "a") == "=1=");
    CPPUNIT_ASSERT(findCookie("a=", "a") == "");
    CPPUNIT_ASSERT(findCookie("a=1; a=2", "a") == "1");
    CPPUNIT_ASSERT(!findCookie("xsession=abc; Session=2; session", "session"));
    CPPUNIT_ASSERT(!findCookie("", "a"));
}

TEST(PagePartsTest, cookieIsSetForScriptsToMiss) {
    CPPUNIT_ASSERT_EQUAL(std::string("s=abc; Path=/; HttpOnly; SameSite=Lax; Secure"), setCookie("s", "abc"));
    CPPUNIT_ASSERT_EQUAL(std::string("s=; Path=/shop; HttpOnly; SameSite=Strict; Max-Age=0"),
                         setCookie("s", "", {.maxAge = -1, .path = "/shop", .secure = false, .sameSite = "Strict"}));
    CPPUNIT_ASSERT(setCookie("s", "abc", {.maxAge = 60}).ends_with("; Max-Age=60"));
}

TEST(PagePartsTest, cookieThatCannotBeIsRefused) {
    CPPUNIT_ASSERT_THROW(setCookie("", "abc"), std::invalid_argument);
    CPPUNIT_ASSERT_THROW(setCookie("a=b", "abc"), std::invalid_argument);
    for (const char* value : {"a b", "a;b", "a\r\nX: y", "\"", "\xc3\xa9"})
        CPPUNIT_ASSERT_THROW(setCookie("s", value), std::invalid_argument);
}

TEST(PagePartsTest, assetIsFoundByItsPath) {
    const auto style = _assets.get("css/a.css");
    CPPUNIT_ASSERT_EQUAL(std::string("text/css; charset=utf-8"), style.contentType);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{4}, style.content->size());
    CPPUNIT_ASSERT_EQUAL(std::string("{}"), style.content->read(2, 2));
    CPPUNIT_ASSERT((std::pair<std::string, std::string>{"ETag", "\"2\""}) == style.headers.at(0));
    CPPUNIT_ASSERT_THROW(_assets.get("css"), ApiError);
    CPPUNIT_ASSERT_THROW(_assets.get("/css/a.css"), ApiError);
}

TEST(PagePartsTest, folderIsItsIndex) {
    CPPUNIT_ASSERT(_assets.has("") && _assets.has("index.html") && !_assets.has("css/"));
    CPPUNIT_ASSERT_EQUAL(std::string("<p>"), _assets.get("").content->read(0, 3));
}

TEST(PagePartsTest, typeIsToldByTheEnding) {
    CPPUNIT_ASSERT(contentTypeOf("a/b.min.js") == "text/javascript; charset=utf-8");
    CPPUNIT_ASSERT(contentTypeOf("logo.svg") == "image/svg+xml");
    CPPUNIT_ASSERT(contentTypeOf("LICENSE") == "application/octet-stream");
}

TEST(PagePartsTest, gzipIsForWhoTakesIt) {
    for (const char* accepts : {"gzip", "GZIP", "br;q=0, x-gzip ; Q=0.001", "*", "identity, *;q=0.1", "br,gzip,"})
        CPPUNIT_ASSERT_MESSAGE(accepts, acceptsGzip(accepts));
    for (const char* refuses : {"", ",", "identity", "br", "gzip;q=0", "gzip; q=0.000, *", "*;q=0", "xgzip", "gzipped"})
        CPPUNIT_ASSERT_MESSAGE(refuses, !acceptsGzip(refuses));
}

TEST(PagePartsTest, responsesWithoutAnEnvelope) {
    const auto page = Response::html("<p>", 404);
    CPPUNIT_ASSERT(page.status == 404 && page.data == "<p>" && page.contentType == "text/html; charset=utf-8");
    const auto elsewhere = Response::redirect("/shop/");
    CPPUNIT_ASSERT_EQUAL(303, elsewhere.status);
    CPPUNIT_ASSERT_EQUAL(std::string("/shop/"), elsewhere.headers.at(0).second);
}

TEST(PagePartsTest, textIsEscapedForHtml) {
    CPPUNIT_ASSERT_EQUAL(std::string("&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt; &amp;amp; \xc3\xa9"),
                         escapeHtml("<a b=\"c\" d='e'> &amp; \xc3\xa9"));
}

TEST(PagePartsTest, pageHasItsTitleAndRunsNoScript) {
    const auto page = htmlPage("Roses & <b>", "<p>1</p>", 404);
    CPPUNIT_ASSERT_EQUAL(404, page.status);
    CPPUNIT_ASSERT(page.data.find("<title>Roses &amp; &lt;b&gt;</title>") != std::string::npos);
    CPPUNIT_ASSERT(page.data.find("<h1>Roses &amp; &lt;b&gt;</h1>\n<p>1</p>") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::string("Content-Security-Policy"), page.headers.at(0).first);
    CPPUNIT_ASSERT(page.headers.at(0).second.starts_with("default-src 'none';"));
    CPPUNIT_ASSERT(page.headers.at(0).second.find("script") == std::string::npos);
}

TEST(PagePartsTest, whatZlibDoesNotTakeIsRefusedBeforeItIsRead) {
    const std::string text = "roses";
    CPPUNIT_ASSERT_THROW(gzipped(text, 12), std::invalid_argument);
    CPPUNIT_ASSERT_THROW(gzipped({text.data(), std::size_t{1} << 32}, 6), std::length_error);
    CPPUNIT_ASSERT_THROW(gzipped({text.data(), (std::size_t{1} << 32) + 1}, 6), std::length_error);
}

} // namespace supplierd::tests
