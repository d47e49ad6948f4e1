#include "tests/dashboard/DashboardFixture.h"
#include "tests/support/Control.h"
#include "tests/support/Places.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace supplierd::tests {

class WebFilesTest : public CppUnit::TestFixture {
protected:
    static HttpClient browser() { return fixture().server().rootClient(); }
    static HttpHeaders gzip() { return {{"Accept-Encoding", "gzip, br"}}; }

    /// The address in the page between these two.
    static std::string addressIn(const std::string& page, const std::string& before, const std::string& end) {
        const auto at = page.find(before);
        CPPUNIT_ASSERT_MESSAGE(page, at != std::string::npos);
        const auto begin = at + before.size();
        return page.substr(begin, page.find(end, begin) - begin);
    }
};

TEST(WebFilesTest, thePageAllowsNothingButThisServer) {
    const auto page = browser().get("/dashboard/");
    CPPUNIT_ASSERT_EQUAL(200, page.status);
    CPPUNIT_ASSERT_EQUAL(std::string("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                                     "connect-src 'self'; form-action 'self'; base-uri 'none'; "
                                     "frame-ancestors 'none'"),
                         page.header("Content-Security-Policy"));
    CPPUNIT_ASSERT_EQUAL(std::string("nosniff"), page.header("X-Content-Type-Options"));
    CPPUNIT_ASSERT_EQUAL(std::string("no-referrer"), page.header("Referrer-Policy"));
    CPPUNIT_ASSERT_EQUAL(308, browser().get("/dashboard").status);
    const auto home = browser().get("/");
    CPPUNIT_ASSERT_EQUAL(302, home.status);
    CPPUNIT_ASSERT_EQUAL(std::string("/dashboard/"), home.header("Location"));
}

TEST(WebFilesTest, theMarketplaceHasItsNameLogoAndColour) {
    const TemporaryDirectory directory("logo");
    const auto logo = directory.path() / "logo.svg";
    std::ofstream(logo) << "<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
    const auto configured = [](const std::string& keys) {
        return ServerOptions{.plugins = {"dashboard"}, .configuration = "[plugins.dashboard]\n" + keys};
    };
    const ServerProcess market(
        fixture().database(),
        configured("name = \"Bloemenmarkt\"\naccent = \"#7a1f5c\"\nlogo = \"" + logo.string() + "\"\n"));
    auto client = market.rootClient();
    requireIn("<link rel=\"stylesheet\" href=\"/dashboard/brand.css\">", client.get("/dashboard/").body);
    requireIn("--accent:#7a1f5c;", client.get("/dashboard/brand.css").body);
    CPPUNIT_ASSERT_EQUAL(std::string("text/css"),
                         client.get("/dashboard/brand.css").header("Content-Type").substr(0, 8));
    requireIn("<svg xmlns", client.get("/dashboard/icon.svg").body);
    CPPUNIT_ASSERT_EQUAL(json("Bloemenmarkt"), client.get("/dashboard/texts/nl.json").json().at("brand"));
    // Without them all is as it was built.
    CPPUNIT_ASSERT_EQUAL(404, browser().get("/dashboard/brand.css").status);
    CPPUNIT_ASSERT_EQUAL(json(""), browser().get("/dashboard/texts/nl.json").json().at("brand")); // none was given
    CPPUNIT_ASSERT(browser().get("/dashboard/").body.find("brand.css") == std::string::npos);

    for (const auto& [keys, complaint] :
         {std::pair("accent = \"red\"", "must be a colour"), std::pair("accent = \"#ffd700\"", "dark enough"),
          std::pair("logo = \"/nowhere.svg\"", "cannot be read"),
          std::pair("logo = \"/etc/passwd\"", "must be an SVG")}) {
        const ServerProcess server(ServerProcess::NotStarted{}, fixture().database(), configured(keys));
        const auto checked = runControl(server, {"config", "check"});
        CPPUNIT_ASSERT(checked.exitCode != 0);
        requireIn(complaint, checked.output + checked.errors);
    }
}

TEST(WebFilesTest, thePageRunsNoScriptOfItsOwn) {
    const auto page = browser().get("/dashboard/").body;
    CPPUNIT_ASSERT(page.find("://") == std::string::npos);
    CPPUNIT_ASSERT(page.find("<style") == std::string::npos);
    CPPUNIT_ASSERT(page.find(" style=") == std::string::npos);
    CPPUNIT_ASSERT_EQUAL(page.find("<script"), page.rfind("<script"));
    CPPUNIT_ASSERT(page.find("></script>") != std::string::npos);
}

