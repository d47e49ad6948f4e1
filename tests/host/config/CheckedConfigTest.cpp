#include "host/config/CheckedConfig.h"

#include "host/config/TomlReader.h"
#include "tests/host/config/ConfigFolder.h"
#include "tests/support/Test.h"

#include <unistd.h>

#include <stdexcept>

namespace supplierd::tests {

using namespace std::chrono_literals;
using host::CheckedConfig;

class CheckedConfigTest : public CppUnit::TestFixture {
protected:
    CheckedConfig check(const std::string& text) {
        _problems = {};
        _folder.write("table.toml", text);
        const auto table = host::readTomlFile(_folder.path("table.toml"), _problems);
        return CheckedConfig::check(
            _schema, table ? &*table : nullptr,
            {"plugins.media", {"media.toml", 7, 2}, _folder.path().parent_path(), {"optional"}, {}}, _problems);
    }

    std::string messages() const {
        const std::string folder = _folder.path().parent_path().string() + "/";
        std::string text = _problems.toString();
        for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder))
            text.erase(at, folder.size());
        return text;
    }

    static ConfigKey feeds(const std::string& defaultValue) {
        return {.name = "feed",
                .type = ConfigType::TableList,
                .defaultValue = defaultValue,
                .help = "what is read",
                .keys = {{"url", ConfigType::Text, "", "where it is"},
                         {"every", ConfigType::Duration, R"("5s")", ""},
                         {"fetch.ports", ConfigType::IntegerList, "[80]", ""},
                         {.name = "header",
                          .type = ConfigType::TableList,
                          .defaultValue = "[]",
                          .keys = {{"name", ConfigType::Text, "", ""}}},
                         secretKey()}};
    }

    static ConfigKey secretKey() {
        ConfigKey key{"secret", ConfigType::Text, R"("")", ""};
        key.secret = true;
        return key;
    }

    ConfigFolder _folder;
    host::Diagnostics _problems;
    std::vector<ConfigKey> _schema{{"resize", ConfigType::Boolean, "true", ""},
                                   {"workers", ConfigType::Integer, "20", "", 1, 100},
                                   {"root", ConfigType::Text, R"("/var/lib/media")", ""},
                                   {"kinds", ConfigType::TextList, R"(["jpeg"])", ""},
                                   {"wait", ConfigType::Duration, R"("5s")", ""},
                                   {"limit", ConfigType::Size, R"("5MiB")", ""},
                                   secretKey()};
};

