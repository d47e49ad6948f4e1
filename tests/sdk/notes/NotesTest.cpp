#include "tests/support/ChildProcess.h"
#include "tests/support/Control.h"
#include "tests/support/HttpClient.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"
#include "tests/support/Texts.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::tests {

/// sdk/example/notes, the guide's second example, in a real server.
class NotesTest : public CppUnit::TestFixture {
protected:
    struct Fixture {
        TestDatabase database;
        ServerProcess server{
            database,
            {.pluginFiles = {SUPPLIERD_TEST_NOTES_PLUGIN}, .configuration = "[plugins.notes]\nkeep_days = 30\n"}};
        std::int64_t category = server.createCategory("Cut flowers");

        CommandResult supplierctl(std::vector<std::string> arguments) const {
            return runControl(server, std::move(arguments));
        }
    };

    static Fixture& fixture() {
        static Fixture fixture;
        return fixture;
    }

public:
    void setUp() override {
        _supplier = fixture().server.createSupplier("Van der Berg Bloemen");
        _client.emplace(fixture().server.client(fixture().server.createKey(_supplier)));
        _product = createProduct("Red Naomi", "RN-60");
    }

protected:
    std::int64_t createProduct(const std::string& name, const std::string& sku) {
        const json body{
            {"name", name}, {"category_id", fixture().category}, {"base_price", 0.85}, {"unit", "stem"}, {"sku", sku}};
        return _client->post("/products", body).data().at("product").at("id").get<std::int64_t>();
    }

    static std::string notes(std::int64_t product) { return "/products/" + std::to_string(product) + "/notes"; }
    std::string notes() const { return notes(_product); }

