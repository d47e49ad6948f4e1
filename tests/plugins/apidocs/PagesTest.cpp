#include "tests/support/ChildProcess.h"
#include "tests/support/Responses.h"
#include "tests/support/ServerFixture.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

namespace {

HttpResponse get(const std::string& path) {
    return fixture().server().rootClient().get(path);
}

/// The values of an attribute in a page.
std::set<std::string> valuesOf(const std::string& attribute, const std::string& page) {
    std::set<std::string> values;
    const std::string begin = " " + attribute + "=\"";
    for (auto at = page.find(begin); at != std::string::npos; at = page.find(begin, at)) {
        at += begin.size();
        values.insert(page.substr(at, page.find('"', at) - at));
    }
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

/// The programs of that language, one after the other; each of JavaScript's in a block of its own.
std::string programsOf(const std::string& language, const std::string& page) {
    std::string programs;
    const std::string begin = "data-language=\"" + language + "\"";
    for (auto at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1)) {
        const auto code = page.find("<code>", at) + 6;
        std::string text = page.substr(code, page.find("</code>", code) - code);
        for (const auto& [entity, character] :
             {std::pair("&lt;", "<"), std::pair("&gt;", ">"), std::pair("&quot;", "\""), std::pair("&#39;", "'"),
              std::pair("&amp;", "&")})
            for (auto found = text.find(entity); found != std::string::npos; found = text.find(entity, found + 1))
                text.replace(found, std::string(entity).size(), character);
        programs += language == "js" ? "{\n" + text + "\n}\n" : text + (language == "php" ? "\n?>\n" : "\n");
    }
    return programs;
}

} // namespace

/// The pages below /docs, through a real server.
class PagesTest : public CppUnit::TestFixture {};

TEST(PagesTest, pagesShowTheMarketplacesNameAndColour) {
    const ServerProcess market(
        fixture().database(),
        {.plugins = {"apidocs", "dashboard"},
         .configuration = "[plugins.dashboard]\nname = \"Bloemen & Co\"\naccent = \"#7a1f5c\"\n"});
    auto client = market.rootClient();
    for (const std::string path : {"/docs/", "/docs/errors.html", "/docs/supplier-api.html", "/docs/nowhere.html"}) {
        const std::string page = client.get(path).body;
        requireIn("Bloemen &amp; Co Supplier API</a>", page);
        requireIn("<link rel=\"stylesheet\" href=\"/docs/brand.css\">", page);
    }
    requireIn("--pico-primary:", client.get("/docs/brand.css").body);
    CPPUNIT_ASSERT_EQUAL(404, client.get("/docs/logo.svg").status);
    // Without the plugin dashboard nobody has said any of it.
    CPPUNIT_ASSERT(get("/docs/").body.find("brand") == std::string::npos);
    CPPUNIT_ASSERT_EQUAL(404, get("/docs/brand.css").status);
}

TEST(PagesTest, addressWithoutASlashLeadsToThePages) {
    CPPUNIT_ASSERT_EQUAL(std::string("/docs/llms.txt"), get("/llms.txt").header("Location"));
    const auto response = get("/docs");
    requireStatus(308, response);
    CPPUNIT_ASSERT_EQUAL(std::string("/docs/"), response.header("Location"));
    const auto head = runCommand({.arguments = {"curl", "-sI", fixture().server().rootUrl() + "/docs"}}).output;
    CPPUNIT_ASSERT_MESSAGE(head, head.starts_with("HTTP/1.1 308 Permanent Redirect\r\n"));
}

TEST(PagesTest, menuHasGuidesAndBothReferences) {
    CPPUNIT_ASSERT((pages() == std::set<std::string>{"",
                                                     "bulk-updates.html",
                                                     "changelog.html",
                                                     "clients.html",
                                                     "errors.html",
                                                     "first-request.html",
                                                     "going-live.html",
                                                     "history.html",
                                                     "idempotency.html",
                                                     "images.html",
                                                     "keys.html",
                                                     "limits.html",
                                                     "lists-and-sync.html",
                                                     "orders.html",
                                                     "other-systems.html",
                                                     "platform-api.html",
                                                     "sandbox.html",
                                                     "spreadsheets.html",
                                                     "supplier-api.html",
                                                     "versions.html",
                                                     "webhooks.html"}));
}

TEST(PagesTest, everyLinkWithinThePagesLeadsSomewhere) {
    std::map<std::string, std::set<std::string>> idsByPage;
    for (const std::string& name : pages())
        idsByPage[name] = valuesOf("id", get("/docs/" + name).body);
    for (const std::string& name : pages()) {
        const std::string page = get("/docs/" + name).body;
        auto links = valuesOf("href", page);
        links.merge(valuesOf("src", page));
        for (const std::string& link : links) {
            // Of other hosts; of the host itself; of another plugin.
            if (link.starts_with("https://") || link.find("/api/v1/") != std::string::npos ||
                link.starts_with("/dashboard/"))
                continue;
            const std::string file = link.substr(0, link.find('#'));
            const std::string target = file.empty() ? name : file == "./" ? "" : file;
            if (!idsByPage.contains(target))
                CPPUNIT_ASSERT_EQUAL_MESSAGE(name + ": " + link, 200, get("/docs/" + target).status);
            if (const auto anchor = link.find('#'); anchor != std::string::npos)
                CPPUNIT_ASSERT_MESSAGE(name + ": " + link, idsByPage[target].contains(link.substr(anchor + 1)));
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
        std::string tags; // without the texts
        for (auto at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1))
            tags += page.substr(at, page.find('>', at) + 1 - at) + "\n";
        CPPUNIT_ASSERT_MESSAGE(name, !std::regex_search(tags, within));
    }
}