TEST(CheckedConfigTest, defaultsStandForWhatIsNotGiven) {
    const CheckedConfig config = check("");
    CPPUNIT_ASSERT_EQUAL(std::string(), lines(_folder.messages()) + messages());
    CPPUNIT_ASSERT(config.boolean("resize"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t(20), config.integer("workers"));
    CPPUNIT_ASSERT_EQUAL(std::string("/var/lib/media"), config.text("root"));
    CPPUNIT_ASSERT_EQUAL(std::size_t(1), config.textList("kinds").size());
    CPPUNIT_ASSERT(5s == config.duration("wait"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t(5'242'880), config.size("limit"));
}

TEST(CheckedConfigTest, givenValuesWin) {
    const CheckedConfig config = check("resize = false\nworkers = 3\nroot = \"/srv\"\nkinds = []\nwait = \"250ms\"\n"
                                       "limit = 4096\n");
    CPPUNIT_ASSERT_EQUAL(std::string(), messages());
    CPPUNIT_ASSERT(!config.boolean("resize"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t(3), config.integer("workers"));
    CPPUNIT_ASSERT_EQUAL(std::string("/srv"), config.text("root"));
    CPPUNIT_ASSERT(config.textList("kinds").empty());
    CPPUNIT_ASSERT(250ms == config.duration("wait"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t(4'096), config.size("limit"));
    CPPUNIT_ASSERT_EQUAL(2, config.position("workers").line);
}

TEST(CheckedConfigTest, keyThatMustBeGivenIsMissed) {
    _schema.push_back({"mirror", ConfigType::Text, "", "where the copies are"});
    check("workers = 3\n");
    CPPUNIT_ASSERT_EQUAL(std::string("media.toml:7:2: [plugins.media] needs the key 'mirror' (where the copies are)\n"),
                         messages());
}

TEST(CheckedConfigTest, unknownKeyIsComparedWithTheSchema) {
    check("worker = 3\nsecret_fil = \"x\"\noptinal = true\n");
    CPPUNIT_ASSERT_EQUAL(std::string("table.toml:3:1: unknown key 'optinal'; did you mean 'optional'?\n"
                                     "table.toml:2:1: unknown key 'secret_fil'; did you mean 'secret_file'?\n"
                                     "table.toml:1:1: unknown key 'worker'; did you mean 'workers'?\n"),
                         messages());
}

TEST(CheckedConfigTest, listNamesTheItemOfTheWrongType) {
    check("kinds = [\"png\", 7]\n");
    CPPUNIT_ASSERT_EQUAL(
        std::string("table.toml:1:17: kinds must be a list of texts like [\"jpeg\"], found an integer in it\n"),
        messages());
}

TEST(CheckedConfigTest, keysWithDotsStandInATableOfTheirOwn) {
    _schema = {{"fetch.timeout", ConfigType::Duration, R"("20s")", ""},
               {"fetch.ports", ConfigType::IntegerList, "[80, 443]", "", 1, 65'535},
               {"root", ConfigType::Text, R"("/var")", ""}};
    for (const std::string text : {"root = \"/srv\"\n[fetch]\ntimeout = \"3s\"\nports = []\n",
                                   "fetch.timeout = \"3s\"\nfetch.ports = []\nroot = \"/srv\"\n"}) {
        const CheckedConfig config = check(text);
        CPPUNIT_ASSERT_EQUAL(std::string(), messages());
        CPPUNIT_ASSERT(3s == config.duration("fetch.timeout"));
        CPPUNIT_ASSERT(config.integerList("fetch.ports").empty());
        CPPUNIT_ASSERT_EQUAL(std::string("/srv"), config.text("root"));
    }
    CPPUNIT_ASSERT((std::vector<std::int64_t>{80, 443}) == check("").integerList("fetch.ports"));
}

TEST(CheckedConfigTest, unknownKeysOfAnInnerTableAreErrors) {
    _schema = {{"fetch.timeout", ConfigType::Duration, R"("20s")", ""}};
    check("fetch.timeuot = \"3s\"\n\"fetch.timeout\" = \"3s\"\n[other]\nx = 1\n");
    CPPUNIT_ASSERT_EQUAL(std::string("table.toml:1:7: unknown key 'fetch.timeuot'; did you mean 'fetch.timeout'?\n"
                                     "table.toml:2:1: unknown key 'fetch.timeout'; did you mean 'fetch.timeout'?\n"
                                     "table.toml:3:2: unknown key 'other'\n"),
                         messages());
    check("fetch = 5\n");
    CPPUNIT_ASSERT_EQUAL(
        std::string("table.toml:1:9: fetch must be a table, written [plugins.media.fetch], found an integer\n"),
        messages());
}

TEST(CheckedConfigTest, integerListNamesTheItemThatIsWrong) {
    _schema = {{"ports", ConfigType::IntegerList, "[80]", "", 1, 65'535}};
    check("ports = [443, \"80\", 0]\n");
    CPPUNIT_ASSERT_EQUAL(std::string("table.toml:1:15: ports must be a list of integers like [80], found a text in it\n"
                                     "table.toml:1:21: ports must hold integers from 1 to 65535, found 0\n"),
                         messages());
    check("ports = 443\n");
    CPPUNIT_ASSERT_EQUAL(std::string("table.toml:1:9: ports must be a list of integers like [80], found an integer\n"),
                         messages());
}

TEST(CheckedConfigTest, tablesOfAListAreReadInTheirOrder) {
    _schema = {feeds("[]")};
    const CheckedConfig config = check("[[feed]]\nurl = \"a\"\nfetch.ports = [81]\n\n[[feed]]\nurl = \"b\"\n"
                                       "[[feed.header]]\nname = \"X\"\n[[feed.header]]\nname = \"Y\"\n");
    CPPUNIT_ASSERT_EQUAL(std::string(), messages());
    const auto feeds = config.tables("feed");
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, feeds.size());
    CPPUNIT_ASSERT_EQUAL(std::string("a"), feeds[0].get().text("url"));
    CPPUNIT_ASSERT(std::vector<std::int64_t>{81} == feeds[0].get().integerList("fetch.ports"));
    CPPUNIT_ASSERT(feeds[0].get().tables("header").empty());
    CPPUNIT_ASSERT_EQUAL(std::string("b"), feeds[1].get().text("url"));
    CPPUNIT_ASSERT(5s == feeds[1].get().duration("every"));
    CPPUNIT_ASSERT_EQUAL(std::string("Y"), feeds[1].get().tables("header").at(1).get().text("name"));
    CPPUNIT_ASSERT_EQUAL(2, config.position("feed[0].url").line);
    CPPUNIT_ASSERT_EQUAL(6, config.position("feed[1].url").line);
    CPPUNIT_ASSERT_EQUAL(5, config.position("feed[1].every").line); // the default: its table's
    CPPUNIT_ASSERT_EQUAL(10, config.position("feed[1].header[1].name").line);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, check("feed = [{ url = \"a\" }]\n").tables("feed").size());
    CPPUNIT_ASSERT(check("feed = []\n").tables("feed").empty());
    CPPUNIT_ASSERT(check("").tables("feed").empty());
    CPPUNIT_ASSERT_EQUAL(std::string(), messages());
    CPPUNIT_ASSERT_THROW(config.textList("feed"), std::logic_error);
}

TEST(CheckedConfigTest, mistakesInATableOfAListHaveTheirPlace) {
    _schema = {feeds("")};
    check("[[feed]]\nurl = \"a\"\nevry = \"1s\"\n[[feed]]\nevery = 5\n[[feed]]\nurl = \"c\"\nfetch = 1\n"
          "[[feed.header]]\n");
    CPPUNIT_ASSERT_EQUAL(
        std::string("table.toml:3:1: unknown key 'evry'; did you mean 'every'?\n"
                    "table.toml:4:1: [[plugins.media.feed]] needs the key 'url' (where it is)\n"
                    "table.toml:5:9: every must be a duration like \"5s\", found an integer\n"
                    "table.toml:9:1: [[plugins.media.feed.header]] needs the key 'name'\n"
                    "table.toml:8:9: fetch must be a table, written [plugins.media.feed.fetch], found an integer\n"),
        messages());
    check("");
    CPPUNIT_ASSERT_EQUAL(std::string("media.toml:7:2: [plugins.media] needs the key 'feed' (what is read)\n"),
                         messages());
}

TEST(CheckedConfigTest, whatIsNoListOfTablesIsRefused) {
    _schema = {feeds("[]")};
    check("[feed]\nurl = \"a\"\n");
    CPPUNIT_ASSERT_EQUAL(std::string("table.toml:1:1: feed must be a list of tables, each written "
                                     "[[plugins.media.feed]], found a table\n"),
                         messages());
    check("feed = [{ url = \"a\" }, 7]\n");
    CPPUNIT_ASSERT_EQUAL(std::string("table.toml:1:24: feed must be a list of tables, each written "
                                     "[[plugins.media.feed]], found an integer in it\n"),
                         messages());
}

TEST(CheckedConfigTest, secretOfATableMayComeFromAFile) {
    _schema = {feeds("[]")};
    _folder.write("token", "t0ps3cret\n");
    const CheckedConfig config = check("[[feed]]\nurl = \"a\"\nsecret_file = \"token\"\n");
    CPPUNIT_ASSERT_EQUAL(std::string(), messages());
    CPPUNIT_ASSERT_EQUAL(std::string("t0ps3cret"), config.tables("feed").at(0).get().text("secret"));
}

TEST(CheckedConfigTest, rangesWithOneEndSaySo) {
    _schema = {{"least", ConfigType::Integer, "1", "", 1}, {"time", ConfigType::Duration, "\"2s\"", "", 1'000}};
    check("least = 0\ntime = \"10ms\"\n");
    CPPUNIT_ASSERT_EQUAL(std::string("table.toml:1:9: least must be 1 or more, found 0\n"
                                     "table.toml:2:8: time must be 1s or more, found \"10ms\"\n"),
                         messages());
}

TEST(CheckedConfigTest, secretMayComeFromAFile) {
    _folder.write("token", "t0ps3cret\n");
    const CheckedConfig config = check("secret_file = \"token\"\n");
    CPPUNIT_ASSERT_EQUAL(std::string(), messages());
    CPPUNIT_ASSERT_EQUAL(std::string("t0ps3cret"), config.text("secret"));
}

TEST(CheckedConfigTest, secretFileOfSeveralLinesIsRefused) {
    for (const std::string content : {"", "\n", "one\ntwo\n"}) {
        _folder.write("token", content);
        check("secret_file = \"token\"\n");
        CPPUNIT_ASSERT_EQUAL(std::string("table.toml:1:15: the file token must hold the secret on one line and "
                                         "nothing else\n"),
                             messages());
    }
}

TEST(CheckedConfigTest, secretFileReadableForItsGroupIsAWarningUnlessOwnedByRoot) {
    _folder.write("token", "t0ps3cret\n");
    std::filesystem::permissions(_folder.path("token"), std::filesystem::perms(0640));
    const bool asRoot = ::geteuid() == 0;
    check("secret_file = \"token\"\n");
    if (asRoot) {
        CPPUNIT_ASSERT_EQUAL(std::string(), messages());
        CPPUNIT_ASSERT_EQUAL(0, ::chown(_folder.path("token").c_str(), 65'534, 65'534));
        check("secret_file = \"token\"\n");
    }
    CPPUNIT_ASSERT_EQUAL(std::string("table.toml:1:15: warning: token holds a secret and has mode 0640: its group can "
                                     "read it; run: chmod g-rwx token\n"),
                         messages());
    CPPUNIT_ASSERT(!_problems.hasErrors());
}

TEST(CheckedConfigTest, askingForWhatTheSchemaLacksIsAnErrorOfTheProgram) {
    const CheckedConfig config = check("");
    CPPUNIT_ASSERT_THROW(config.integer("nothing"), std::logic_error);
    CPPUNIT_ASSERT_THROW(config.integer("root"), std::logic_error);
}

TEST(CheckedConfigTest, invalidDefaultIsAnErrorOfTheProgram) {
    _schema = {{"wait", ConfigType::Duration, "5s", ""}};
    check("");
    CPPUNIT_ASSERT_EQUAL(std::string("media.toml:7:2: the default of wait in [plugins.media] is not valid: 5s; this is "
                                     "an error in the program, not in the file\n"),
                         messages());
}

} // namespace supplierd::tests