    /// The note's id.
    std::int64_t write(const std::string& text) {
        const auto response = _client->post(notes(), {{"text", text}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 201, response.status);
        return response.data().at("id").get<std::int64_t>();
    }

    static HttpResponse upload(const std::string& csv, HttpClient& client) {
        return client.request("POST", "/notes.csv", {{"Content-Type", "text/csv; charset=utf-8"}}, csv);
    }
    HttpResponse upload(const std::string& csv) { return upload(csv, *_client); }

    HttpClient clientWithScope(const std::string& scope) {
        return fixture().server.client(fixture().server.createKey(_supplier, {{"scopes", "'" + scope + "'"}}));
    }

    json note(std::size_t index) { return _client->get(notes()).data().at("notes").at(index); }
    std::string textAt(std::size_t index) { return note(index).at("text").get<std::string>(); }
    std::string timeAt(std::size_t index) { return note(index).at("created_at").get<std::string>(); }
    std::string ours() const { return "supplier_id = " + std::to_string(_supplier); }
    std::int64_t count() const {
        return fixture().database.integer("SELECT COUNT(*) FROM notes_entries WHERE " + ours());
    }

    /// "text required, line 3 type"
    static std::string detailsOf(const HttpResponse& refused) {
        std::string text;
        const auto error = refused.error();
        for (const auto& detail : error.at("details"))
            text += (text.empty() ? "" : ", ") + detail.at("field").get<std::string>() + " " +
                    detail.at("code").get<std::string>();
        return text;
    }

    static void requirePage(const HttpResponse& response) {
        CPPUNIT_ASSERT_EQUAL(std::string("text/html; charset=utf-8"), response.header("Content-Type"));
        requireIn("default-src 'none'", response.header("Content-Security-Policy"));
        CPPUNIT_ASSERT_EQUAL(std::string("nosniff"), response.header("X-Content-Type-Options"));
    }

    std::int64_t _supplier = 0;
    std::int64_t _product = 0;
    std::optional<HttpClient> _client;
};

TEST(NotesTest, notesAreReadNewestFirst) {
    const auto first = write("Opens late");
    const auto second = write("  T\u00fclpen & \U0001F337 ");
    const auto data = _client->get(notes()).data();
    CPPUNIT_ASSERT_EQUAL(std::string("Red Naomi"), data.at("product").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, data.at("notes").size());
    CPPUNIT_ASSERT_EQUAL(second, data.at("notes").at(0).at("id").get<std::int64_t>());
    CPPUNIT_ASSERT_EQUAL(std::string("T\u00fclpen & \U0001F337"), textAt(0));
    CPPUNIT_ASSERT_EQUAL(first, data.at("notes").at(1).at("id").get<std::int64_t>());
    const auto day = fixture().database.text("SELECT CAST(UTC_DATE() AS CHAR(10))");
    CPPUNIT_ASSERT(data.at("notes").at(0).at("created_at").get<std::string>() >= day);
    const auto empty = createProduct("Avalanche", "AV-60");
    CPPUNIT_ASSERT(_client->get(notes(empty)).data().at("notes").empty());
}

TEST(NotesTest, textMustBeThereAndFit) {
    CPPUNIT_ASSERT_EQUAL(std::string("text required"), detailsOf(_client->post(notes(), {{"text", "  "}})));
    CPPUNIT_ASSERT_EQUAL(std::string("text too_long"),
                         detailsOf(_client->post(notes(), {{"text", std::string(1'001, 'x')}})));
    write(std::string(1'000, 'x'));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, count());
}

TEST(NotesTest, productOfAnotherSupplierIsNotFound) {
    write("Ours");
    const auto other = fixture().server.createSupplier("Rozenhof");
    auto client = fixture().server.client(fixture().server.createKey(other));
    CPPUNIT_ASSERT_EQUAL(404, client.get(notes()).status);
    CPPUNIT_ASSERT_EQUAL(404, client.get(notes() + ".html").status);
    CPPUNIT_ASSERT_EQUAL(404, client.post(notes(), {{"text", "Theirs"}}).status);
    CPPUNIT_ASSERT_EQUAL(std::string("line 2 unknown_reference"),
                         detailsOf(upload("sku,text\nRN-60,Theirs\n", client)));
    CPPUNIT_ASSERT_EQUAL(404, _client->get(notes(999'999'999)).status);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, count());
}

TEST(NotesTest, pageShowsTextAsText) {
    write("<script>alert(\"1\")</script>");
    const auto bold = createProduct("<b>Bold</b>", "BB-1");
    const auto page = _client->get(notes() + ".html");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(page.body, 200, page.status);
    requirePage(page);
    requireIn("<h1>Notes on Red Naomi</h1>", page.body);
    requireIn("<li>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; (20", page.body);
    CPPUNIT_ASSERT(page.body.find("<script") == std::string::npos);
    requireIn("&lt;b&gt;Bold&lt;/b&gt;", _client->get(notes(bold) + ".html").body);
}

TEST(NotesTest, errorsOfThePageArePages) {
    const auto unknown = _client->get(notes(999'999'999) + ".html");
    CPPUNIT_ASSERT_EQUAL(404, unknown.status);
    requirePage(unknown);
    requireIn("<h1>Product not found</h1>", unknown.body);
    const auto stranger = fixture().server.client().get(notes() + ".html");
    CPPUNIT_ASSERT_EQUAL(401, stranger.status);
    requirePage(stranger);
}

TEST(NotesTest, csvAddsNotesBySku) {
    const auto other = createProduct("Avalanche", "AV-60");
    const auto response = upload("\xEF\xBB\xBFsku,text\r\n"
                                 "RN-60,\"Opens late, \"\"lasts\"\" long\r\nReally\"\r\n\r\n"
                                 "av-60,White\r\n");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 201, response.status);
    CPPUNIT_ASSERT_EQUAL(2, response.data().at("created").get<int>());
    CPPUNIT_ASSERT_EQUAL(std::string("Opens late, \"lasts\" long\r\nReally"), textAt(0));
    CPPUNIT_ASSERT_EQUAL(std::string("White"),
                         _client->get(notes(other)).data().at("notes").at(0).at("text").get<std::string>());
}

TEST(NotesTest, everyWrongLineOfACsvIsNamedAndNothingIsAdded) {
    const auto refused =
        upload("text,sku\n"
               "Good,RN-60\n"
               ",RN-60\n"
               "\"Two\nlines\",RN-60,more\n" +
               std::string(1'001, 'x') + ",RN-60\n" + "a \"quote,RN-60\n" + "\xff,RN-60\n" + "Text,\n");
    CPPUNIT_ASSERT_EQUAL(422, refused.status);
    CPPUNIT_ASSERT_EQUAL(std::string("line 3 required, line 4 type, line 6 too_long, line 7 type, line 8 type, "
                                     "line 9 required"),
                         detailsOf(refused));
    CPPUNIT_ASSERT_EQUAL(std::string("line 1 required"), detailsOf(upload("sku,note\nRN-60,Good\n")));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, count());
}

TEST(NotesTest, skuOfNoProductIsNamedAndNothingIsAdded) {
    const auto deleted = std::to_string(createProduct("Avalanche", "RN-62"));
    CPPUNIT_ASSERT_EQUAL(200, _client->postEmpty("/products/" + deleted + "/delete").status);
    const auto refused = upload("sku,text\nRN-60,Good\nRN-61,Bad\nRN-60,Good\nRN-62,Bad\n");
    CPPUNIT_ASSERT_EQUAL(std::string("line 3 unknown_reference, line 5 unknown_reference"), detailsOf(refused));
    requireIn("line 3: no product has the SKU RN-61", refused.body);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, count());
}

TEST(NotesTest, csvHasTheTypeAndTheLimitsOfItsRoute) {
    const auto other = _client->request("POST", "/notes.csv", {{"Content-Type", "application/json"}}, "{}");
    CPPUNIT_ASSERT_EQUAL(415, other.status);
    CPPUNIT_ASSERT_EQUAL(413, upload("sku,text\n" + std::string(4 << 20, 'x')).status);
    const HttpHeaders withKey{{"Content-Type", "text/csv"}, {"Idempotency-Key", "upload-1"}};
    CPPUNIT_ASSERT_EQUAL(std::string("Idempotency-Key unsupported"),
                         detailsOf(_client->request("POST", "/notes.csv", withKey, "sku,text\n")));

    std::string full = "sku,text\n"; // more than the server takes of JSON
    for (int line = 0; line < 1'000; ++line)
        full += "RN-60,\"" + std::string(1'000, 'x') + "\"\r\n" + std::string(200, '\n');
    CPPUNIT_ASSERT(full.size() > (1U << 20));
    const auto taken = upload(full);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(taken.body, 201, taken.status);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1'000}, count());
    CPPUNIT_ASSERT_EQUAL(std::string("line 201002 too_many"), detailsOf(upload(full + "RN-60,x\n")));
    CPPUNIT_ASSERT_EQUAL(std::size_t{100}, _client->get(notes()).data().at("notes").size());
}

TEST(NotesTest, keysNeedItsScopes) {
    auto reader = clientWithScope("notes:read");
    CPPUNIT_ASSERT_EQUAL(200, reader.get(notes()).status);
    CPPUNIT_ASSERT_EQUAL(200, reader.get(notes() + ".html").status);
    const auto refused = reader.post(notes(), {{"text", "Roses"}});
    CPPUNIT_ASSERT_EQUAL(403, refused.status);
    requireIn("notes:write", refused.body);
    CPPUNIT_ASSERT_EQUAL(403, upload("sku,text\nRN-60,Roses\n", reader).status);
    auto writer = clientWithScope("notes:write");
    CPPUNIT_ASSERT_EQUAL(403, writer.get(notes()).status);
    CPPUNIT_ASSERT_EQUAL(201, writer.post(notes(), {{"text", "Roses"}}).status);
    auto neither = clientWithScope("products:read");
    CPPUNIT_ASSERT_EQUAL(403, neither.get(notes()).status);
    CPPUNIT_ASSERT_EQUAL(403, neither.get(notes() + ".html").status);
    CPPUNIT_ASSERT_EQUAL(401, fixture().server.client().get(notes()).status);
}

TEST(NotesTest, jobRemovesWhatIsOlderThanConfigured) {
    for (const char* text : {"31 days", "29 days", "New"})
        write(text);
    for (const char* age : {"31", "29"})
        fixture().database.exec("UPDATE notes_entries SET created_at = created_at - INTERVAL " + std::string(age) +
                                " DAY WHERE text = '" + age + " days' AND " + ours());
    const auto run = fixture().supplierctl({"job", "run", "notes", "remove-old"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(run.output + run.errors, 0, run.exitCode);
    requireIn("removed 1 notes", run.output);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, count());
    CPPUNIT_ASSERT_EQUAL(std::string("29 days"), textAt(1));
}

TEST(NotesTest, commandListsASuppliersNotes) {
    const auto id = std::to_string(_supplier);
    requireIn("There are no notes.", fixture().supplierctl({"notes", "list", id}).output);
    write("Older");
    write("Newer");
    const auto printed = fixture().supplierctl({"notes", "list", id});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(printed.errors, 0, printed.exitCode);
    requireIn("PRODUCT", printed.output);
    CPPUNIT_ASSERT(printed.output.find("Newer") < printed.output.find("Older"));
    const auto rows = json::parse(fixture().supplierctl({"notes", "list", id, "--json"}).output).at("notes");
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, rows.size());
    CPPUNIT_ASSERT_EQUAL(_product, rows.at(0).at("product_id").get<std::int64_t>());
    CPPUNIT_ASSERT_EQUAL(std::string("Newer"), rows.at(0).at("text").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(timeAt(0), rows.at(0).at("created_at").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(2, fixture().supplierctl({"notes", "list"}).exitCode);
    requireIn("A supplier's hundred newest notes", fixture().supplierctl({"notes", "--help"}).output);
}

TEST(NotesTest, documentHasItsRoutes) {
    const auto paths = fixture().server.client().get("/openapi.json").json().at("paths");
    for (const char* path : {"/products/{id}/notes", "/products/{id}/notes.html", "/notes.csv"})
        CPPUNIT_ASSERT_MESSAGE(path, paths.contains(path));
    const auto warned = _client->post(notes(), {{"text", "Roses"}, {"colour", "red"}}).json();
    CPPUNIT_ASSERT_EQUAL(std::string("colour"), warned.at("warnings").at(0).at("field").get<std::string>());
}

TEST(NotesTest, allOfItGoesWithItsData) {
    Fixture own;
    const auto tables = [&](const std::string& name) {
        return own.database.integer("SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = "
                                    "DATABASE() AND TABLE_NAME = '" +
                                    name + "'");
    };
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, tables("notes_entries"));
    own.server.stop();
    CPPUNIT_ASSERT_EQUAL(0, own.supplierctl({"plugin", "disable", "notes"}).exitCode);
    const auto removed = own.supplierctl({"plugin", "remove", "--data", "notes", "--yes", "--json"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(removed.output + removed.errors, 0, removed.exitCode);
    CPPUNIT_ASSERT(json::parse(removed.output).at("removed").get<bool>());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, tables("notes_entries"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                         own.database.integer("SELECT COUNT(*) FROM jobs WHERE plugin = 'notes'") +
                             own.database.integer("SELECT COUNT(*) FROM schema_migrations WHERE component = 'notes'"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, tables("products"));
    own.server.start(); // without it
}

TEST(NotesTest, itIsAsShortAsTheGuideSays) {
    const auto source = readWholeFile(SUPPLIERD_TEST_NOTES_SOURCE);
    CPPUNIT_ASSERT(std::count(source.begin(), source.end(), '\n') < 150);
}

} // namespace supplierd::tests
