#include "tests/support/HttpClient.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"
#include "tests/system/fixtures/RawConnection.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <array>
#include <string>

namespace supplierd::tests {

/// TransfersPlugin.cpp, through a real server.
class TransfersTest : public CppUnit::TestFixture {
protected:
    struct Fixture {
        TestDatabase database;
        ServerProcess server{database,
                             {.pluginFiles = {SUPPLIERD_TEST_TRANSFERS_PLUGIN},
                              .configuration = "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n"
                                               "[auth]\nfailures_per_minute = 5\n"}};
        std::int64_t supplier = server.createSupplier("Van der Berg Bloemen");
        std::string key = server.createKey(supplier);
    };

    static Fixture& fixture() {
        static Fixture fixture;
        return fixture;
    }

    static HttpClient client() { return fixture().server.client(fixture().key); }

    static HttpResponse upload(const std::string& body, const std::string& type = "text/csv; charset=utf-8") {
        return client().request("POST", "/transfers", {{"Content-Type", type}}, body);
    }

    static std::string head(const std::string& line, std::size_t length, const std::string& more = {}) {
        return line + " HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + fixture().key +
               "\r\nContent-Type: text/csv\r\nContent-Length: " + std::to_string(length) + "\r\n" + more + "\r\n";
    }

    static void requireContains(const std::string& text, const std::string& part) {
        CPPUNIT_ASSERT_MESSAGE(part + " is missing in: " + text.substr(0, 2'000), text.find(part) != std::string::npos);
    }

    static CommandResult supplierctl(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(),
                         {ServerProcess::controlProgram(), "--config", fixture().server.configFile()});
        return runCommand({.arguments = arguments});
    }
};

TEST(TransfersTest, rawBodyLargerThanTheServersLimitIsReadInPieces) {
    std::string csv;
    while (csv.size() < 3'000'000)
        csv += "1,Rose,\xff\n";
    const auto response = upload(csv);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 201, response.status);
    const auto data = response.data();
    CPPUNIT_ASSERT_EQUAL(csv.size(), data.at("bytes").get<std::size_t>());
    CPPUNIT_ASSERT_EQUAL(csv.size(), data.at("declared").get<std::size_t>());
    CPPUNIT_ASSERT_EQUAL(csv.size() / 9, data.at("lines").get<std::size_t>());
}

TEST(TransfersTest, rawBodyIsReadWhileItComes) {
    RawConnection connection(fixture().server.url());
    connection.send(head("POST /api/v1/supplier/transfers", 8, "Expect: 100-continue\r\n"));
    connection.receiveUntil("100 Continue");
    connection.send("a,b\n");
    connection.send("c,d\n");
    requireContains(connection.receiveUntil("\"lines\":2"), " 201 ");
    connection.send(head("POST /api/v1/supplier/transfers", 2) + "x\n"); // the connection is as good as before
    connection.receiveUntil("\"lines\":1");
}

TEST(TransfersTest, rawBodyHasTheTypesAndTheLimitOfItsRoute) {
    const auto wrong = upload("{}", "application/json");
    CPPUNIT_ASSERT_EQUAL(415, wrong.status);
    requireContains(wrong.body, "text/csv, multipart/form-data");
    CPPUNIT_ASSERT_EQUAL(201, upload("--x--", "multipart/form-data; boundary=x").status);
    const auto large = upload(std::string((4 << 20) + 1, 'x'));
    CPPUNIT_ASSERT_EQUAL(413, large.status);
    requireContains(large.body, "4194304 bytes");
    RawConnection connection(fixture().server.url());
    connection.send("POST /api/v1/supplier/transfers HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer " + fixture().key +
                    "\r\nContent-Type: text/csv\r\n\r\n");
    connection.receiveUntil("411");
}

TEST(TransfersTest, rawBodyThatEndsEarlyIsRefused) {
    RawConnection connection(fixture().server.url());
    connection.send(head("POST /api/v1/supplier/transfers", 100) + "half");
    connection.finishSending();
    requireContains(connection.receiveAll(std::chrono::seconds(30)), "BAD_REQUEST");
}

/// The gate has taken it whole, whether the handler reads it or not.
TEST(TransfersTest, unreadRawBodyIsNoRequest) {
    const std::string body = "GET /api/v1/supplier/transfers/export?lines=1 HTTP/1.1\r\n\r\n";
    RawConnection connection(fixture().server.url());
    connection.send(head("POST /api/v1/supplier/transfers/ignored", body.size()) + body);
    const auto received = connection.receiveAll(std::chrono::seconds(1));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, statusesIn(received).size());
    requireContains(received, "\"read\":false");
}

