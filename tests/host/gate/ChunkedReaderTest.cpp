#include "host/gate/ChunkedReader.h"

#include "tests/support/Test.h"

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::tests {

using host::ChunkedReader;
using namespace std::string_literals;

namespace {

constexpr std::uint64_t LIMIT = 100;

struct Reading {
    std::string body;
    std::size_t taken = 0;
    int status = 0; ///< -1: more is waited for; 0: complete
};

Reading readAll(const std::string& bytes, std::size_t piece = std::string::npos) {
    ChunkedReader reader(LIMIT);
    Reading reading;
    for (std::size_t at = 0; at < bytes.size() && reader.state() == ChunkedReader::State::Reading; at += piece) {
        reading.taken += reader.read(std::string_view(bytes).substr(at, piece), reading.body);
        if (piece == std::string::npos)
            break;
    }
    if (reader.state() == ChunkedReader::State::Reading)
        reading.status = -1;
    else if (reader.state() == ChunkedReader::State::Rejected)
        reading.status = reader.rejection().status;
    return reading;
}

/// The same in one piece, byte by byte and in threes.
int statusOf(const std::string& bytes) {
    const auto whole = readAll(bytes);
    for (const std::size_t piece : {1, 3}) {
        const auto pieces = readAll(bytes, piece);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(bytes, whole.status, pieces.status);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(bytes, whole.body, pieces.body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(bytes, whole.taken, pieces.taken);
    }
    return whole.status;
}

void require(int status, const std::vector<std::string>& cases) {
    for (const auto& bytes : cases)
        CPPUNIT_ASSERT_EQUAL_MESSAGE(bytes, status, statusOf(bytes));
}

} // namespace

class ChunkedReaderTest : public CppUnit::TestFixture {};

TEST(ChunkedReaderTest, chunksAreJoined) {
    const auto reading = readAll("5\r\nhello\r\n006\r\n world\r\nA\r\n0123456789\r\na\r\nabcdefghij\r\n000\r\n\r\n");
    CPPUNIT_ASSERT_EQUAL("hello world0123456789abcdefghij"s, reading.body);
    CPPUNIT_ASSERT_EQUAL(0, reading.status);
    CPPUNIT_ASSERT_EQUAL(""s, readAll("0\r\n\r\n").body);
}

TEST(ChunkedReaderTest, whatFollowsIsLeft) {
    const std::string body = "2\r\n{}\r\n0\r\n\r\n";
    for (const std::size_t piece : {std::size_t{1}, std::size_t{4}, std::string::npos}) {
        const auto reading = readAll(body + "GET /", piece);
        CPPUNIT_ASSERT_EQUAL(0, reading.status);
        CPPUNIT_ASSERT_EQUAL("{}"s, reading.body);
        CPPUNIT_ASSERT_EQUAL(body.size(), reading.taken);
    }
}

TEST(ChunkedReaderTest, bodyThatEndsEarlyIsWaitedFor) {
    const std::string body = "2;a=\"b\"\r\n{}\r\n0\r\nA: b\r\n\r\n";
    for (std::size_t size = 0; size < body.size(); ++size)
        CPPUNIT_ASSERT_EQUAL_MESSAGE(body.substr(0, size), -1, statusOf(body.substr(0, size)));
    CPPUNIT_ASSERT_EQUAL(0, statusOf(body));
}

TEST(ChunkedReaderTest, sizeIsHexadecimalDigitsOnly) {
    require(400, {"\r\n", "+2\r\n{}", "-2\r\n{}", "0x2\r\n{}", " 2\r\n{}", "2 \r\n{}", "2\t\r\n{}", "0_2\r\n{}",
                  "2,\r\n{}", "g\r\n", "2\0\r\n{}"s, "2\xff\r\n{}", "\xd9\xa1\r\n", "2 2\r\n{}", "0 \r\n\r\n"});
    require(400, {"10000000000000002\r\n{}", "0000000000000002\r\n{}"});
    require(0, {"000000000000000\r\n\r\n", "000000002\r\n{}\r\n0\r\n\r\n"});
}

TEST(ChunkedReaderTest, linesEndInCrLf) {
    require(400, {"2\n{}\r\n0\r\n\r\n", "2\r{}\r\n", "2\r\n{}\n0\r\n\r\n", "2\r\n{}\r0\r\n\r\n", "0\n\n", "0\r\n\n",
                  "0\r\n\r\r", "2\r\r\n{}", "2;a\n{}"});
}

TEST(ChunkedReaderTest, dataEndsWhereItsSizeSays) {
    require(400, {"2\r\n{}x\r\n0\r\n\r\n", "3\r\n{}\r\n0\r\n\r\n", "1\r\n{}\r\n0\r\n\r\n", "2\r\n{}0\r\n\r\n"});
}

TEST(ChunkedReaderTest, limitIsExactAndKnownBeforeTheData) {
    const std::string full = "64\r\n" + std::string(100, 'x') + "\r\n";
    require(0, {full + "0\r\n\r\n"});
    require(413, {"65\r\n", full + "1\r\n", "fffffffffffffff\r\n", "50\r\n" + std::string(80, 'x') + "\r\n15\r\n"});
}

TEST(ChunkedReaderTest, extensionsAreCheckedAndForgotten) {
    require(0, {"2;a\r\n{}\r\n0;b=c\r\n\r\n", "2;a=b;c=\"d\"\r\n{}\r\n0\r\n\r\n",
                "2 ; a = b ; c = \"d;\\\" e\" \r\n{}\r\n0\r\n\r\n", "2;a=\"\"\r\n{}\r\n0\r\n\r\n"});
    require(400, {"2;\r\n", "2; \r\n", "2;=b\r\n", "2;a=\r\n", "2;a b\r\n", "2;a=b c\r\n", "2;a=\"b\r\n",
                  "2;a=\"b\"c\r\n", "2;a=\"\\\r\n", "2;a=\"\x01\"\r\n", "2;a \r\n", "2;(\r\n"});
}

TEST(ChunkedReaderTest, endlessExtensionsAreRefused) {
    require(400, {"2;" + std::string(70'000, 'a') + "\r\n"});
    std::string many;
    for (int i = 0; i < 50; ++i)
        many += "1;" + std::string(200, 'a') + "\r\nx\r\n";
    require(400, {many});
}

TEST(ChunkedReaderTest, trailersAreCheckedAndForgotten) {
    const auto reading = readAll("2\r\n{}\r\n0\r\nVary: *\r\nX-Sum:\r\n\r\nGET");
    CPPUNIT_ASSERT_EQUAL(0, reading.status);
    CPPUNIT_ASSERT_EQUAL("{}"s, reading.body);
    require(400, {"0\r\nContent-Length: 99\r\n\r\n", "0\r\nhost: h\r\n\r\n", "0\r\nTransfer-Encoding: chunked\r\n\r\n",
                  "0\r\nAuthorization: x\r\n\r\n", "0\r\nA\r\n\r\n", "0\r\n A: b\r\n\r\n", "0\r\nA : b\r\n\r\n",
                  "0\r\nA: \0\r\n\r\n"s, "0\r\nGET / HTTP/1.1\r\n\r\n", "0\r\nA: =?x?Q?y?=\r\n\r\n"});
    require(431, {"0\r\nA: " + std::string(5'000, 'a') + "\r\n\r\n"});
}

} // namespace supplierd::tests
