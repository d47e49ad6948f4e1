#include "tests/support/Places.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"
#include "tests/system/fixtures/RawConnection.h"
#include "tests/system/fixtures/ServerLogs.h"

#include <Poco/StringTokenizer.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {

struct RawRequest {
    std::filesystem::path file;
    std::string expected;
};

std::vector<RawRequest> rawRequests() {
    const std::filesystem::path folder = sourcePath("../shared/corpora/http-raw");
    std::ifstream verdicts(folder / "open.tsv");
    std::vector<RawRequest> files;
    std::string line;
    std::getline(verdicts, line);
    while (std::getline(verdicts, line)) {
        const Poco::StringTokenizer fields(line, "\t");
        files.push_back({folder / "open" / fields[0], fields[3]});
    }
    return files;
}

/// Files that are valid by their verdict and no HTTP by RFC 9112; tests/host/gate/RawRequestCorpusTest.cpp says why.
constexpr int REFUSED_BY_THE_RFC = 10;

bool isRefused(const std::string& expected, const std::vector<int>& statuses) {
    return expected.starts_with("valid:") &&
           std::any_of(statuses.begin(), statuses.end(), [](int status) { return status == 400 || status == 501; });
}

/// What the responses say against the corpus' verdict; empty when nothing does.
std::string disagreement(const std::string& expected, const std::vector<int>& statuses, bool isClosed) {
    const bool areErrors = std::all_of(statuses.begin(), statuses.end(), [](int status) { return status >= 400; });
    if (expected.starts_with("invalid") || expected.starts_with("incomplete"))
        return statuses.size() <= 1 && areErrors && isClosed ? "" : "not refused";
    if (!expected.starts_with("valid:") || isRefused(expected, statuses))
        return {};
    return statuses.size() == std::stoul(expected.substr(6)) ? "" : "another number of responses";
}

} // namespace

/// Raw requests, valid, broken and hostile, each on a connection of its own.
class RawRequestsTest : public CppUnit::TestFixture {
protected:
    void tryOne(const RawRequest& raw) {
        std::string problem;
        try {
            RawConnection connection(_url);
            connection.send(readWholeFile(raw.file));
            const auto statuses = statusesIn(connection.receiveAll(5s));
            _refused += isRefused(raw.expected, statuses) ? 1 : 0;
            problem = disagreement(raw.expected, statuses, connection.closed());
            if (!connection.closed())
                problem = "the connection is still open after the time-outs";
            if (std::any_of(statuses.begin(), statuses.end(), [](int status) { return status == 500; }))
                problem = "answered with 500";
            if (HttpClient(_url).get("/test/whoami").status != 401)
                problem = "a new connection is not answered";
        } catch (const std::exception& failure) {
            problem = failure.what();
        }
        if (problem.empty())
            return;
        const std::lock_guard lock(_mutex);
        _failures.push_back(raw.file.filename().string() + " (" + raw.expected + "): " + problem);
    }

    std::string _url;
    std::mutex _mutex;
    std::vector<std::string> _failures;
    std::atomic<int> _refused{0};
};

TEST(RawRequestsTest, everyRawRequestGetsItsVerdictAndNoneBringsTheServerDown) {
    const auto files = rawRequests();
    if (files.empty()) {
        throw Skip("there is no ../shared/corpora/http-raw");
    }
    TestDatabase database;
    ServerProcess server(database, probed("[server]\nrequest_timeout = \"1s\"\nkeep_alive_timeout = \"1s\"\n"
                                          "[auth]\nfailures_per_minute = 1000000\n"));
    _url = server.url();
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            for (auto at = next++; at < files.size(); at = next++)
                tryOne(files[at]);
        });
    for (auto& thread : threads)
        thread.join();
    for (const auto& failure : _failures)
        std::printf("\n    %s", failure.c_str());
    CPPUNIT_ASSERT(_failures.empty());
    CPPUNIT_ASSERT_EQUAL(REFUSED_BY_THE_RFC, _refused.load());

    CPPUNIT_ASSERT(server.process().isRunning());
    const auto last = server.client().get("/test/whoami");
    requireError(401, "UNAUTHORIZED", last);
    accessLine(server, last.header("X-Request-Id"));
    for (const auto& line : accessLines(server)) {
        CPPUNIT_ASSERT_MESSAGE(line.dump(),
                               line.at("route").get<std::string>().find("__smuggled") == std::string::npos);
        const auto status = line.at("status").get<int>();
        CPPUNIT_ASSERT_MESSAGE(line.dump(), status < 500 || status == 501);
    }
    CPPUNIT_ASSERT_EQUAL(0, server.stop());
}

} // namespace supplierd::tests