TEST(TransfersTest, rawBodyTakesNoIdempotencyKey) {
    const auto response =
        client().request("POST", "/transfers", {{"Content-Type", "text/csv"}, {"Idempotency-Key", "upload-1"}}, "a\n");
    CPPUNIT_ASSERT_EQUAL(422, response.status);
    CPPUNIT_ASSERT_EQUAL(std::string("Idempotency-Key"),
                         response.error().at("details").at(0).at("field").get<std::string>());
}

TEST(TransfersTest, shortStreamHasALength) {
    const auto response = client().get("/transfers/export?lines=2");
    CPPUNIT_ASSERT_EQUAL(200, response.status);
    CPPUNIT_ASSERT_EQUAL(std::string("line 1\nline 2\n"), response.body);
    CPPUNIT_ASSERT_EQUAL(std::string("14"), response.header("Content-Length"));
    CPPUNIT_ASSERT_EQUAL(std::string("text/csv; charset=utf-8"), response.header("Content-Type"));
    requireContains(response.header("Content-Disposition"), "lines.csv");
    CPPUNIT_ASSERT(client().get("/transfers/export?lines=0").body.empty());
}

TEST(TransfersTest, longStreamIsChunked) {
    auto one = client();
    const auto response = one.get("/transfers/export?lines=100000");
    CPPUNIT_ASSERT_EQUAL(std::string("chunked"), response.header("Transfer-Encoding"));
    CPPUNIT_ASSERT(!response.hasHeader("Content-Length"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1'088'895}, response.body.size());
    CPPUNIT_ASSERT(response.body.ends_with("\nline 100000\n"));
    const auto head = one.request("HEAD", "/transfers/export?lines=100000");
    CPPUNIT_ASSERT_EQUAL(200, head.status);
    CPPUNIT_ASSERT_EQUAL(200, one.get("/transfers/export?lines=1").status);
}

TEST(TransfersTest, longStreamToAnOldClientEndsWithTheConnection) {
    RawConnection connection(fixture().server.url());
    connection.send("GET /api/v1/supplier/transfers/export?lines=20000 HTTP/1.0\r\nConnection: keep-alive\r\n"
                    "Authorization: Bearer " +
                    fixture().key + "\r\n\r\n");
    const auto received = connection.receiveAll(std::chrono::seconds(30));
    CPPUNIT_ASSERT(connection.closed());
    CPPUNIT_ASSERT(received.find("chunked") == std::string::npos);
    CPPUNIT_ASSERT(received.find("Content-Length") == std::string::npos);
    CPPUNIT_ASSERT(received.ends_with("\nline 20000\n"));
}

TEST(TransfersTest, streamThatFailsAtOnceIsAnError) {
    const auto response = client().get("/transfers/export?lines=100000&fails_at=10");
    CPPUNIT_ASSERT_EQUAL(500, response.status);
    CPPUNIT_ASSERT_EQUAL(std::string("SERVER_ERROR"), response.error().at("code").get<std::string>());
    CPPUNIT_ASSERT(response.body.find("tulip") == std::string::npos);
}

TEST(TransfersTest, streamThatFailsLaterIsBrokenOff) {
    RawConnection connection(fixture().server.url());
    connection.send("GET /api/v1/supplier/transfers/export?lines=100000&fails_at=90000 HTTP/1.1\r\nHost: h\r\n"
                    "Authorization: Bearer " +
                    fixture().key + "\r\n\r\n");
    const auto received = connection.receiveAll(std::chrono::seconds(30));
    CPPUNIT_ASSERT(connection.closed());
    requireContains(received, "line 1\n");
    CPPUNIT_ASSERT(!received.ends_with("0\r\n\r\n")); // so the client knows that it is not all
    logLine(fixture().server, "tulip-secret");
}

TEST(TransfersTest, textIsReplayedAsItWas) {
    const HttpHeaders headers{{"Idempotency-Key", "text-1"}};
    auto one = client();
    const auto first = one.post("/transfers/text", nlohmann::json::object(), headers);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(first.body, 201, first.status);
    const auto again = one.post("/transfers/text", nlohmann::json::object(), headers);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(first.body, again.body);
    CPPUNIT_ASSERT(first.body.starts_with("text "));
    CPPUNIT_ASSERT_EQUAL(first.header("Content-Type"), again.header("Content-Type"));
}

