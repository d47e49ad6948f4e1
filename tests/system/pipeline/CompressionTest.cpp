#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"

#include <Poco/InflatingStream.h>

#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

namespace supplierd::tests {

namespace {

const HttpHeaders GZIP = {{"Accept-Encoding", "br, gzip;q=0.8"}};

std::string unpacked(const std::string& bytes) {
    std::istringstream in(bytes);
    Poco::InflatingInputStream stream(in, Poco::InflatingStreamBuf::STREAM_GZIP);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

} // namespace

/// gzip by configuration: server.compression.
class CompressionTest : public CppUnit::TestFixture {
protected:
    void start() {
        _server = std::make_unique<ServerProcess>(_database, probed("[server]\ncompression = true\n"));
        _client.emplace(_server->client(_server->createKey(_server->createSupplier("Rozenhof"))));
    }

    TestDatabase _database;
    std::unique_ptr<ServerProcess> _server;
    std::optional<HttpClient> _client;
};

TEST(CompressionTest, nothingIsCompressedUnlessConfigured) {
    const auto response = newClient().get("/test/large?kib=4", GZIP);
    requireStatus(200, response);
    CPPUNIT_ASSERT(!response.hasHeader("Content-Encoding") && !response.hasHeader("Vary"));
    CPPUNIT_ASSERT(response.data().is_string());
}

TEST(CompressionTest, largeJsonIsCompressedForWhoAcceptsIt) {
    start();
    const auto plain = _client->get("/test/large?kib=4");
    for (const auto* accepted : {"gzip", "GZIP", "deflate, gzip;q=1.0", "*", "x-gzip", "identity, *;q=0.1"}) {
        const auto response = _client->get("/test/large?kib=4", {{"Accept-Encoding", accepted}});
        requireStatus(200, response);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(accepted, std::string("gzip"), response.header("Content-Encoding"));
        CPPUNIT_ASSERT_EQUAL(std::string("application/json"), response.header("Content-Type"));
        CPPUNIT_ASSERT_EQUAL(std::to_string(response.body.size()), response.header("Content-Length"));
        CPPUNIT_ASSERT(response.body.size() < 500);
        CPPUNIT_ASSERT_EQUAL(plain.body, unpacked(response.body));
        CPPUNIT_ASSERT_EQUAL(std::string("Accept-Encoding"), response.header("Vary"));
    }
}

TEST(CompressionTest, clientsThatDoNotAcceptItGetPlainJson) {
    start();
    for (const auto* accepted : {"", "identity", "br", "gzip;q=0", "gzip; q=0.000, *", "*;q=0", "xgzip"}) {
        const auto response = _client->get("/test/large?kib=4", {{"Accept-Encoding", accepted}});
        CPPUNIT_ASSERT_MESSAGE(accepted, !response.hasHeader("Content-Encoding"));
        CPPUNIT_ASSERT(response.data().is_string());
        CPPUNIT_ASSERT_EQUAL(std::string("Accept-Encoding"), response.header("Vary"));
    }
}

TEST(CompressionTest, smallJsonStaysAsItIs) {
    start();
    const auto response = _client->get("/test/whoami", GZIP);
    requireStatus(200, response);
    CPPUNIT_ASSERT(!response.hasHeader("Content-Encoding"));
    requireError(404, "NOT_FOUND", _client->get("/nothing", GZIP));
}

TEST(CompressionTest, headSaysWhatGetWouldSend) {
    start();
    const auto get = _client->get("/test/large?kib=4", GZIP);
    const auto head = _client->request("HEAD", "/test/large?kib=4", GZIP);
    requireStatus(200, head);
    CPPUNIT_ASSERT(head.body.empty());
    for (const auto* name : {"Content-Encoding", "Content-Length", "Vary", "Content-Type"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(name, get.header(name), head.header(name));
}

TEST(CompressionTest, secretIsNeverCompressed) {
    start();
    const auto response = _client->post("/test/secret", {{"name", "compressed"}}, GZIP);
    requireStatus(201, response);
    CPPUNIT_ASSERT(response.body.size() > 2'048);
    CPPUNIT_ASSERT(!response.hasHeader("Content-Encoding"));
    CPPUNIT_ASSERT_EQUAL(std::string("rose-secret"), response.data().at("secret").get<std::string>());
}

// If-Match takes strong tags only, and a strong one is of these very bytes.
TEST(CompressionTest, responseWithAStrongTagIsSentByteForByte) {
    start();
    const auto response = _client->get("/test/large?kib=4&etag=%227%22", GZIP);
    requireStatus(200, response);
    CPPUNIT_ASSERT(!response.hasHeader("Content-Encoding") && !response.hasHeader("Vary"));
    CPPUNIT_ASSERT_EQUAL(std::string("\"7\""), response.header("ETag"));
}

TEST(CompressionTest, weakTagIsKept) {
    start();
    const auto response = _client->get("/test/large?kib=4&etag=W/%227%22", GZIP);
    CPPUNIT_ASSERT_EQUAL(std::string("gzip"), response.header("Content-Encoding"));
    CPPUNIT_ASSERT_EQUAL(std::string("W/\"7\""), response.header("ETag"));
}

} // namespace supplierd::tests
