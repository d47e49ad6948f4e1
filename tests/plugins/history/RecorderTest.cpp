#include "Recorder.h"

#include "tests/support/Test.h"

#include <supplierd/testing/FakeHost.h>

#include <string>

namespace supplierd::tests {

using history::Recorder;

class RecorderTest : public CppUnit::TestFixture {
protected:
    static Recorder::Settings settings() {
        return {.rates = {.errors = 3, .writes = 2, .reads = 1},
                .limits = {std::chrono::hours(1), 1'000'000, std::int64_t{1} << 30},
                .body = 8'192};
    }
    static AnsweredRequest request(const std::string& method, int status) {
        AnsweredRequest request;
        request.method = method;
        request.status = status;
        request.path = "/api/v1/supplier/products";
        request.supplierId = 1;
        request.keyId = 7;
        request.answeredAt = std::chrono::system_clock::time_point(std::chrono::hours(500'000));
        return request;
    }
    /// As the host does.
    static void tell(Recorder& recorder, const AnsweredRequest& request) {
        RequestSummary facts;
        facts.method = request.method;
        facts.status = request.status;
        facts.supplierId = request.supplierId;
        facts.keyId = request.keyId;
        facts.answeredAt = request.answeredAt;
        if (recorder.wants(facts))
            recorder.answered({&request, 1});
    }
    int outcome(const std::string& name) const {
        return static_cast<int>(_host.metrics().value("requests_total", {{"outcome", name}}));
    }

    mutable testing::FakeHost _host;
};

TEST(RecorderTest, kindsHaveRatesOfTheirOwn) {
    Recorder recorder(_host, settings());
    for (int i = 0; i < 5; ++i) {
        tell(recorder, request("GET", 200));
        tell(recorder, request("HEAD", 304));
        tell(recorder, request("POST", 201));
        tell(recorder, request("GET", 404));
    }
    CPPUNIT_ASSERT_EQUAL(10 - 1 + 5 - 2 + 5 - 3, outcome("skipped"));
}

TEST(RecorderTest, everyKeyAndEveryMinuteBeginsAnew) {
    Recorder recorder(_host, settings());
    auto read = request("GET", 200);
    tell(recorder, read);
    tell(recorder, read);
    CPPUNIT_ASSERT_EQUAL(1, outcome("skipped"));
    read.keyId = 8;
    tell(recorder, read);
    read.answeredAt += std::chrono::minutes(1);
    tell(recorder, read);
    CPPUNIT_ASSERT_EQUAL(1, outcome("skipped"));
}

TEST(RecorderTest, rateOfZeroRecordsNone) {
    auto none = settings();
    none.rates = {1, 0, 0};
    Recorder recorder(_host, none);
    tell(recorder, request("GET", 200));
    tell(recorder, request("POST", 200));
    tell(recorder, request("POST", 500));
    CPPUNIT_ASSERT_EQUAL(2, outcome("skipped"));
}

TEST(RecorderTest, onlyRequestsOfSuppliersKeysAreRecorded) {
    Recorder recorder(_host, settings());
    auto nobody = request("GET", 401);
    nobody.supplierId = 0;
    auto person = request("GET", 200);
    person.keyId = 0;
    tell(recorder, nobody);
    tell(recorder, person);
    recorder.begin();
    recorder.end(); // would run a statement that no script knows
    CPPUNIT_ASSERT_EQUAL(0, outcome("recorded") + outcome("dropped") + outcome("skipped"));
}

/// Nobody writes.
TEST(RecorderTest, whatDoesNotFitIsDroppedAndCounted) {
    auto all = settings();
    all.rates.errors = 1'000'000;
    Recorder recorder(_host, all);
    for (std::size_t i = 0; i < Recorder::WAITING + 7; ++i)
        tell(recorder, request("GET", 404));
    CPPUNIT_ASSERT_EQUAL(7, outcome("dropped"));
}

TEST(RecorderTest, waitingIsBoundInBytesToo) {
    auto all = settings();
    all.rates.errors = 1'000'000;
    all.body = 65'536;
    Recorder recorder(_host, all);
    auto large = request("POST", 422);
    large.requestBody = std::string(60'000, 'x');
    large.requestBodySize = large.requestBody.size();
    for (int i = 0; i < 400; ++i)
        tell(recorder, large);
    CPPUNIT_ASSERT(outcome("dropped") > 400 - 16 * 1'024 * 1'024 / 60'000 - 2);
    CPPUNIT_ASSERT(outcome("dropped") < 200);
}

TEST(RecorderTest, smallRestsTakeStatementsOfTheirOwn) {
    auto all = settings();
    all.rates.errors = 1'000'000;
    _host.database().whenExecute("INSERT INTO history_requests").thenAffects(64);
    Recorder recorder(_host, all);
    for (int i = 0; i < 64 + 2 * 8 + 3; ++i)
        tell(recorder, request("GET", 404));
    recorder.begin();
    recorder.end();
    CPPUNIT_ASSERT_EQUAL(83, outcome("recorded"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1 + 2 + 3}, _host.database().statements().size());
}

TEST(RecorderTest, batchThatTheDatabaseRefusesIsDroppedAndTheNextWritten) {
    _host.database().whenExecute("INSERT INTO history_requests").thenThrows(1406, "Data too long").thenAffects(1);
    auto all = settings();
    all.rates.errors = 1'000'000;
    Recorder recorder(_host, all);
    for (int i = 0; i < 512; ++i) // a batch
        tell(recorder, request("GET", 404));
    tell(recorder, request("GET", 404));
    recorder.begin();
    recorder.end();
    CPPUNIT_ASSERT_EQUAL(512, outcome("dropped"));
    CPPUNIT_ASSERT_EQUAL(1, outcome("recorded"));
    CPPUNIT_ASSERT(_host.log().contains("requests were not recorded"));
}

/// The database refuses half a character, and with it all that is written at once.
TEST(RecorderTest, longMessageIsCutBetweenCharacters) {
    _host.database().whenExecute("INSERT INTO history_requests").thenAffects(1);
    Recorder recorder(_host, settings());
    std::string message = "xx";
    while (message.size() < 1'200)
        message += "€";
    auto refused = request("POST", 422);
    refused.errorBody = R"({"error":{"code":"validation_error","message":")" + message + "\"}}";
    tell(recorder, refused);
    recorder.begin();
    recorder.end();
    constexpr std::size_t MESSAGE = 9;
    const auto kept = _host.database().statement("INSERT INTO history_requests").parameters.at(MESSAGE);
    CPPUNIT_ASSERT_EQUAL(message.substr(0, 998), kept.text());
}

} // namespace supplierd::tests
