#include <supplierd/testing/FakeConfig.h>

#include <cppunit/extensions/HelperMacros.h>

#include <stdexcept>

namespace supplierd::tests {

using testing::FakeConfig;

class FakeConfigTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(FakeConfigTest);
    CPPUNIT_TEST(testDefaultsAreReadAsTheFileWouldHaveThem);
    CPPUNIT_TEST(testGivenValuesWin);
    CPPUNIT_TEST(testUnknownMissingAndIllTypedKeysAreLogicErrors);
    CPPUNIT_TEST_SUITE_END();

    static std::vector<ConfigKey> schema() {
        return {{.name = "flag", .type = ConfigType::Boolean, .defaultValue = "true"},
                {.name = "count", .type = ConfigType::Integer, .defaultValue = "20"},
                {.name = "name", .type = ConfigType::Text, .defaultValue = "\"roses\""},
                {.name = "list", .type = ConfigType::TextList, .defaultValue = "[\"a\", \"b c\"]"},
                {.name = "pause", .type = ConfigType::Duration, .defaultValue = "\"5s\""},
                {.name = "limit", .type = ConfigType::Size, .defaultValue = "\"64KiB\""},
                {.name = "fetch.ports", .type = ConfigType::IntegerList, .defaultValue = "[80, 443]"}};
    }

    void testDefaultsAreReadAsTheFileWouldHaveThem() {
        const FakeConfig config(schema());
        CPPUNIT_ASSERT(config.boolean("flag"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{20}, config.integer("count"));
        CPPUNIT_ASSERT_EQUAL(std::string("roses"), config.text("name"));
        CPPUNIT_ASSERT((std::vector<std::string>{"a", "b c"}) == config.textList("list"));
        CPPUNIT_ASSERT(std::chrono::seconds(5) == config.duration("pause"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{65536}, config.size("limit"));
        CPPUNIT_ASSERT((std::vector<std::int64_t>{80, 443}) == config.integerList("fetch.ports"));
    }

    void testGivenValuesWin() {
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

    void testUnknownMissingAndIllTypedKeysAreLogicErrors() {
        CPPUNIT_ASSERT_THROW(FakeConfig(schema(), {{"cuont", "1"}}), std::logic_error);
        CPPUNIT_ASSERT_THROW(FakeConfig({{.name = "must", .type = ConfigType::Text}}), std::logic_error);
        const FakeConfig config(schema(), {{"count", "many"}, {"pause", "5 parsecs"}, {"fetch.ports", "[http]"}});
        CPPUNIT_ASSERT_THROW(config.integer("count"), std::logic_error);
        CPPUNIT_ASSERT_THROW(config.duration("pause"), std::logic_error);
        CPPUNIT_ASSERT_THROW(config.integerList("fetch.ports"), std::logic_error);
        CPPUNIT_ASSERT_THROW(config.integer("flag"), std::logic_error);
        CPPUNIT_ASSERT_THROW(config.text("none"), std::logic_error);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(FakeConfigTest);

} // namespace supplierd::tests
