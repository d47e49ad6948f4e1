#include "tests/plugins/history/HistoryFixture.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

/// The command of a recorded request, run by sh with curl: what the server then records of it is the same.
class ReplayTest : public CppUnit::TestFixture {
protected:
    static void run(const RecordedSupplier& supplier, const json& record,
                    const std::filesystem::path& directory = std::filesystem::temp_directory_path()) {
        const auto done = runCommand({.arguments = {"/bin/sh", "-c", record.at("curl").get<std::string>()},
                                      .environment = {{"PATH", "/usr/bin:/bin"}, {"KEY", supplier.key()}},
                                      .workingDirectory = directory});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(record.at("curl").get<std::string>() + done.errors, 0, done.exitCode);
    }

    static void requireSame(const std::string& method, const std::string& target, const HttpHeaders& headers = {},
                            const std::optional<std::string>& body = std::nullopt) {
        RecordedSupplier supplier;
        const json first = supplier.record(supplier.send(method, target, headers, body));
        run(supplier, first);
        const std::string replayed = "request_id NOT LIKE 'sent-%' AND path NOT LIKE '%/requests%'";
        supplier.waitForRecorded(1, replayed);
        json again = supplier.record(supplier.on().database().text(
            "SELECT request_id FROM history_requests WHERE supplier_id = " + std::to_string(supplier.id()) + " AND " +
            replayed));
        for (const char* member : {"method", "path", "query", "status", "headers", "body", "body_size", "curl"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(first.at("curl").get<std::string>() + "\n" + member, first.at(member),
                                         again.at(member));
    }
};

TEST(ReplayTest, queryAndPathAreTheSame) {
    requireSame("GET", "/products?page=1&search=a%20b%27%22+c&x[]={1..3}&y=$(id)`id`&z=\\n!");
    requireSame("GET", "/products/../products/%2e%2e/it's~{a,b}[1-3]");
}

TEST(ReplayTest, textIsTheSame) {
    for (const char* body : {R"({"name":"it's a \"Rosa\"","description":"line\nline $KEY `id` %s \\ 🌹"})",
                             "@/etc/passwd", "{\n\t\"a\": 1\n}\n", "'", "-", "name=Rosa&x=%27"})
        requireSame("POST", "/products", {{"Content-Type", "application/json"}}, body);
    requireSame("POST", "/products", {{"Content-Type", "text/plain; charset=utf-8"}}, "plain");
    requireSame("PUT", "/products", {{"Content-Type", "application/json"}}, "{}");
}

TEST(ReplayTest, anyByteIsTheSame) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte)
        all += static_cast<char>(byte);
    for (const std::string& body : {all, std::string("{\"a\":\"\xC3\"}"), std::string("\r\n%d"), std::string("\0", 1)})
        requireSame("POST", "/products", {{"Content-Type", "application/json"}}, body);
}

TEST(ReplayTest, requestWithoutABodyIsTheSame) {
    requireSame("POST", "/products/1/delete", {}, "");
    requireSame("DELETE", "/products/1");
}

TEST(ReplayTest, longBodyComesFromTheFile) {
    RecordedSupplier supplier;
    const std::string body = R"({"name":")" + std::string(20'000, 'x') + "\"}";
    const json record =
        supplier.record(supplier.send("POST", "/products", {{"Content-Type", "application/json"}}, body));
    CPPUNIT_ASSERT_EQUAL(json(false), record.at("body").at("is_whole"));
    CPPUNIT_ASSERT_EQUAL(body.substr(0, 8'192), record.at("body").at("text").get<std::string>());
    const TemporaryDirectory directory;
    writeWholeFile(directory / "request-body", body);
    run(supplier, record, directory.path());
    supplier.waitForRecorded(2, "method = 'POST' AND body_size = " + std::to_string(body.size()));
}

TEST(ReplayTest, blankedSecretIsTheOnlyDifference) {
    RecordedSupplier supplier;
    const json record =
        supplier.record(supplier.send("POST", "/products?token=hunter2", {{"Content-Type", "application/json"}},
                                      R"({"password":"hunter2","name":"Rosa"})"));
    const auto command = record.at("curl").get<std::string>();
    CPPUNIT_ASSERT(command.find("/products?token=***'") != std::string::npos);
    CPPUNIT_ASSERT(command.find(R"(--data-raw '{"password":"***","name":"Rosa"}')") != std::string::npos);
    CPPUNIT_ASSERT(record.dump().find("hunter2") == std::string::npos);
}

} // namespace supplierd::tests
