#include "host/observe/AccessLog.h"
#include "host/observe/JsonLogger.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Json.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace supplierd::tests {

/// The lines of the server's log and of the access log.
class JsonLinesTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _directory = std::make_unique<TemporaryDirectory>("log");
        _writer = std::make_unique<host::LogWriter>((*_directory / "a.log").string());
    }

protected:
    std::vector<Json> lines() {
        _writer->flush();
        std::istringstream text(readWholeFile(*_directory / "a.log"));
        std::vector<Json> parsed;
        for (std::string line; std::getline(text, line);)
            parsed.push_back(Json::parse(line));
        return parsed;
    }

    Json onlyLine() {
        const auto all = lines();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, all.size());
        return all[0];
    }

    static void assertTime(const Json& line) {
        static const std::regex FORM(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)");
        CPPUNIT_ASSERT(std::regex_match(line.at("time").get<std::string>(), FORM));
    }

    std::unique_ptr<TemporaryDirectory> _directory;
    std::unique_ptr<host::LogWriter> _writer;
};

TEST(JsonLinesTest, logLineHasTimeLevelSourceMessageAndFields) {
    host::JsonLogger log(*_writer, "catalog", LogLevel::Debug);
    log.warning("slow query", {{"route", std::string("/products")}, {"ms", std::int64_t{250}}});
    const auto line = onlyLine();
    CPPUNIT_ASSERT_EQUAL(std::string("warning"), line.at("level").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("catalog"), line.at("source").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("slow query"), line.at("message").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(std::string("/products"), line.at("route").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(250, line.at("ms").get<int>());
    assertTime(line);
}

TEST(JsonLinesTest, linesBelowTheThresholdAreLeftOut) {
    host::JsonLogger log(*_writer, "catalog", LogLevel::Warning);
    log.debug("a");
    log.information("b");
    log.warning("c");
    log.error("d");
    const auto all = lines();
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, all.size());
    CPPUNIT_ASSERT_EQUAL(std::string("error"), all[1].at("level").get<std::string>());
}

TEST(JsonLinesTest, lineBreaksInAMessageDoNotBreakTheLine) {
    host::JsonLogger log(*_writer, "catalog", LogLevel::Debug);
    log.error("first\nsecond \"quoted\" \x01");
    CPPUNIT_ASSERT_EQUAL(std::string("first\nsecond \"quoted\" \x01"), onlyLine().at("message").get<std::string>());
}

TEST(JsonLinesTest, accessLineHasAllItsFields) {
    host::AccessRecord record;
    record.requestId = "req-1";
    record.keyPrefix = "sk_ab12cd34";
    record.supplierId = 3;
    record.client = "192.0.2.1";
    record.method = "GET";
    record.route = "/api/v1/supplier/products/{id:int}";
    record.status = 200;
    record.bytes = 512;
    record.milliseconds = 1.2345;
    host::AccessLog(*_writer).write(record);
    const auto line = onlyLine();
    assertTime(line);
    auto rest = line;
    rest.erase("time");
    CPPUNIT_ASSERT_EQUAL(Json::parse(R"({"request_id":"req-1","key":"sk_ab12cd34","supplier":3,
        "client":"192.0.2.1","method":"GET","route":"/api/v1/supplier/products/{id:int}","status":200,
        "bytes":512,"ms":1.234})")
                             .dump(),
                         rest.dump());
}

TEST(JsonLinesTest, accessLineWithoutKeyHasNulls) {
    host::AccessLog(*_writer).write({});
    const auto line = onlyLine();
    CPPUNIT_ASSERT(line.at("key").is_null());
    CPPUNIT_ASSERT(line.at("supplier").is_null());
}

TEST(JsonLinesTest, accessLineOfAnOperatorHasNoSupplier) {
    host::AccessRecord record;
    record.keyPrefix = "ok_ab12cd34";
    host::AccessLog(*_writer).write(record);
    const auto line = onlyLine();
    CPPUNIT_ASSERT_EQUAL(std::string("ok_ab12cd34"), line.at("key").get<std::string>());
    CPPUNIT_ASSERT(line.at("supplier").is_null());
}

TEST(JsonLinesTest, accessLineEscapesWhatTheClientSent) {
    host::AccessRecord record;
    record.method = "GE\"T\n";
    host::AccessLog(*_writer).write(record);
    CPPUNIT_ASSERT_EQUAL(std::string("GE\"T\n"), onlyLine().at("method").get<std::string>());
}

} // namespace supplierd::tests