TEST(TransfersTest, scopeOfThePluginIsGivenToKeys) {
    const auto id = std::to_string(fixture().supplier);
    const auto made = supplierctl({"key", "create", id, "--scope", "transfers:write", "--json"});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(made.errors, 0, made.exitCode);
    const auto key = nlohmann::json::parse(made.output).at("key").at("secret").get<std::string>();
    auto allowed = fixture().server.client(key);
    CPPUNIT_ASSERT_EQUAL(201, allowed.request("POST", "/transfers", {{"Content-Type", "text/csv"}}, "a\n").status);
    auto other =
        fixture().server.client(fixture().server.createKey(fixture().supplier, {{"scopes", "'products:read'"}}));
    const auto refused = other.request("POST", "/transfers", {{"Content-Type", "text/csv"}}, "a\n");
    CPPUNIT_ASSERT_EQUAL(403, refused.status);
    requireContains(refused.body, "transfers:write");
}

TEST(TransfersTest, unknownScopeIsRefusedWithThoseThatThereAre) {
    const auto refused =
        supplierctl({"key", "create", std::to_string(fixture().supplier), "--scope", "transfers:rule"});
    CPPUNIT_ASSERT_EQUAL(2, refused.exitCode);
    requireContains(refused.errors, "transfers:rule");
    requireContains(refused.errors, "categories:read, products:read, products:write, transfers:write");
}

TEST(TransfersTest, meAndTheDocumentTellOfTheScopes) {
    const nlohmann::json all{"categories:read", "products:read", "products:write", "transfers:write"};
    CPPUNIT_ASSERT_EQUAL(all, client().get("/me").data().at("key").at("scopes"));
    const auto document = fixture().server.client().get("/openapi.json").json();
    CPPUNIT_ASSERT_EQUAL(std::string("Upload files"), document.at("x-scopes").at("transfers:write").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("products:read"),
                         document.at("paths").at("/products").at("get").at("x-scope").get<std::string>());
}

TEST(TransfersTest, keyTextIsVerified) {
    const auto shown = fixture().server.createKey(fixture().supplier, {{"scopes", "'products:read'"}});
    const auto response = client().get("/transfers/key", {{"X-Shown-Key", shown}});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 200, response.status);
    CPPUNIT_ASSERT_EQUAL(fixture().supplier, response.data().at("supplier_id").get<std::int64_t>());
    CPPUNIT_ASSERT_EQUAL(nlohmann::json{"products:read"}, response.data().at("scopes"));
    const auto operators = client().get("/transfers/key", {{"X-Shown-Key", fixture().server.createOperatorKey()}});
    CPPUNIT_ASSERT(operators.data().at("operator").get<bool>());
    const auto revoked = fixture().server.createKey(fixture().supplier, {{"revoked_at", "NOW(6)"}});
    CPPUNIT_ASSERT_EQUAL(403, client().get("/transfers/key", {{"X-Shown-Key", revoked}}).status);
}

TEST(TransfersTest, guessedKeysAreCounted) {
    const HttpHeaders guess{{"X-Shown-Key", "sk_guess"}, {"X-Forwarded-For", "192.0.2.77"}};
    for (int i = 0; i < 5; ++i)
        CPPUNIT_ASSERT_EQUAL(401, client().get("/transfers/key", guess).status);
    CPPUNIT_ASSERT_EQUAL(429, client().get("/transfers/key", guess).status);
}

TEST(TransfersTest, oneStatementWritesByItself) {
    const auto before = fixture().database.integer("SELECT COUNT(*) FROM transfers_rows");
    const auto response = client().postEmpty("/transfers/rows");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 201, response.status);
    CPPUNIT_ASSERT_EQUAL(1, response.data().at("changed").get<int>());
    CPPUNIT_ASSERT_EQUAL(before + 1, fixture().database.integer("SELECT COUNT(*) FROM transfers_rows"));
}

TEST(TransfersTest, writingWhileReadingIsRefused) {
    CPPUNIT_ASSERT_EQUAL(500, client().get("/transfers/write-while-reading").status);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                         fixture().database.integer("SELECT COUNT(*) FROM transfers_rows WHERE n = 77"));
    logLine(fixture().server, "withSession() and read() only read");
}

TEST(TransfersTest, nestedQueryIsRefused) {
    fixture().database.exec("INSERT IGNORE INTO transfers_rows (n) VALUES (501), (502)");
    CPPUNIT_ASSERT_EQUAL(500, client().get("/transfers/nested").status);
    logLine(fixture().server, "these rows are gone");
}

