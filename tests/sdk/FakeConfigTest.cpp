#include "tests/support/Test.h"

#include <supplierd/testing/FakeConfig.h>

#include <stdexcept>

namespace supplierd::tests {

using testing::FakeConfig;

class FakeConfigTest : public CppUnit::TestFixture {
protected:
    static std::vector<ConfigKey> schema() {
        return {{.name = "flag", .type = ConfigType::Boolean, .defaultValue = "true"},
                {.name = "count", .type = ConfigType::Integer, .defaultValue = "20"},
                {.name = "name", .type = ConfigType::Text, .defaultValue = "\"roses\""},
                {.name = "list", .type = ConfigType::TextList, .defaultValue = "[\"a\", \"b c\"]"},
                {.name = "pause", .type = ConfigType::Duration, .defaultValue = "\"5s\""},
                {.name = "limit", .type = ConfigType::Size, .defaultValue = "\"64KiB\""},
                {.name = "fetch.ports", .type = ConfigType::IntegerList, .defaultValue = "[80, 443]"}};
    }

    static std::vector<ConfigKey> feeds(const std::string& defaultValue) {
        return {{.name = "feed",
                 .type = ConfigType::TableList,
                 .defaultValue = defaultValue,
                 .keys = {{.name = "url", .type = ConfigType::Text},
                          {.name = "every", .type = ConfigType::Duration, .defaultValue = "\"1h\""},
                          {.name = "header",
                           .type = ConfigType::TableList,
                           .defaultValue = "[]",
                           .keys = {{.name = "name", .type = ConfigType::Text}}}}}};
    }
};

TEST(FakeConfigTest, defaultsAreReadAsTheFileWouldHaveThem) {
    const FakeConfig config(schema());
    CPPUNIT_ASSERT(config.boolean("flag"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{20}, config.integer("count"));
    CPPUNIT_ASSERT_EQUAL(std::string("roses"), config.text("name"));
    CPPUNIT_ASSERT((std::vector<std::string>{"a", "b c"}) == config.textList("list"));
    CPPUNIT_ASSERT(std::chrono::seconds(5) == config.duration("pause"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{65536}, config.size("limit"));
    CPPUNIT_ASSERT((std::vector<std::int64_t>{80, 443}) == config.integerList("fetch.ports"));
}

TEST(FakeConfigTest, givenValuesWin) {
    const FakeConfig config(schema(), {{"flag", "false"},
                                       {"count", "-3"},
                                       {"name", "tulips"},
                                       {"list", "[]"},
                                       {"pause", "250ms"},
                                       {"limit", "100"},
                                       {"fetch.ports", "[-1]"}});
    CPPUNIT_ASSERT(!config.boolean("flag"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{-3}, config.integer("count"));
    CPPUNIT_ASSERT_EQUAL(std::string("tulips"), config.text("name"));
    CPPUNIT_ASSERT(config.textList("list").empty());
    CPPUNIT_ASSERT(std::chrono::milliseconds(250) == config.duration("pause"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{100}, config.size("limit"));
    CPPUNIT_ASSERT(std::vector<std::int64_t>{-1} == config.integerList("fetch.ports"));
}

TEST(FakeConfigTest, tablesOfAListAreGivenByTheirKeys) {
    const FakeConfig config(
        feeds(""),
        {{"feed[0].url", "a"}, {"feed[1].url", "b"}, {"feed[1].every", "5s"}, {"feed[1].header[0].name", "X"}});
    const auto feeds = config.tables("feed");
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, feeds.size());
    CPPUNIT_ASSERT_EQUAL(std::string("a"), feeds[0].get().text("url"));
    CPPUNIT_ASSERT(std::chrono::hours(1) == feeds[0].get().duration("every"));
    CPPUNIT_ASSERT(std::chrono::seconds(5) == feeds[1].get().duration("every"));
    CPPUNIT_ASSERT_EQUAL(std::string("X"), feeds[1].get().tables("header").at(0).get().text("name"));
    CPPUNIT_ASSERT(FakeConfig(FakeConfigTest::feeds("[]")).tables("feed").empty());
    CPPUNIT_ASSERT(FakeConfig(FakeConfigTest::feeds(""), {{"feed", "[]"}}).tables("feed").empty());
}

TEST(FakeConfigTest, unknownMissingAndIllTypedKeysAreLogicErrors) {
    CPPUNIT_ASSERT_THROW(FakeConfig(schema(), {{"cuont", "1"}}), std::logic_error);
    CPPUNIT_ASSERT_THROW(FakeConfig({{.name = "must", .type = ConfigType::Text}}), std::logic_error);
    const FakeConfig config(schema(), {{"count", "many"}, {"pause", "5 parsecs"}, {"fetch.ports", "[http]"}});
    CPPUNIT_ASSERT_THROW(config.integer("count"), std::logic_error);
    CPPUNIT_ASSERT_THROW(config.duration("pause"), std::logic_error);
    CPPUNIT_ASSERT_THROW(config.integerList("fetch.ports"), std::logic_error);
    CPPUNIT_ASSERT_THROW(config.integer("flag"), std::logic_error);
    CPPUNIT_ASSERT_THROW(config.text("none"), std::logic_error);
    CPPUNIT_ASSERT_THROW(config.tables("list"), std::logic_error);
    CPPUNIT_ASSERT_THROW(FakeConfig(feeds("")), std::logic_error);
    for (const char* name : {"feed[0].every", "feed[0].ulr", "feed[1].url", "feed[0]", "feed[x].url", "list[0].url"})
        CPPUNIT_ASSERT_THROW_MESSAGE(name, FakeConfig(feeds("[]"), {{name, "1s"}}), std::logic_error);
    CPPUNIT_ASSERT_THROW(FakeConfig(feeds("[]"), {{"feed", "[{}]"}}), std::logic_error);
}

} // namespace supplierd::tests
