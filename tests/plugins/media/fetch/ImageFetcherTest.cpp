#include "FetchFixture.h"
#include "tests/support/LoopbackOrigin.h"
#include "tests/support/Test.h"

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

namespace supplierd::tests {

/// What a web server may answer, well or badly, and what becomes of it.
class ImageFetcherTest : public CppUnit::TestFixture {
protected:
    static constexpr const char* URL = "http://images.example.com/a.jpg";
    static constexpr const char* CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

    /// What becomes of an image whose server sends just these bytes and closes.
    static std::string codeFor(const std::string& answer) {
        LoopbackOrigin origin([&](OriginConnection& connection) { connection.send(answer); });
        return FetchFixture(origin.port()).code(URL);
    }

    static std::string bodyFrom(const std::string& answer) {
        LoopbackOrigin origin([&](OriginConnection& connection) { connection.send(answer); });
        return FetchFixture(origin.port()).fetch(URL).bytes;
    }

    static std::string withFields(const std::string& fields, const std::string& body = "picture") {
        return "HTTP/1.1 200 OK\r\n" + fields + "\r\n" + body;
    }

    static std::ptrdiff_t openDescriptors() {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
    }
};

TEST(ImageFetcherTest, imageArrivesByteForByte) {
    const std::string picture = pictureOf(300'000);
    LoopbackOrigin origin([&](OriginConnection& connection) { connection.answer("200 OK", picture); });
    FetchFixture fixture(origin.port());
    const auto image = fixture.fetch(URL);
    CPPUNIT_ASSERT(image.bytes == picture);
    CPPUNIT_ASSERT_EQUAL(std::string(URL), image.url);
}

TEST(ImageFetcherTest, requestSaysNoMoreThanItMust) {
    LoopbackOrigin origin([](OriginConnection& connection) {
        connection.answer("200 OK", "picture", "Set-Cookie: a=b\r\nRefresh: 0; url=http://127.0.0.1/\r\n");
    });
    FetchFixture fixture(origin.port());
    fixture.rules.allowPorts = {8080};
    fixture.fetch("http://Images.example.com:8080/my photo.jpg?a=%0d%0ab#part");
    fixture.fetch("http://images.example.com:8080/second");
    CPPUNIT_ASSERT_EQUAL(std::string("GET /my%20photo.jpg?a=%0d%0ab HTTP/1.1\r\nHost: images.example.com:8080\r\n"
                                     "User-Agent: supplierd\r\nAccept: image/jpeg, image/png, image/webp\r\n"
                                     "Accept-Encoding: identity\r\nConnection: close\r\n\r\n"),
                         origin.requests().at(0));
    CPPUNIT_ASSERT(origin.requests().at(1).find("Cookie") == std::string::npos);
    CPPUNIT_ASSERT_EQUAL(2u, origin.connections());
}

TEST(ImageFetcherTest, bodyUpToTheEndOfTheConnectionArrives) {
    CPPUNIT_ASSERT_EQUAL(std::string("picture"), bodyFrom(withFields("Content-Type: image/jpeg\r\n")));
    CPPUNIT_ASSERT_EQUAL(std::string("picture"), bodyFrom("HTTP/1.0 200 OK\n\npicture"));
    CPPUNIT_ASSERT_EQUAL(std::string("picture"), bodyFrom("HTTP/1.1 200\r\n\r\npicture"));
}

TEST(ImageFetcherTest, chunkedBodyArrives) {
    CPPUNIT_ASSERT_EQUAL(std::string("picture"),
                         bodyFrom(std::string(CHUNKED) + "3;name=\"value\"\r\npic\r\n0004  \r\nture\r\n0\r\n"
                                                         "Trailer: 1\r\n\r\n"));
    CPPUNIT_ASSERT_EQUAL(std::string("picture"),
                         bodyFrom(withFields("transfer-encoding: CHUNKED\r\n", "7\r\npicture\r\n0\r\n\r\n")));
    // Whoever waits for the trailer's end here waits in vain.
    LoopbackOrigin origin([](OriginConnection& connection) {
        connection.send(std::string(CHUNKED) + "7\r\npicture\r\n0\r\n");
        connection.holdOpen();
    });
    CPPUNIT_ASSERT_EQUAL(std::string("picture"), FetchFixture(origin.port()).fetch(URL).bytes);
}

TEST(ImageFetcherTest, interimAnswersAreSkipped) {
    CPPUNIT_ASSERT_EQUAL(std::string("picture"), bodyFrom("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n"
                                                          "Link: <x>\r\n\r\n" +
                                                          withFields("Content-Length: 7\r\n")));
    LoopbackOrigin flood([](OriginConnection& connection) {
        for (;;)
            connection.send("HTTP/1.1 100 Continue\r\n\r\n");
    });
    CPPUNIT_ASSERT_EQUAL(std::string("http_status"), FetchFixture(flood.port()).code(URL));
    CPPUNIT_ASSERT_EQUAL(std::string("http_status"),
                         codeFor("HTTP/1.1 101 Switching Protocols\r\n\r\n" + withFields("")));
}

TEST(ImageFetcherTest, limitIsAcceptedAndOneByteMoreIsNot) {
    constexpr std::size_t LIMIT = 5'242'880;
    for (const std::size_t size : {LIMIT, LIMIT + 1}) {
        const std::string picture = pictureOf(size);
        const std::string expected = size == LIMIT ? "fetched" : "too_large";
        CPPUNIT_ASSERT_EQUAL(expected, codeFor(withFields("", picture)));
        CPPUNIT_ASSERT_EQUAL(expected,
                             codeFor(withFields("Content-Length: " + std::to_string(size) + "\r\n", picture)));
        std::string chunks = CHUNKED;
        for (std::size_t begin = 0; begin < size; begin += 0x10000) {
            const std::string chunk = picture.substr(begin, 0x10000);
            chunks += (chunk.size() == 0x10000 ? "10000" : "1") + ("\r\n" + chunk) + "\r\n";
        }
        CPPUNIT_ASSERT_EQUAL(expected, codeFor(chunks + "0\r\n\r\n"));
    }
    CPPUNIT_ASSERT(bodyFrom(withFields("", pictureOf(LIMIT))) == pictureOf(LIMIT));
}

TEST(ImageFetcherTest, endlessBodiesAreCut) {
    const std::string block(0x10000, 'x');
    LoopbackOrigin plain([&](OriginConnection& connection) {
        connection.send("HTTP/1.1 200 OK\r\n\r\n");
        for (;;)
            connection.send(block);
    });
    CPPUNIT_ASSERT_EQUAL(std::string("too_large: the image is larger than 5242880 bytes"),
                         FetchFixture(plain.port()).failure(URL));
    LoopbackOrigin chunked([&](OriginConnection& connection) {
        connection.send(CHUNKED);
        for (;;)
            connection.send("10000\r\n" + block + "\r\n");
    });
    CPPUNIT_ASSERT_EQUAL(std::string("too_large"), FetchFixture(chunked.port()).code(URL));
    LoopbackOrigin hundredMegabytes(
        [&](OriginConnection& connection) { connection.answer("200 OK", std::string(100'000'000, 'x')); });
    CPPUNIT_ASSERT_EQUAL(std::string("too_large"), FetchFixture(hundredMegabytes.port()).code(URL));
}

TEST(ImageFetcherTest, hugeClaimIsRefusedAtOnce) {
    LoopbackOrigin origin([](OriginConnection& connection) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\npicture");
        connection.holdOpen();
    });
    CPPUNIT_ASSERT_EQUAL(std::string("too_large"), FetchFixture(origin.port()).code(URL));
}

TEST(ImageFetcherTest, tinyChunksDoNotGetRoundTheLimit) {
    std::string block;
    while (block.size() < 0x10000)
        block += "1;" + std::string(240, 'e') + "\r\nx\r\n";
    LoopbackOrigin origin([&](OriginConnection& connection) {
        connection.send(CHUNKED);
        for (;;)
            connection.send(block);
    });
    FetchFixture fixture(origin.port());
    fixture.options.maxBytes = 100'000;
    CPPUNIT_ASSERT_EQUAL(std::string("too_large"), fixture.code(URL));
}

TEST(ImageFetcherTest, truncatedBodiesAreDamaged) {
    CPPUNIT_ASSERT_EQUAL(std::string("damaged"), codeFor(withFields("Content-Length: 1007\r\n")));
    for (const std::string body : {"", "7", "7\r\n", "7\r\npict", "7\r\npicture", "7\r\npicture\r\n"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(body, std::string("damaged"), codeFor(CHUNKED + body));
    LoopbackOrigin origin([](OriginConnection& connection) {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1007\r\n\r\npicture");
        connection.reset();
    });
    const std::string code = FetchFixture(origin.port()).code(URL);
    CPPUNIT_ASSERT_MESSAGE(code, code == "connect");
}

TEST(ImageFetcherTest, badChunksAreDamaged) {
    for (const std::string body :
         {"zz\r\npicture\r\n0\r\n\r\n", "-7\r\npicture\r\n0\r\n\r\n", "0x7\r\npicture\r\n0\r\n\r\n",
          "\r\npicture\r\n0\r\n\r\n", "7\r\npictureXX\r\n0\r\n\r\n", "3\r\npicture\r\n0\r\n\r\n",
          "+7\r\npicture\r\n0\r\n\r\n", "7 7\r\npicture\r\n0\r\n\r\n", "000000007\r\npicture\r\n0\r\n\r\n"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(body, std::string("damaged"), codeFor(CHUNKED + body));
    CPPUNIT_ASSERT_EQUAL(std::string("too_large"), codeFor(std::string(CHUNKED) + "ffffffff\r\npicture"));
}

TEST(ImageFetcherTest, emptyBodyIsDamaged) {
    CPPUNIT_ASSERT_EQUAL(std::string("damaged"), codeFor(withFields("Content-Length: 0\r\n", "")));
    CPPUNIT_ASSERT_EQUAL(std::string("damaged"), codeFor(withFields("", "")));
    CPPUNIT_ASSERT_EQUAL(std::string("damaged"), codeFor(std::string(CHUNKED) + "0\r\n\r\n"));
}

TEST(ImageFetcherTest, bytesBehindTheClaimedLengthAreLeft) {
    CPPUNIT_ASSERT_EQUAL(std::string("pict"), bodyFrom(withFields("Content-Length: 4\r\n")));
}

TEST(ImageFetcherTest, compressedBodiesAreRefused) {
    for (const std::string fields :
         {"Content-Encoding: gzip\r\n", "Content-Encoding: br\r\n", "content-encoding: identity, gzip\r\n",
          "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: gzip\r\n", "Content-Encoding: x\r\n"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(fields, std::string("type"), codeFor(withFields(fields)));
    CPPUNIT_ASSERT_EQUAL(std::string("fetched"), codeFor(withFields("Content-Encoding: Identity\r\n")));
}

TEST(ImageFetcherTest, ambiguousHeadsAreRefused) {
    for (const std::string fields :
         {"Content-Length: -1\r\n", "Content-Length: +7\r\n", "Content-Length: 7,7\r\n", "Content-Length: 0x7\r\n",
          "Content-Length: 7\r\nContent-Length: 7\r\n", "Content-Length: 7\r\nContent-Length: 4\r\n",
          "Content-Length: \r\n", "Content-Length: 99999999999999999999999\r\n", "Content-Length: 7 7\r\n",
          "Content-Length: 7\r\nTransfer-Encoding: chunked\r\n",
          "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Content-Length : 7\r\n", "No colon\r\n",
          ": empty\r\n", " folded: 1\r\n", "X: 1\r\n 2\r\n", "X: a\rb\r\n", "X: =?utf-8?Q?a=0D=0A?=\x01\r\n"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(fields, std::string("http_status"), codeFor(withFields(fields)));
    // An RFC 2047 word is no header of its own.
    CPPUNIT_ASSERT_EQUAL(std::string("type"),
                         codeFor(withFields("Transfer-Encoding: =?utf-8?Q?chunked?=\r\n", "7\r\npicture\r\n0\r\n")));
}

TEST(ImageFetcherTest, whatIsNotHttpIsRefused) {
    std::string garbage;
    for (int i = 0; i < 2560; ++i)
        garbage += static_cast<char>(i);
    for (const std::string& answer :
         {garbage, std::string("\xff\xd8\xff\xe0 JFIF\n\n"), std::string("ICY 200 OK\r\n\r\npicture"),
          std::string("HTTP/2.0 200 OK\r\n\r\npicture"), std::string("HTTP/1.1 20 OK\r\n\r\npicture"),
          std::string("HTTP/1.1 2000 OK\r\n\r\npicture"), std::string("HTTP/1.1 200OK\r\n\r\npicture"),
          std::string("HTTP/1.1  200 OK\r\n\r\npicture"), std::string("HTTP/1.1 099 X\r\n\r\npicture"),
          std::string("HTTP/1.1 600 X\r\n\r\npicture"), std::string("\r\nHTTP/1.1 200 OK\r\n\r\npicture"),
          std::string("SSH-2.0-OpenSSH_9.2p1\r\n"), std::string("+PONG\r\n")})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer, std::string("http_status"), codeFor(answer));
}

TEST(ImageFetcherTest, headsAreLimited) {
    CPPUNIT_ASSERT_EQUAL(std::string("http_status"), codeFor(withFields("X: " + std::string(1'000'000, 'a') + "\r\n")));
    std::string fields;
    for (int i = 0; i < 100'000; ++i)
        fields += "X: a\r\n";
    CPPUNIT_ASSERT_EQUAL(std::string("http_status"), codeFor(withFields(fields)));
    LoopbackOrigin endless([](OriginConnection& connection) {
        connection.send("HTTP/1.1 200 OK\r\n");
        for (int i = 0;; ++i)
            connection.send("X-" + std::to_string(i) + ": " + std::string(5000, 'a') + "\r\n");
    });
    CPPUNIT_ASSERT_EQUAL(std::string("http_status"), FetchFixture(endless.port()).code(URL));
    CPPUNIT_ASSERT_EQUAL(std::string("fetched"), codeFor(withFields("X: " + std::string(10'000, 'a') + "\r\n")));
}

TEST(ImageFetcherTest, otherStatusesAreErrors) {
    for (const std::string status :
         {"201 Created", "204 No Content", "206 Partial Content", "300 Multiple Choices", "304 Not Modified",
          "305 Use Proxy", "401 Unauthorized", "404 Not Found", "407 X", "429 X", "500 X", "503 X"}) {
        LoopbackOrigin origin([&](OriginConnection& connection) {
            connection.answer(status, "picture",
                              "WWW-Authenticate: Basic realm=x\r\nLocation: http://images.example.com/b\r\n");
        });
        CPPUNIT_ASSERT_EQUAL("http_status: the image's server answered with status " + status.substr(0, 3),
                             FetchFixture(origin.port()).failure(URL));
        CPPUNIT_ASSERT_EQUAL(1u, origin.connections());
    }
}

TEST(ImageFetcherTest, connectionsThatEndWithoutAnAnswer) {
    CPPUNIT_ASSERT_EQUAL(std::string("connect"), codeFor(""));
    CPPUNIT_ASSERT_EQUAL(std::string("damaged"), codeFor("HTTP/1.1 200 OK\r\nContent-Le"));
    LoopbackOrigin origin([](OriginConnection& connection) { connection.reset(); });
    CPPUNIT_ASSERT_EQUAL(std::string("connect"), FetchFixture(origin.port()).code(URL));
}

TEST(ImageFetcherTest, refusedConnectionIsAConnectError) {
    std::uint16_t port = 0;
    {
        LoopbackOrigin origin([](OriginConnection&) {});
        port = origin.port();
    }
    CPPUNIT_ASSERT_EQUAL(std::string("connect: the image's server refused the connection"),
                         FetchFixture(port).failure(URL));
}

TEST(ImageFetcherTest, unreachableAddressGivesWayToTheNext) {
    LoopbackOrigin origin([](OriginConnection& connection) { connection.answer("200 OK", "picture"); });
    FetchFixture fixture(origin.port());
    fixture.resolver->set("images.example.com", {{"2606:4700::1", "1.1.1.1", "1.1.1.2"}});
    fixture.detour->block("1.1.1.1");
    CPPUNIT_ASSERT_EQUAL(std::string("picture"), fixture.fetch(URL).bytes);
    // IPv4 first: it is what every public web server has.
    CPPUNIT_ASSERT(fixture.detour->addresses() == (std::vector<std::string>{"1.1.1.1:80", "1.1.1.2:80"}));
}

TEST(ImageFetcherTest, noDescriptorIsLeftBehind) {
    const auto before = openDescriptors();
    for (int i = 0; i < 10; ++i) {
        CPPUNIT_ASSERT_EQUAL(std::string("fetched"), codeFor(withFields("")));
        CPPUNIT_ASSERT_EQUAL(std::string("damaged"), codeFor(withFields("Content-Length: 8\r\n")));
        CPPUNIT_ASSERT_EQUAL(std::string("http_status"), codeFor("garbage\r\n"));
    }
    CPPUNIT_ASSERT_EQUAL(before, openDescriptors());
}

TEST(ImageFetcherTest, listsAreSplitAndEmptyPartsDropped) {
    CPPUNIT_ASSERT((std::vector<std::string>{"http://a.example/1", "http://b.example/2", "http://a.example/1", "c"}) ==
                   media::splitUrls(" ; http://a.example/1 ;;http://b.example/2;\thttp://a.example/1\n;c; "));
    CPPUNIT_ASSERT(media::splitUrls("").empty());
    CPPUNIT_ASSERT(media::splitUrls(" ; ;; ").empty());
}

} // namespace supplierd::tests