TEST(WebFilesTest, thePageAndItsFilesAreUnder120Kilobytes) {
    auto client = browser();
    const auto page = client.get("/dashboard/").body;
    std::size_t bytes = page.size();
    for (const auto& address : {addressIn(page, "src=\"", "\""), addressIn(page, "stylesheet\" href=\"", "\""),
                                std::string("/dashboard/texts/de.json"), std::string("/dashboard/texts/index.json")}) {
        const auto file = client.get(address, gzip());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(address, 200, file.status);
        bytes += file.body.size();
    }
    CPPUNIT_ASSERT_MESSAGE(std::to_string(bytes), bytes < 120'000);
}

TEST(WebFilesTest, filesWhoseNameHoldsTheirHashAreKeptForEver) {
    auto client = browser();
    const auto page = client.get("/dashboard/");
    CPPUNIT_ASSERT_EQUAL(std::string("no-cache"), page.header("Cache-Control"));
    const auto script = client.get(addressIn(page.body, "src=\"", "\""));
    CPPUNIT_ASSERT_EQUAL(std::string("public, max-age=31536000, immutable"), script.header("Cache-Control"));
    CPPUNIT_ASSERT_EQUAL(std::string("text/javascript; charset=utf-8"), script.header("Content-Type"));
}

TEST(WebFilesTest, compressedAndPlainFilesHaveTagsOfTheirOwn) {
    auto client = browser();
    const auto address = addressIn(client.get("/dashboard/").body, "src=\"", "\"");
    const auto plain = client.get(address);
    const auto compressed = client.get(address, gzip());
    CPPUNIT_ASSERT_EQUAL(std::string("gzip"), compressed.header("Content-Encoding"));
    CPPUNIT_ASSERT_EQUAL(std::string("Accept-Encoding"), plain.header("Vary"));
    CPPUNIT_ASSERT_EQUAL(std::string("Accept-Encoding"), compressed.header("Vary"));
    CPPUNIT_ASSERT(plain.header("ETag") != compressed.header("ETag"));
    CPPUNIT_ASSERT(compressed.body.size() * 2 < plain.body.size());
    CPPUNIT_ASSERT_EQUAL(std::string("\x1f\x8b"), compressed.body.substr(0, 2));
    HttpHeaders again = gzip();
    again.emplace_back("If-None-Match", compressed.header("ETag"));
    CPPUNIT_ASSERT_EQUAL(304, client.get(address, again).status);
    CPPUNIT_ASSERT(!client.get(address, {{"Accept-Encoding", "gzip;q=0, identity"}}).hasHeader("Content-Encoding"));
}

TEST(WebFilesTest, everyTextIsThereInEveryLanguage) {
    auto client = browser();
    const json languages = client.get("/dashboard/texts/index.json").json();
    CPPUNIT_ASSERT_EQUAL(json({{"de", "Deutsch"}, {"en", "English"}, {"nl", "Nederlands"}}), languages);
    std::map<std::string, std::set<std::string>> names;
    for (const auto& [language, title] : languages.items()) {
        // The server adds what a language has not.
        const json texts = json::parse(readWholeFile(sourcePath("plugins/dashboard/web/texts/" + language + ".json")));
        for (const auto& [name, text] : texts.items()) {
            CPPUNIT_ASSERT_MESSAGE(name, !text.get<std::string>().empty());
            names[language].insert(name);
        }
    }
    CPPUNIT_ASSERT(names.at("en") == names.at("nl"));
    CPPUNIT_ASSERT(names.at("en") == names.at("de"));
}

TEST(WebFilesTest, aFolderAddsALanguageAndReplacesTexts) {
    const TemporaryDirectory folder;
    writeWholeFile(folder / "fr.json", R"({"language": "Français", "sign_in": "Connexion"})");
    writeWholeFile(folder / "en.json", R"({"sign_in": "Come in"})");
    ServerFixture server({.plugins = {"dashboard"},
                          .configuration = "[plugins.dashboard]\ntexts = \"" + folder.path().string() + "\"\n"});
    auto client = server.server().rootClient();
    CPPUNIT_ASSERT_EQUAL(json("Français"), client.get("/dashboard/texts/index.json").json().at("fr"));
    CPPUNIT_ASSERT_EQUAL(json("Connexion"), client.get("/dashboard/texts/fr.json").json().at("sign_in"));
    CPPUNIT_ASSERT_EQUAL(json("Sign out"), client.get("/dashboard/texts/fr.json").json().at("sign_out"));
    const json english = client.get("/dashboard/texts/en.json").json();
    CPPUNIT_ASSERT_EQUAL(json("Come in"), english.at("sign_in"));
    CPPUNIT_ASSERT_EQUAL(json("Sign out"), english.at("sign_out"));
}

TEST(WebFilesTest, whatIsNotThereIsAPage) {
    const auto missing = browser().get("/dashboard/nothing.js");
    CPPUNIT_ASSERT_EQUAL(404, missing.status);
    CPPUNIT_ASSERT_EQUAL(std::string("text/html; charset=utf-8"), missing.header("Content-Type"));
}

} // namespace supplierd::tests