TEST(PagesTest, pagesAreCompressedAndTheirFilesAreKept) {
    const HttpHeaders gzip{{"Accept-Encoding", "gzip"}};
    for (const std::string& name : pages()) {
        const auto response = fixture().server().rootClient().get("/docs/" + name, gzip);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(name, std::string("gzip"), response.header("Content-Encoding"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(name, std::string("no-cache"), response.header("Cache-Control"));
    }
    auto files = valuesOf("src", get("/docs/supplier-api.html").body);
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, files.size());
    files.merge(valuesOf("data-index", get("/docs/").body)); // what the search reads
    files.merge(valuesOf("data-library", get("/docs/").body));
    CPPUNIT_ASSERT_EQUAL(std::size_t{5}, files.size());
    for (const std::string& file : files)
        CPPUNIT_ASSERT_EQUAL_MESSAGE(file, std::string("public, max-age=31536000, immutable"),
                                     get("/docs/" + file).header("Cache-Control"));
}

TEST(PagesTest, everyGuideIsMarkdownTooAndInTheListForPrograms) {
    const auto list = get("/docs/llms.txt");
    CPPUNIT_ASSERT_EQUAL(std::string("text/plain; charset=utf-8"), list.header("Content-Type"));
    CPPUNIT_ASSERT_EQUAL(std::string("no-cache"), list.header("Cache-Control"));
    for (const std::string& name : pages()) {
        if (name.ends_with("-api.html")) // the server makes these
            continue;
        const std::string file = (name.empty() ? std::string("index") : name.substr(0, name.find('.'))) + ".md";
        const auto response = get("/docs/" + file);
        requireStatus(200, response);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(file, std::string("text/markdown; charset=utf-8"),
                                     response.header("Content-Type"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(file, std::string("no-cache"), response.header("Cache-Control"));
        CPPUNIT_ASSERT_MESSAGE(file, response.body.starts_with("# "));
        CPPUNIT_ASSERT_MESSAGE(file, list.body.find("](" + file + "): ") != std::string::npos);
    }
}

TEST(PagesTest, everyOperationHasItsPermissionAProgramAndAnAnswer) {
    for (const std::string api : {"supplier", "platform"}) {
        const std::string page = get("/docs/" + api + "-api.html").body;
        const auto document = get("/api/v1/" + api + "/openapi.json").json();
        for (const auto& [path, item] : document.at("paths").items())
            for (const auto& operation : item) {
                if (!operation.contains("operationId"))
                    continue;
                const auto id = operation.at("operationId").get<std::string>();
                const auto begin = page.find("<article class=\"operation\" id=\"" + id + "\"");
                CPPUNIT_ASSERT_MESSAGE(id, begin != std::string::npos);
                const std::string article = page.substr(begin, page.find("</article>", begin) - begin);
                for (const char* const part :
                     {"<dt>Permission</dt>", "<dt>Limit</dt>", "curl -sS", "<p class=\"prints\">Response: "})
                    CPPUNIT_ASSERT_MESSAGE(id + ": " + part, article.find(part) != std::string::npos);
                if (operation.contains("x-scope"))
                    CPPUNIT_ASSERT_MESSAGE(id, article.find(operation.at("x-scope").get<std::string>()) !=
                                                   std::string::npos);
            }
    }
}

TEST(PagesTest, programsOfTheReferencesAreValid) {
    const TemporaryDirectory folder("programs");
    const auto check = [&](const std::string& language, const std::string& file, std::vector<std::string> command) {
        const auto found = runCommand({.arguments = {"which", command[0]}});
        if (found.exitCode != 0)
            return;
        const std::string programs =
            programsOf(language, get("/docs/supplier-api.html").body + get("/docs/platform-api.html").body);
        CPPUNIT_ASSERT_MESSAGE(language, programs.size() > 10'000);
        writeWholeFile(folder / file, programs);
        command.push_back((folder / file).string());
        const auto result = runCommand({.arguments = command});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(language + ":\n" + result.output + result.errors, 0, result.exitCode);
    };
    check("sh", "programs.sh", {"bash", "-n"});
    check("js", "programs.mjs", {"node", "--check"});
    check("php", "programs.php", {"php", "-l"});
    check("python", "programs.py", {"python3", "-m", "py_compile"});
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
        CPPUNIT_ASSERT_MESSAGE(path, response.body.find("href=\"/docs/site-") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(path, response.header("Content-Security-Policy").starts_with("default-src 'none'"));
    }
}

} // namespace supplierd::tests
