#include "tests/plugins/history/HistoryFixture.h"

#include "tests/support/Responses.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <cppunit/TestAssert.h>

#include <atomic>

namespace supplierd::tests {

ServerOptions historyOptions(const std::string& more) {
    ServerOptions options;
    options.plugins = {"categories", "catalog", "csv", "history"};
    options.configuration = "[auth]\nfailures_per_minute = 1000000\n[rate_limit]\nrequests_per_hour = 10000000\n"
                            "[plugins.history]\nerrors_per_minute = 1000000\nwrites_per_minute = 1000000\n"
                            "reads_per_minute = 1000000\n" +
                            more;
    return options;
}

ServerFixture& fixture() {
    static ServerFixture shared(historyOptions());
    return shared;
}

std::string RecordedSupplier::send(const std::string& method, const std::string& target, const HttpHeaders& headers,
                                   const std::optional<std::string>& body) {
    static std::atomic<int> last{0};
    const std::string requestId = "sent-" + std::to_string(++last);
    HttpHeaders all = headers;
    all.emplace_back("X-Request-Id", requestId);
    request(method, target, all, body);
    return requestId;
}

std::int64_t RecordedSupplier::recorded(const std::string& condition) {
    return on().database().integer("SELECT COUNT(*) FROM history_requests WHERE supplier_id = " + std::to_string(id()) +
                                   " AND " + condition);
}

void RecordedSupplier::waitForRecorded(std::int64_t count, const std::string& condition) {
    waitFor(std::to_string(count) + " requests where " + condition, [&] { return recorded(condition) == count; });
}

Json RecordedSupplier::record(const std::string& requestId) {
    waitForRecorded(1, "request_id = " + on().database().quote(requestId));
    const auto found = listed("request_id=" + requestId).at("requests");
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, found.size());
    return dataOf(get("/requests/" + found.at(0).at("id").dump())).at("request");
}

Json RecordedSupplier::listed(const std::string& query) {
    return dataOf(get("/requests" + (query.empty() ? query : "?" + query)));
}

} // namespace supplierd::tests
