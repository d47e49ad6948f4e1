#include "tests/support/cases/CaseFile.h"

#include "tests/support/Places.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/support/Thrown.h"
#include "tests/support/cases/CaseRun.h"

#include <string>
#include <utility>

namespace supplierd::tests {

/// Case files that somebody wrote wrongly, or whose cases fail: what they are told. Beside this file are cases that
/// succeed.
class CaseFileTest : public CppUnit::TestFixture {
protected:
    static std::string toldWhenRead(const std::string& text) {
        const auto error = thrownBy<CaseFileError>([&] { CaseFile::parse("wrong.cases", text); });
        return std::to_string(error.line()) + ": " + error.what();
    }

    static std::string toldWhenRun(const std::string& lines) {
        const CaseFile file =
            CaseFile::parse("some.cases", "base POST /products {\"name\": \"Rose\"}\n== It is so\n" + lines);
        const auto error = thrownBy<CppUnit::Exception>([&] { CaseRun(file).run(file.groups[0]); });
        return std::to_string(error.sourceLine().lineNumber()) + ": " + error.message().details();
    }
};

TEST(CaseFileTest, aFileThatCannotBeReadIsToldByItsLine) {
    for (const auto& [text, told] :
         {std::pair{"GET /products => 200\n", "1: there is no case: begin a group"},
          {"# A comment\n\n== First\n== Second\nGET /products => 200\n", "3: \"First\" has no cases"},
          {"== Same\nGET /a\n== Same\nGET /b\n", "3: \"Same\" is the name of two groups"},
          {"== First\n- {\"sku\": \"A\"}\n", "2: An item belongs below its request"},
          {"== First\n  GET /products\n", "2: An indented line continues the one above it"}})
        requireIn(told, toldWhenRead(text));
}

TEST(CaseFileTest, aLineThatSaysNothingIsToldWithWhatToDo) {
    for (const auto& [line, told] :
         {std::pair{"GTE /products => 200\n", "3: - some.cases:3\n"},
          {"GTE /products => 200\n", "write a request (\"POST /products {…}\")"},
          {"GET /products/$rose.id => 200\n", "$rose is not known here: name a response with \"rose = …\" above"},
          {"GET /products => 200 fine\n", "\"fine\" says nothing: write a status, field:code or path=value"},
          {"\n\nfor a in 1 | 2 GET /products\n", "5: "},
          {"for a in 1 | 2 GET /products\n", "a loop is written: for NAME in VALUE | VALUE do CASE"},
          {"gardener> GET /products => 200\n", "\"gardener\" is nobody here"},
          {"client gardener: florist\n", "a client is: client NAME: supplier"},
          {"{name: 5} => 422\n", "this is no JSON object: {name: 5}"}})
        requireIn(told, toldWhenRun(line));
}

TEST(CaseFileTest, aCaseThatFailsShowsWhatWasSentExpectedAndGot) {
    const std::string told = toldWhenRun("{\"x\": 1} => 422 unit:required category_id:required base_price:required\n"
                                         "{\"unit\": 5} => 422 unit:too_long\n"
                                         "{} => 201\n"
                                         "GET /products => 200 pagination.total_items=7 products~\"x\"\n");
    requireIn("4: - some.cases:4\n", told); // the first one; all are told
    requireIn("case: {\"unit\": 5} => 422 unit:too_long\n    sent: POST /products {\"name\": \"Rose\", \"unit\": 5}",
              told);
    requireIn("expected problems: unit:too_long\n    got:      base_price:required category_id:required unit:", told);
    requireIn("some.cases:5\n", told);
    requireIn("expected status 201\n    got:  HTTP/1.1 422", told);
    requireIn("expected pagination.total_items=7, found 0\n    got:  HTTP/1.1 200 OK {", told);
}

TEST(CaseFileTest, anItemThatFailsIsToldByItsLine) {
    requireIn(
        "item of line 5: {\"sku\": \"B\"}\n    expected "
        "{\"code\":\"not_found\",\"error\":\"No\",\"index\":1,\"sku\":\"B\"}",
        toldWhenRun("POST /stock\n- {\"sku\": \"A\"} => required \"*\"\n- {\"sku\": \"B\"} => not_found \"No\"\n"));
}

TEST(CaseFileTest, whatWasToChangeNothingAndDidIsTold) {
    requireIn("this was to change nothing, and the database has changed",
              toldWhenRun("{\"category_id\": $category, \"base_price\": 1, \"unit\": \"stem\"} => 201 unchanged\n"));
}

TEST(CaseFileTest, theExampleForThoseWhoBeginSucceeds) {
    const std::string path = sourcePath("tests/README.md");
    const std::string text = readWholeFile(path);
    const std::size_t begin = text.find("```\n") + 4;
    const CaseFile file = CaseFile::parse(path, text.substr(begin, text.find("```", begin) - begin));
    CaseRun(file).run(file.groups.at(0));
}

} // namespace supplierd::tests
