#include "tests/sdk/operating/OperatedServer.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <filesystem>
#include <optional>

namespace supplierd::tests {

/// Lists of tables in a plugin's configuration: what the plugin gets, and what supplierctl says of them.
class TableListTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        writeWholeFile(_folder / "code", "thorn\n");
        std::filesystem::permissions(_folder / "code", std::filesystem::perms::owner_read);
        _operated.emplace("[[plugins.operated.bed]]\nflower = \"tulip\"\nrows = 3\n\n"
                          "[[plugins.operated.bed]]\nflower = \"rose\"\ncode_file = \"" +
                          (_folder / "code").string() + "\"\n");
    }

protected:
    void write(const std::string& configuration) {
        writeWholeFile(_operated->server().directory() / "conf.d/95-more.toml", configuration);
    }
    /// "line:column message" of those in the file that write() writes.
    std::string problems() {
        std::string text;
        const auto all = _operated->runJson({"config", "check"}, 1).at("problems");
        for (const auto& problem : all)
            if (!problem.at("file").is_null() && problem.at("file").get<std::string>().ends_with("95-more.toml"))
                text += problem.at("line").dump() + ":" + problem.at("column").dump() + " " +
                        problem.at("message").get<std::string>() + "\n";
        return text;
    }

    const TemporaryDirectory _folder{"beds"};
    std::optional<OperatedServer> _operated;
};

TEST(TableListTest, pluginGetsTheTables) {
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"beds":["3 tulip ","1 rose thorn"]})"),
                         _operated->client().get("/operated/beds").data().dump());
}

TEST(TableListTest, configShowPrintsEachTable) {
    std::string shown;
    const auto settings = _operated->runJson({"config", "show"}).at("settings");
    for (const auto& row : settings) {
        const auto key = row.at("key").get<std::string>();
        const auto from = row.at("from").get<std::string>();
        const auto file = from.find("90-test.toml");
        if (key.starts_with("plugins.operated.bed"))
            shown += key.substr(17) + " " + row.at("value").get<std::string>() + " " +
                     (file == std::string::npos ? from : from.substr(file, from.find(' ', file) - file)) + "\n";
    }
    CPPUNIT_ASSERT_EQUAL(std::string("bed[0].flower \"tulip\" 90-test.toml:2\n"
                                     "bed[0].rows 3 90-test.toml:3\n"
                                     "bed[0].code \"\" default\n"
                                     "bed[1].flower \"rose\" 90-test.toml:6\n"
                                     "bed[1].rows 1 default\n"
                                     "bed[1].code (hidden) 90-test.toml:7:\n"),
                         shown);
    write("[plugins.operated]\nbed = []\n");
    const auto none = _operated->run({"config", "show"});
    requireIn("plugins.operated.bed ", none.output);
}

TEST(TableListTest, mistakesAreReportedWithTheirPlace) {
    write("[[plugins.operated.bed]]\nflower = \"tulip\"\nrow = 3\n[[plugins.operated.bed]]\nrows = 101\n");
    CPPUNIT_ASSERT_EQUAL(std::string("3:1 unknown key 'row'; did you mean 'rows'?\n"
                                     "4:1 [[plugins.operated.bed]] needs the key 'flower' (What grows there)\n"
                                     "5:8 rows must be from 1 to 100, found 101\n"),
                         problems());
}

TEST(TableListTest, whatThePluginRefusesIsReportedWithItsPlace) {
    write("[[plugins.operated.bed]]\nflower = \"tulip\"\n[[plugins.operated.bed]]\nflower = \"nettle\"\n");
    CPPUNIT_ASSERT_EQUAL(std::string("4:10 plugin 'operated' refuses its configuration: bed[1].flower: nettles grow "
                                     "by themselves\n"),
                         problems());
}

TEST(TableListTest, validateTakesThem) {
    const auto validate = [&](const std::string& beds, int exitCode) {
        return _operated
            ->runJson({"plugin", "validate", SUPPLIERD_TEST_OPERATED_PLUGIN, "--set", "bed=" + beds}, exitCode)
            .dump();
    };
    validate(R"([{ flower = "rose" }, { flower = "tulip", rows = 2 }])", 0);
    const auto told = validate(R"([{ flower = "rose", rows = 0 }])", 1);
    requireIn("\"rows must be from 1 to 100, found 0\"", told);
}

} // namespace supplierd::tests
