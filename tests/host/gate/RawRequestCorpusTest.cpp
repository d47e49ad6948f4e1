#include "tests/host/gate/RequestStream.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Places.h"
#include "tests/support/Test.h"

#include <Poco/StringTokenizer.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

struct RawRequest {
    std::string file;
    std::string expected;
    std::string bytes;
};

std::vector<RawRequest> rawRequestCorpus() {
    const std::filesystem::path folder = sourcePath("../shared/corpora/http-raw");
    std::ifstream verdicts(folder / "open.tsv");
    std::vector<RawRequest> result;
    if (!verdicts)
        throw Skip("there is no ../shared/corpora/http-raw");
    std::string line;
    std::getline(verdicts, line);
    while (std::getline(verdicts, line)) {
        const Poco::StringTokenizer fields(line, "\t");
        result.push_back({fields[0], fields[3], readWholeFile(folder / "open" / fields[0])});
    }
    return result;
}

/// Verdicts that RFC 9112 forbids to follow: what is asked for is refused, and why.
const std::map<std::string, std::string>& refusedByTheRfc() {
    static const std::string NO_HOST = "HTTP/1.1 without Host: 3.2 wants a 400";
    static const std::string CODING = "a coding besides chunked: 6.1 wants a 501";
    static const std::map<std::string, std::string> FILES = {
        {"gun_valid_005.req", NO_HOST},     {"gun_valid_011.req", NO_HOST},
        {"gun_valid_022.req", NO_HOST},     {"gun_valid_023.req", NO_HOST},
        {"gun_valid_025_line.req", CODING}, {"gun_valid_029.req", CODING},
        {"gun_valid_030.req", CODING},      {"gun_valid_031.req", NO_HOST},
        {"gun_valid_100.req", NO_HOST},     {"gun_valid_rfc9112_smuggle_te_identity_chunked_01.req", CODING},
    };
    return FILES;
}

constexpr int METHOD_NOT_ALLOWED = 405;

/// The reading's verdict against the corpus'; empty when they agree.
std::string disagreement(const RawRequest& raw, const RequestStream& stream) {
    const auto whole = std::count_if(stream.requests().begin(), stream.requests().end(),
                                     [](const auto& request) { return request.isWhole; });
    const auto begins = [&](std::string_view verdict) { return raw.expected.starts_with(verdict); };
    for (const auto& request : stream.requests())
        if (request.target.find("__smuggled") != std::string::npos)
            return "a smuggled request was read";
    if (refusedByTheRfc().contains(raw.file))
        return stream.refusedWith() == 400 || stream.refusedWith() == 501 ? "" : "not refused";
    if (begins("invalid"))
        return whole == 0 && stream.refusedWith() != 0 ? "" : "not refused at once";
    if (begins("incomplete"))
        return whole == 0 && stream.refusedWith() == 0 ? "" : "not waited for";
    if (!begins("valid:"))
        return "";
    // A tunnel is refused by its method, which is no fault of the framing.
    const auto answered = stream.requests().size() + (stream.refusedWith() == METHOD_NOT_ALLOWED ? 1 : 0);
    if (stream.refusedWith() != 0 && stream.refusedWith() != METHOD_NOT_ALLOWED)
        return "refused";
    return answered == std::stoul(raw.expected.substr(6)) ? "" : "another number of requests";
}

} // namespace

/// Raw requests, valid, broken and hostile, from other projects and of our own, each with its verdict.
class RawRequestCorpusTest : public CppUnit::TestFixture {};

TEST(RawRequestCorpusTest, everyFileGetsItsVerdict) {
    std::string failures;
    for (const auto& raw : rawRequestCorpus()) {
        RequestStream stream;
        stream.add(raw.bytes);
        if (const auto problem = disagreement(raw, stream); !problem.empty())
            failures += raw.file + " (" + raw.expected + "): " + problem + ": " + stream.summary() + "\n";
    }
    CPPUNIT_ASSERT_EQUAL(std::string(), failures);
}

TEST(RawRequestCorpusTest, everyFileIsReadTheSameInWhateverPieces) {
    constexpr std::size_t SMALL = 1'000;
    for (const auto& raw : rawRequestCorpus()) {
        RequestStream whole;
        whole.add(raw.bytes);
        RequestStream bytewise;
        for (const char c : raw.bytes)
            bytewise.add(std::string_view(&c, 1));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(raw.file, whole.summary(), bytewise.summary());
        for (std::size_t at = 1; raw.bytes.size() < SMALL && at < raw.bytes.size(); ++at) {
            RequestStream halves;
            halves.add(std::string_view(raw.bytes).substr(0, at));
            halves.add(std::string_view(raw.bytes).substr(at));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(raw.file, whole.summary(), halves.summary());
        }
    }
}

} // namespace supplierd::tests