TEST(TransfersTest, observerIsToldOfAnsweredRequests) {
    const auto found = client().get("/transfers/export?lines=1", {{"X-Request-Id", "watched-1"}});
    CPPUNIT_ASSERT_EQUAL(200, found.status);
    CPPUNIT_ASSERT_EQUAL(404, client().get("/nothing", {{"X-Request-Id", "watched-2"}}).status);
    const auto seen = client().get("/transfers/observed?id=watched-1").data();
    CPPUNIT_ASSERT_EQUAL(nlohmann::json({{"headers", nlohmann::json::object()},
                                         {"query", "lines=1"},
                                         {"body", ""},
                                         {"body_size", 0},
                                         {"error_body", ""},
                                         {"method", "GET"},
                                         {"path", "/api/v1/supplier/transfers/export"},
                                         {"route", "/api/v1/supplier/transfers/export"},
                                         {"status", 200},
                                         {"error", ""},
                                         {"client", "127.0.0.1"},
                                         {"supplier_id", fixture().supplier},
                                         {"key", fixture().key.substr(0, 11)},
                                         {"bytes", 7}}),
                         seen);
    const auto missed = client().get("/transfers/observed?id=watched-2").data();
    CPPUNIT_ASSERT_EQUAL(std::string("NOT_FOUND"), missed.at("error").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string(), missed.at("route").get<std::string>());
}

TEST(TransfersTest, observerIsToldOfTheBodiesThatItAskedFor) {
    const auto told = [&](const std::string& path, const std::string& type, const std::string& body) {
        static int last = 0;
        const std::string id = "bodies-" + std::to_string(++last);
        client().request("POST", path, {{"Content-Type", type}, {"x-tulip", "red"}, {"X-Request-Id", id}}, body);
        return client().get("/transfers/observed?id=" + id).data();
    };
    const std::string large(3'000'000, 'x'); // in a file
    for (const auto& [path, type, body, begin] : std::vector<std::array<std::string, 4>>{
             {"/transfers/text", "application/json", R"({"text":"tulips and roses"})", R"({"text":"tul)"},
             {"/transfers/text", "application/json", "{broken", "{broken"},
             {"/transfers/text", "text/plain", "refused by its type", "refused by i"},
             {"/nothing", "application/json", "{}", "{}"},
             {"/transfers", "text/csv", "one,two\nthree", "one,two\nthre"},
             {"/transfers", "text/csv", large, large.substr(0, 12)}}) {
        const auto seen = told(path, type, body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(seen.dump(), begin, seen.at("body").get<std::string>());
        CPPUNIT_ASSERT_EQUAL(body.size(), seen.at("body_size").get<std::size_t>());
        CPPUNIT_ASSERT_EQUAL(nlohmann::json({{"Content-Type", type}, {"X-Tulip", "red"}}), seen.at("headers"));
        const auto error = seen.at("error_body").get<std::string>();
        CPPUNIT_ASSERT_EQUAL(seen.at("status").get<int>() >= 400 ? std::size_t{40} : 0, error.size());
    }
}

TEST(TransfersTest, productsAreFoundByTheirSkus) {
    const auto category = fixture().server.createCategory("Cut flowers");
    const auto create = [&](const std::string& key, const std::string& sku) {
        const auto made =
            fixture().server.client(key).post("/products", {{"name", "Rosa"},
                                                            {"category_id", category},
                                                            {"base_price", 1},
                                                            {"unit", "stem"},
                                                            {"sku", sku},
                                                            {"variants", {{{"name", "50 cm"}, {"sku", sku + "-50"}}}}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        return made.data().at("product");
    };
    const auto rose = create(fixture().key, "Rose-7");
    const auto deleted = create(fixture().key, "Tulip-7").at("id").dump();
    CPPUNIT_ASSERT_EQUAL(200, client().postEmpty("/products/" + deleted + "/delete").status);
    create(fixture().server.createKey(fixture().server.createSupplier("Another")), "Lily-7");

    const auto id = rose.at("id").dump();
    const auto variant = rose.at("variants").at(0).at("id").dump();
    CPPUNIT_ASSERT_EQUAL(
        nlohmann::json({id + "/" + variant, "none", "none", id + "/0", "none", id + "/0"}),
        client().get("/transfers/products?skus=rose-7-50;Tulip-7;Lily-7;ROSE-7;Rose;Rose-7").data().at("found"));
}

} // namespace supplierd::tests
