#include "host/outbound/HttpUrl.h"

#include "tests/support/Test.h"

#include <string>
#include <vector>

namespace supplierd::tests {

using host::HttpUrl;

class HttpUrlTest : public CppUnit::TestFixture {
protected:
    static std::string read(const std::string& text) {
        try {
            return HttpUrl::parse(text).toString();
        } catch (const HttpError& problem) {
            CPPUNIT_ASSERT(problem.code() == HttpErrorCode::Address);
            return std::string("refused: ") + problem.what();
        }
    }

    static void assertRefused(const std::vector<std::string>& texts) {
        for (const auto& text : texts)
            CPPUNIT_ASSERT_MESSAGE(text + " → " + read(text), read(text).starts_with("refused: "));
    }

    static std::string resolved(const std::string& base, const std::string& reference) {
        try {
            return HttpUrl::parse(base).resolve(reference).toString();
        } catch (const HttpError&) {
            return "refused";
        }
    }
};

TEST(HttpUrlTest, usualUrlsAreRead) {
    const auto url = HttpUrl::parse("https://Images.Example.com/a/b.jpg?w=10&h=20#top");
    CPPUNIT_ASSERT(url.isSecure());
    CPPUNIT_ASSERT_EQUAL(std::string("images.example.com"), url.host().text());
    CPPUNIT_ASSERT_EQUAL(443, int(url.port()));
    CPPUNIT_ASSERT_EQUAL(std::string("/a/b.jpg?w=10&h=20"), url.target());
    CPPUNIT_ASSERT_EQUAL(std::string("images.example.com"), url.authority());
    CPPUNIT_ASSERT_EQUAL(std::string("http://example.com/"), read("HTTP://example.com"));
    CPPUNIT_ASSERT_EQUAL(std::string("http://example.com/?a"), read("http://example.com?a"));
    CPPUNIT_ASSERT_EQUAL(std::string("http://example.com/"), read("http://example.com#a?b"));
    CPPUNIT_ASSERT_EQUAL(std::string("http://example.com/x"), read("http://example.com./x"));
    CPPUNIT_ASSERT_EQUAL(std::string("http://a_b.example.com/x"), read("http://a_b.example.com/x"));
}

TEST(HttpUrlTest, onlyHttpAndHttpsAreAccepted) {
    for (const std::string text :
         {"ftp://example.com/a.jpg", "file:///etc/passwd", "gopher://example.com/", "data:image/png;base64,AA",
          "httpx://example.com/", "//example.com/a.jpg", "/a.jpg", "example.com/a.jpg", "a.jpg", "", "://example.com/"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(text, std::string("refused: only http and https URLs are accepted"), read(text));
    assertRefused({"http:example.com", "http:/example.com", "http://", "http:///a.jpg", "https://?a", "http"});
}

TEST(HttpUrlTest, whatHidesTheHostIsRefused) {
    assertRefused({"http://user:secret@example.com/",
                   "http://user@example.com/",
                   "http://@example.com/",
                   "http://example.com\\@evil.example/",
                   "http://example.com/a\\b",
                   "http://exam\tple.com/",
                   "http://example.com/\r\nHost: x",
                   "http://example.com/a\nb",
                   std::string("http://e.com/\0a", 15),
                   "http://example.com\x7f/",
                   "http://exa mple.com/",
                   "http://example.com /",
                   " http://example.com/",
                   "http://ex%61mple.com/",
                   "http://example..com/",
                   "http://.example.com/",
                   "http://./",
                   "http://example.com:80:80/",
                   "http://[::1/",
                   "http://[::1]a/",
                   "http://::1/",
                   "http://[]/",
                   "http://[::1%25eth0]/",
                   "http://[127.0.0.1]/",
                   "http://exa<mple.com/",
                   "http://example.com!/",
                   "http://" + std::string(64, 'a') + ".com/"});
}

TEST(HttpUrlTest, oddFormsOfIPv4AreRefused) {
    for (const std::string host :
         {"2130706433",      "017700000001", "0x7f000001",  "0X7F000001",      "0x7f.1",     "127.1",
          "127.0.1",         "127.0x0.0.01", "0177.0.0.1",  "127.000.000.001", "127.0.0.1.", "127.0.0.01",
          "256.256.256.256", "0x100000000",  "1.2.3",       "1.2.3.4.5",       "0",          "0x",
          "134744072",       "example.1",    "example.0x7f"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(host, std::string("refused: address not allowed"),
                                     read("http://" + host + "/a.jpg"));
    // The same in full-width digits and with an ideographic full stop.
    assertRefused({"http://１２７.０.０.１/", "http://127。0。0。1/", "http://①②⑦.0.0.1/"});
}

TEST(HttpUrlTest, addressesAreKnownAsAddresses) {
    CPPUNIT_ASSERT_EQUAL(std::string("127.0.0.1"),
                         HttpUrl::parse("http://127.0.0.1/").host().address().value().toString());
    const auto url = HttpUrl::parse("http://[2001:4860:4860:0::8888]:8080/a");
    CPPUNIT_ASSERT_EQUAL(std::string("2001:4860:4860::8888"), url.host().address().value().toString());
    CPPUNIT_ASSERT_EQUAL(std::string("[2001:4860:4860::8888]:8080"), url.authority());
    CPPUNIT_ASSERT(!HttpUrl::parse("http://127.0.0.1.nip.io/").host().address());
}

TEST(HttpUrlTest, namesInOtherScriptsBecomeAscii) {
    CPPUNIT_ASSERT_EQUAL(std::string("http://xn--bcher-kva.example/"), read("http://bücher.example/"));
    CPPUNIT_ASSERT_EQUAL(std::string("http://xn--bcher-kva.example/"), read("http://Bücher.EXAMPLE/"));
    CPPUNIT_ASSERT_EQUAL(std::string("http://xn--e1afmkfd.xn--80akhbyknj4f/"), read("http://пример.испытание/"));
    // Soft hyphen, zero-width space, a lone byte: nothing is dropped or guessed.
    assertRefused({"http://exa\u00admple.com/", "http://exa\u200bmple.com/", "http://exa\xffmple.com/",
                   "http://ⅼocalhost.example/"});
}

TEST(HttpUrlTest, internalNamesAreKnown) {
    const auto isInternal = [](const std::string& host) {
        return HttpUrl::parse("http://" + host + "/").host().isInternalName();
    };
    for (const std::string host : {"localhost", "LOCALHOST", "localhost.", "ip6-localhost", "printer", "a.localhost",
                                   "metadata.google.internal", "host.docker.internal", "kubernetes.default.svc",
                                   "x.svc.cluster.local", "router.lan", "nas.home.arpa", "loc\u0430lhost"})
        CPPUNIT_ASSERT_MESSAGE(host, isInternal(host));
    for (const std::string host : {"example.com", "localhost.example.com", "internal.example.com", "8.8.8.8"})
        CPPUNIT_ASSERT_MESSAGE(host, !isInternal(host));
}

TEST(HttpUrlTest, portsAreRead) {
    CPPUNIT_ASSERT_EQUAL(8080, int(HttpUrl::parse("http://example.com:8080/").port()));
    CPPUNIT_ASSERT_EQUAL(std::string("http://example.com:443/"), read("http://example.com:443/"));
    CPPUNIT_ASSERT_EQUAL(std::string("http://example.com/"), read("http://example.com:80/"));
    CPPUNIT_ASSERT_EQUAL(std::string("http://example.com/"), read("http://example.com:/"));
    assertRefused({"http://example.com:0/", "http://example.com:65536/", "http://example.com:-1/",
                   "http://example.com:+80/", "http://example.com:8o/", "http://example.com:80 /",
                   "http://example.com:000080/", "http://example.com:0x50/"});
}

TEST(HttpUrlTest, pathAndQueryArriveAsOneSafeTarget) {
    const auto target = [](const std::string& text) { return HttpUrl::parse("http://example.com" + text).target(); };
    CPPUNIT_ASSERT_EQUAL(std::string("/my%20photo.jpg"), target("/my photo.jpg"));
    CPPUNIT_ASSERT_EQUAL(std::string("/a%20b%2f%zz"), target("/a%20b%2f%zz"));
    CPPUNIT_ASSERT_EQUAL(std::string("/%D1%80%D0%BE%D0%B7%D0%B0.jpg?q=%F0%9F%8C%B9"), target("/роза.jpg?q=🌹"));
    CPPUNIT_ASSERT_EQUAL(std::string("/p%0d%0aX-Injected:%201"), target("/p%0d%0aX-Injected:%201"));
    CPPUNIT_ASSERT_EQUAL(std::string("/%22%3C%3E%5E%60%7B%7C%7D"), target("/\"<>^`{|}"));
    CPPUNIT_ASSERT_EQUAL(std::string("/?img=http://127.0.0.1/@x"), target("/?img=http://127.0.0.1/@x"));
}

TEST(HttpUrlTest, lengthIsLimited) {
    const std::string begin = "http://example.com/";
    const std::string longest = begin + std::string(HttpUrl::MAX_LENGTH - begin.size(), 'a');
    CPPUNIT_ASSERT_EQUAL(longest, read(longest));
    assertRefused({longest + "a"});
}

TEST(HttpUrlTest, redirectsAreResolvedAsTheRfcSays) {
    const std::string base = "http://example.com:8080/b/c/d.jpg?q";
    const std::vector<std::pair<std::string, std::string>> cases{
        {"e.jpg", "http://example.com:8080/b/c/e.jpg"},
        {"./e.jpg", "http://example.com:8080/b/c/e.jpg"},
        {"../e.jpg", "http://example.com:8080/b/e.jpg"},
        {"../../../../e.jpg", "http://example.com:8080/e.jpg"},
        {"..", "http://example.com:8080/b/"},
        {".", "http://example.com:8080/b/c/"},
        {"/e.jpg", "http://example.com:8080/e.jpg"},
        {"/e/./f/../g.jpg?x=../y", "http://example.com:8080/e/g.jpg?x=../y"},
        {"?z", "http://example.com:8080/b/c/d.jpg?z"},
        {"#top", base},
        {"", base},
        {"//other.example/e.jpg", "http://other.example/e.jpg"},
        {"https://other.example/e.jpg", "https://other.example/e.jpg"},
        {"/a b", "http://example.com:8080/a%20b"},
        {"e:f", "refused"},
        {"/e:f", "http://example.com:8080/e:f"},
        {"?a:b", "http://example.com:8080/b/c/d.jpg?a:b"}};
    for (const auto& [reference, expected] : cases)
        CPPUNIT_ASSERT_EQUAL_MESSAGE(reference, expected, resolved(base, reference));
    CPPUNIT_ASSERT_EQUAL(std::string("https://a.example/b.jpg"), resolved("https://a.example", "b.jpg"));
}

TEST(HttpUrlTest, redirectsCannotSmuggleAnything) {
    for (const std::string reference :
         {"file:///etc/passwd", "ftp://example.com/x", "http://x@127.0.0.1/", "//x@127.0.0.1/", "http://2130706433/",
          "//0x7f.1/", "/a\r\nX: y", "\\\\127.0.0.1\\x", "/\\127.0.0.1", "=?utf-8?Q?http://127.0.0.1/=0D=0AX:y?="})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(reference,
                                     std::string(reference.starts_with("=?")
                                                     ? "http://example.com/=?utf-8?Q?http://127.0.0.1/"
                                                       "=0D=0AX:y?="
                                                     : "refused"),
                                     resolved("http://example.com/", reference));
}

} // namespace supplierd::tests
