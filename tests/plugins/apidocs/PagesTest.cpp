#include "tests/support/Responses.h"
#include "tests/support/ServerFixture.h"
#include "tests/support/Test.h"

#include <regex>
#include <set>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

HttpResponse get(const std::string& path) {
    return fixture().server().rootClient().get(path);
}

/// The values of an attribute in a page.
std::set<std::string> valuesOf(const std::string& attribute, const std::string& page) {
    std::set<std::string> values;
    const std::regex pattern(" " + attribute + "=\"([^\"]*)\"");
    for (std::sregex_iterator found(page.begin(), page.end(), pattern), end; found != end; ++found)
        values.insert((*found)[1].str());
    return values;
}

/// The pages of the menu, "first-request.html".
std::set<std::string> pages() {
    std::set<std::string> names{""};
    for (const std::string& link : valuesOf("href", get("/docs/").body))
        if (link.ends_with(".html"))
            names.insert(link);
    return names;
}

} // namespace

/// The pages below /docs, through a real server.
class PagesTest : public CppUnit::TestFixture {};

TEST(PagesTest, addressWithoutASlashLeadsToThePages) {
    const auto response = get("/docs");
    requireStatus(308, response);
    CPPUNIT_ASSERT_EQUAL(std::string("/docs/"), response.header("Location"));
}

TEST(PagesTest, menuHasGuidesAndBothReferences) {
    CPPUNIT_ASSERT(
        (pages() == std::set<std::string>{"", "bulk-updates.html", "errors.html", "first-request.html", "history.html",
                                          "idempotency.html", "images.html", "limits.html", "lists-and-sync.html",
                                          "orders.html", "platform-api.html", "sandbox.html", "spreadsheets.html",
                                          "supplier-api.html", "webhooks.html"}));
}

TEST(PagesTest, everyLinkWithinThePagesLeadsSomewhere) {
    for (const std::string& name : pages()) {
        const std::string page = get("/docs/" + name).body;
        auto links = valuesOf("href", page);
        links.merge(valuesOf("src", page));
        for (const std::string& link : links) {
            if (link.starts_with("https://") || link.starts_with("../api/")) // of other hosts; of the host itself
                continue;
            const std::string file = link.substr(0, link.find('#'));
            const auto target = get("/docs/" + (file.empty() ? name : file == "./" ? "" : file));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(name + ": " + link, 200, target.status);
            if (const auto anchor = link.find('#'); anchor != std::string::npos)
                CPPUNIT_ASSERT_MESSAGE(name + ": " + link,
                                       valuesOf("id", target.body).contains(link.substr(anchor + 1)));
        }
    }
}

TEST(PagesTest, pagesAllowNothingButFilesOfThisServer) {
    for (const std::string& name : pages()) {
        const auto response = get("/docs/" + name);
        requireStatus(200, response);
        CPPUNIT_ASSERT_EQUAL(std::string("text/html; charset=utf-8"), response.header("Content-Type"));
        CPPUNIT_ASSERT_EQUAL(std::string("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' "
                                         "data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
                                         "frame-ancestors 'none'"),
                             response.header("Content-Security-Policy"));
        CPPUNIT_ASSERT_EQUAL(std::string("nosniff"), response.header("X-Content-Type-Options"));
    }
}

TEST(PagesTest, noPageHasAScriptOrAStyleWithinIt) {
    const std::regex within("<script(?![^>]* src=)|<style| style=| on[a-z]+=|javascript:", std::regex::icase);
    for (const std::string& name : pages()) {
        const std::string page = get("/docs/" + name).body;
        const std::string tags = std::regex_replace(page, std::regex(">[^<]*<"), "><"); // without the texts
        CPPUNIT_ASSERT_MESSAGE(name, !std::regex_search(tags, within));
    }
}

TEST(PagesTest, pageThatIsUnchangedIsNotSent) {
    const auto tag = get("/docs/errors.html").header("ETag");
    CPPUNIT_ASSERT(!tag.empty());
    requireStatus(304, fixture().server().rootClient().get("/docs/errors.html", {{"If-None-Match", tag}}));
}

TEST(PagesTest, unknownPageIsAPageAndSaysSo) {
    for (const char* path : {"/docs/nothing.html", "/docs/a/b", "/docs/error.html"}) {
        const auto response = get(path);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(path, 404, response.status);
        CPPUNIT_ASSERT_MESSAGE(path, response.body.find("<h1>Not found</h1>") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(path, valuesOf("href", response.body).contains("/docs/site.css"));
        CPPUNIT_ASSERT_MESSAGE(path, response.header("Content-Security-Policy").starts_with("default-src 'none'"));
    }
}

} // namespace supplierd::tests
