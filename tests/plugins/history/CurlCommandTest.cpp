#include "CurlCommand.h"

#include "tests/support/ChildProcess.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

using history::curlCommand;
using history::ReplayedRequest;
using history::shellQuoted;

/// What a shell makes of the commands, with a program in curl's place that shows what it was given.
class CurlCommandTest : public CppUnit::TestFixture {
protected:
    static ReplayedRequest post(std::string_view body) {
        return {.origin = "http://s",
                .method = "POST",
                .path = "/p",
                .query = "",
                .contentType = "application/json",
                .bodySize = body.size(),
                .body = body};
    }

    /// What the command prints when this script is curl.
    static std::string run(const std::string& command, const std::string& script) {
        const TemporaryDirectory directory;
        const auto program = directory / "curl";
        writeWholeFile(program, "#!/bin/sh\n" + script + "\n");
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        const auto done =
            runCommand({.arguments = {"/bin/sh", "-c", command},
                        .environment = {{"PATH", directory.path().string() + ":/usr/bin:/bin"}, {"KEY", "the key"}},
                        .workingDirectory = directory.path()});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(command + "\n" + done.errors, 0, done.exitCode);
        return done.output;
    }
};

TEST(CurlCommandTest, plainRequestIsReadable) {
    CPPUNIT_ASSERT_EQUAL(
        std::string("curl --globoff --path-as-is 'https://s.example/api/v1/supplier/products?page=2' \\\n"
                    "  -H \"Authorization: Bearer $KEY\""),
        curlCommand({.origin = "https://s.example",
                     .method = "GET",
                     .path = "/api/v1/supplier/products",
                     .query = "page=2",
                     .body = ""}));
    CPPUNIT_ASSERT_EQUAL(std::string("curl --globoff --path-as-is -X 'POST' 'http://s/p' \\\n"
                                     "  -H \"Authorization: Bearer $KEY\" \\\n"
                                     "  -H 'Content-Type: application/json' \\\n"
                                     "  --data-raw '{\"a\":1}'"),
                         curlCommand(post("{\"a\":1}")));
}

TEST(CurlCommandTest, everyByteOfABodyReachesCurl) {
    std::string all = "-%d%%\\n'";
    for (int byte = 0; byte < 256; ++byte)
        all += static_cast<char>(byte);
    CPPUNIT_ASSERT_EQUAL(all, run(curlCommand(post(all)), "cat"));
    CPPUNIT_ASSERT_EQUAL(std::string("\r\n%s"), run(curlCommand(post("\r\n%s")), "cat"));
}

TEST(CurlCommandTest, textReachesCurlAsOneArgument) {
    const std::string last = "for last; do :; done; printf %s \"$last\"";
    for (const std::string text :
         {"", "@/etc/passwd", "it's \"quoted\" $HOME `id` $(id) \\ ! # ~ *", "'", "''", "a\nb\n", "\t🌹 é", "-x"})
        CPPUNIT_ASSERT_EQUAL(text, run(curlCommand(post(text)), last));
    CPPUNIT_ASSERT_EQUAL(std::string("'a'\\''b'"), shellQuoted("a'b"));
}

TEST(CurlCommandTest, nothingIsDoneByTheShell) {
    ReplayedRequest request = post("");
    request.method = "A'$(id)";
    request.path = "/'$(touch hit)`touch hit`";
    request.query = "a=';touch hit;'&b=\"$KEY\"";
    CPPUNIT_ASSERT_EQUAL(
        std::string("--globoff\n--path-as-is\n-X\nA'$(id)\nhttp://s/'$(touch hit)`touch hit`?a=';touch "
                    "hit;'&b=\"$KEY\"\n-H\nAuthorization: Bearer the key\n"),
        run(curlCommand(request), "for one; do printf '%s\\n' \"$one\"; done; test ! -e hit"));
}

TEST(CurlCommandTest, unknownBodyComesFromAFile) {
    ReplayedRequest request = post("");
    request.bodySize = 10'000;
    request.body.reset();
    CPPUNIT_ASSERT(curlCommand(request).ends_with("--data-binary @request-body"));
}

} // namespace supplierd::tests
