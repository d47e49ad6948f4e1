#include "host/config/ServerAccount.h"
#include "host/config/SettingsSchema.h"
#include "tests/host/config/ConfigFolder.h"
#include "tests/support/Places.h"
#include "tests/support/Test.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>

namespace supplierd::tests {

using namespace std::chrono_literals;
using host::Settings;

class SettingsLoaderTest : public CppUnit::TestFixture {
public:
    void setUp() override { ::unsetenv("SUPPLIERD_DATABASE_PASSWORD"); }
    void tearDown() override { ::unsetenv("SUPPLIERD_DATABASE_PASSWORD"); }

protected:
    static void assertMessages(const std::string& text, const std::vector<std::string>& expected) {
        ConfigFolder folder(text);
        folder.load();
        CPPUNIT_ASSERT_EQUAL(lines(expected), lines(folder.messages()));
        CPPUNIT_ASSERT_EQUAL(!expected.empty(), folder.problems().hasErrors());
    }
};

TEST(SettingsLoaderTest, emptyFileGivesTheDefaults) {
    ConfigFolder folder;
    const Settings settings = folder.load();
    const Settings defaults;
    CPPUNIT_ASSERT_EQUAL(std::string(), lines(folder.messages()));
    CPPUNIT_ASSERT_EQUAL(std::string("127.0.0.1:8080"), settings.server.listen.toString());
    CPPUNIT_ASSERT_EQUAL(std::string("127.0.0.1:8081"), settings.server.adminListen.toString());
    CPPUNIT_ASSERT_EQUAL(defaults.server.threads, settings.server.threads);
    CPPUNIT_ASSERT_EQUAL(defaults.server.maxQueued, settings.server.maxQueued);
    CPPUNIT_ASSERT(defaults.server.keepAliveTimeout == settings.server.keepAliveTimeout);
    CPPUNIT_ASSERT(defaults.server.requestTimeout == settings.server.requestTimeout);
    CPPUNIT_ASSERT_EQUAL(defaults.server.bodyLimit, settings.server.bodyLimit);
    CPPUNIT_ASSERT(defaults.server.shutdownDeadline == settings.server.shutdownDeadline);
    CPPUNIT_ASSERT_EQUAL(folder.path("plugins-enabled").string(), settings.server.pluginsEnabled.string());
    CPPUNIT_ASSERT(settings.server.pluginDir.is_absolute());
    CPPUNIT_ASSERT_EQUAL(std::string("supplierd"), settings.database.session.database);
    CPPUNIT_ASSERT_EQUAL(3306u, settings.database.session.port);
    CPPUNIT_ASSERT_EQUAL(defaults.database.poolSize, settings.database.poolSize);
    CPPUNIT_ASSERT(defaults.database.poolWait == settings.database.poolWait);
    CPPUNIT_ASSERT(defaults.database.checkAfterIdle == settings.database.checkAfterIdle);
    CPPUNIT_ASSERT(defaults.database.startDeadline == settings.database.startDeadline);
    CPPUNIT_ASSERT(defaults.database.session.statementTimeLimit == settings.database.session.statementTimeLimit);
    CPPUNIT_ASSERT(defaults.database.session.lockWaitTimeout == settings.database.session.lockWaitTimeout);
    CPPUNIT_ASSERT_EQUAL(defaults.server.memory, settings.server.memory);
    CPPUNIT_ASSERT(defaults.auth.negativeTtl == settings.auth.negativeTtl);
    CPPUNIT_ASSERT_EQUAL(defaults.auth.failuresPerMinute, settings.auth.failuresPerMinute);
    CPPUNIT_ASSERT_EQUAL(1000, settings.rateLimit.requestsPerHour);
    CPPUNIT_ASSERT(24h == settings.idempotency.retention);
    CPPUNIT_ASSERT(400 * 24h == settings.audit.retention);
    CPPUNIT_ASSERT(30 * 24h == settings.audit.pushRetention);
    CPPUNIT_ASSERT(30 * 24h == settings.changes.retention);
    CPPUNIT_ASSERT(LogLevel::Information == settings.log.level);
    CPPUNIT_ASSERT_EQUAL(std::string("-"), settings.log.accessLog);
    CPPUNIT_ASSERT_EQUAL(std::string("-"), settings.log.file);
}

TEST(SettingsLoaderTest, everyKindOfValueIsRead) {
    ConfigFolder folder(R"([server]
listen = "[::1]:0"
threads = 8
body_limit = "64KiB"
keep_alive_timeout = "2m"
trusted_proxies = ["10.0.0.0/8", "::1"]
forwarded_header = "Forwarded"
proxy_protocol = true
[database]
host = "db.example"
tls = "verify"
[log]
level = "debug"
access_log = "off"
)");
    const Settings settings = folder.load();
    CPPUNIT_ASSERT_EQUAL(std::string(), lines(folder.messages()));
    CPPUNIT_ASSERT_EQUAL(std::string("[::1]:0"), settings.server.listen.toString());
    CPPUNIT_ASSERT_EQUAL(8, settings.server.threads);
    CPPUNIT_ASSERT_EQUAL(std::int64_t(65'536), settings.server.bodyLimit);
    CPPUNIT_ASSERT(2min == settings.server.keepAliveTimeout);
    CPPUNIT_ASSERT_EQUAL(std::size_t(2), settings.server.trustedProxies.size());
    CPPUNIT_ASSERT(settings.server.trustedProxies[0].contains(Poco::Net::IPAddress("10.1.2.3")));
    CPPUNIT_ASSERT(host::ForwardedSource::Forwarded == settings.server.forwardedHeader);
    CPPUNIT_ASSERT(settings.server.proxyProtocol);
    CPPUNIT_ASSERT_EQUAL(std::string("db.example"), settings.database.session.host);
    CPPUNIT_ASSERT(host::TlsMode::Verify == settings.database.session.tls);
    CPPUNIT_ASSERT(LogLevel::Debug == settings.log.level);
    CPPUNIT_ASSERT_EQUAL(std::string("off"), settings.log.accessLog);
}

TEST(SettingsLoaderTest, unknownKeyNamesPlaceAndNearestKey) {
    assertMessages("[database]\nhost = \"127.0.0.1\"\npool_sise = 16\n",
                   {"supplierd.toml:3:1: unknown key 'pool_sise'; did you mean 'pool_size'?"});
}

TEST(SettingsLoaderTest, unknownKeyNearToNothingSuggestsNothing) {
    assertMessages("[database]\n  colour = 1\n", {"supplierd.toml:2:3: unknown key 'colour'"});
}

TEST(SettingsLoaderTest, keyOfAnotherTableSaysWhereItBelongs) {
    assertMessages("pool_size = 5\n[server]\npool_size = 5\n",
                   {"supplierd.toml:1:1: unknown key 'pool_size'; it belongs in [database]",
                    "supplierd.toml:3:1: unknown key 'pool_size'; it belongs in [database]"});
}

TEST(SettingsLoaderTest, unknownTableNamesTheNearest) {
    assertMessages("[databse]\nport = 1\n", {"supplierd.toml:1:2: unknown table 'databse'; did you mean 'database'?"});
    assertMessages("server = 1\n", {"supplierd.toml:1:10: server must be a table, written [server], found an integer"});
}

TEST(SettingsLoaderTest, wrongTypeSaysWhatIsWantedAndFound) {
    assertMessages(
        R"([server]
listen = 8080
threads = "64"
keep_alive_timeout = 15
body_limit = true
trusted_proxies = "10.0.0.0/8"
address_file = 2026-11-20
[database]
port = 3306.5
[server.shutdown_deadline]
)",
        {"supplierd.toml:2:10: listen must be a text like \"127.0.0.1:8080\", found an integer",
         "supplierd.toml:3:11: threads must be an integer like 64, without quotes, found a text",
         "supplierd.toml:4:22: keep_alive_timeout must be a duration like \"15s\", found an integer",
         "supplierd.toml:5:14: body_limit must be a size like \"1MiB\", or a number of bytes, found a boolean",
         "supplierd.toml:6:19: trusted_proxies must be a list of texts like [\"…\", \"…\"], found a text",
         "supplierd.toml:7:16: address_file must be a text like \"…\", found a date or time",
         "supplierd.toml:9:8: port must be an integer like 3306, without quotes, found a number with a fraction",
         "supplierd.toml:10:1: shutdown_deadline must be a duration like \"20s\", found a table"});
}

TEST(SettingsLoaderTest, valueOutOfRangeSaysTheRange) {
    assertMessages(
        R"([database]
pool_size = 0
port = 65536
pool_wait = "2m"
[auth]
negative_ttl = "2m"
[server]
body_limit = 12
shutdown_deadline = "2h"
)",
        {"supplierd.toml:2:13: pool_size must be from 1 to 1000, found 0",
         "supplierd.toml:3:8: port must be from 1 to 65535, found 65536",
         "supplierd.toml:4:13: pool_wait must be from 1ms to 1m, found \"2m\"",
         "supplierd.toml:6:16: negative_ttl must be from 0ms to 1m, found \"2m\"",
         "supplierd.toml:8:14: body_limit must be from 1KiB to 64MiB, found 12",
         "supplierd.toml:9:21: shutdown_deadline must be from 0ms to 1h, found \"2h\""});
}

TEST(SettingsLoaderTest, unitsAreNamedWhenMissing) {
    assertMessages("[database]\npool_wait = \"2\"\n[server]\nbody_limit = \"1 MB\"\n",
                   {"supplierd.toml:2:13: pool_wait must be a duration like \"2s\" (units: ms, s, m, h, d), found "
                    "\"2\"",
                    "supplierd.toml:4:14: body_limit must be a size like \"1MiB\", or a number of bytes (units: KiB, "
                    "MiB, GiB), found \"1 MB\""});
}

TEST(SettingsLoaderTest, theAuditLogIsKeptForDaysOrForEver) {
    ConfigFolder forEver("[audit]\nretention = \"0\"\n");
    CPPUNIT_ASSERT(0ms == forEver.load().audit.retention);
    CPPUNIT_ASSERT_EQUAL(std::string(), lines(forEver.messages()));
    ConfigFolder day("[audit]\nretention = \"1d\"\n");
    CPPUNIT_ASSERT(24h == day.load().audit.retention);
    CPPUNIT_ASSERT_EQUAL(std::string(), lines(day.messages()));
    assertMessages("[audit]\nretention = \"400s\"\n",
                   {"supplierd.toml:2:13: retention must be \"0\" (for ever) or at least 1d, found \"400s\""});
}

TEST(SettingsLoaderTest, entriesOfPushesAreKeptForDaysOrAsLongAsOthers) {
    ConfigFolder likeOthers("[audit]\npush_retention = \"0\"\n");
    CPPUNIT_ASSERT(0ms == likeOthers.load().audit.pushRetention);
    CPPUNIT_ASSERT_EQUAL(std::string(), lines(likeOthers.messages()));
    ConfigFolder week("[audit]\npush_retention = \"7d\"\n");
    const host::Settings settings = week.load();
    CPPUNIT_ASSERT(7 * 24h == settings.audit.pushRetention);
    CPPUNIT_ASSERT(400 * 24h == settings.audit.retention);
    CPPUNIT_ASSERT_EQUAL(std::string(), lines(week.messages()));
    assertMessages("[audit]\npush_retention = \"30m\"\n",
                   {"supplierd.toml:2:18: push_retention must be \"0\" (as long as the others) or at least 1d, "
                    "found \"30m\""});
}

TEST(SettingsLoaderTest, theChangeLogIsKeptForDaysOrForEver) {
    ConfigFolder week("[changes]\nretention = \"7d\"\n");
    CPPUNIT_ASSERT(7 * 24h == week.load().changes.retention);
    CPPUNIT_ASSERT_EQUAL(std::string(), lines(week.messages()));
    ConfigFolder forEver("[changes]\nretention = \"0\"\n");
    CPPUNIT_ASSERT(0ms == forEver.load().changes.retention);
    assertMessages("[changes]\nretention = \"30m\"\n",
                   {"supplierd.toml:2:13: retention must be \"0\" (for ever) or at least 1d, found \"30m\""});
}

TEST(SettingsLoaderTest, wordOutsideTheListNamesTheList) {
    assertMessages("[database]\ntls = \"require\"\n[log]\nlevel = \"loud\"\n",
                   {"supplierd.toml:2:7: tls must be one of \"off\", \"preferred\", \"required\", \"verify\", found "
                    "\"require\"; did you mean 'required'?",
                    "supplierd.toml:4:9: level must be one of \"debug\", \"information\", \"warning\", \"error\", "
                    "found \"loud\""});
}

TEST(SettingsLoaderTest, addressesAreChecked) {
    const std::string wanted = "listen must be an IP address and a port like \"127.0.0.1:8080\", \"0.0.0.0:8080\" "
                               "or \"[::1]:8080\", found ";
    for (const std::string bad : {"8080", "example.org:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000",
                                  "127.0.0.1:http", "", ":80", "8080:80", "127.0.0.1:99999999999999999999"})
        assertMessages(fmt::format("[server]\nlisten = \"{}\"\n", bad),
                       {fmt::format("supplierd.toml:2:10: {}\"{}\"", wanted, bad)});
    assertMessages("[server]\nlisten = \"127.0.0.1:8081\"\n",
                   {"supplierd.toml:1:2: admin_listen must differ from listen: the API and /metrics cannot share "
                    "127.0.0.1:8081"});
    assertMessages("[server]\ntrusted_proxies = [\"10.0.0.1/8\"]\n",
                   {"supplierd.toml:2:19: trusted_proxies must hold addresses or ranges like \"10.0.0.0/8\", found "
                    "\"10.0.0.1/8\""});
    for (const std::string bad :
         {"shop.example", "https://shop.example/", "https://Shop.example", "https://", "https://shop.example:443",
          "https://u@shop.example", "null", "https://shop.example?q"})
        assertMessages(fmt::format("[server]\ncors_origins = [\"{}\"]\n", bad),
                       {fmt::format("supplierd.toml:2:16: cors_origins must hold origins as browsers send them, like "
                                    "\"https://shop.example\" or \"http://localhost:3000\", or \"*\", found \"{}\"",
                                    bad)});
    assertMessages("[server]\ncors_origins = [\"https://shop.example\", \"http://localhost:3000\"]\n", {});
    assertMessages("[server]\nforwarded_header = \"X-Real-IP\"\n",
                   {"supplierd.toml:2:20: forwarded_header must be one of \"X-Forwarded-For\", \"Forwarded\", found "
                    "\"X-Real-IP\""});
    assertMessages("[server]\nproxy_protocol = true\n",
                   {"supplierd.toml:2:18: proxy_protocol needs trusted_proxies: a PROXY header of anybody else is "
                    "not believed"});
    assertMessages("[server]\nlisten = \"localhost:80\"\n", {});
}

TEST(SettingsLoaderTest, severalDatabaseServersAreReadInTheirOrder) {
    ConfigFolder folder("[database]\nhosts = [\"db1\", \"[fd00::2]:3307\", \"/run/db.sock\"]\n"
                        "read_from = \"local\"\nfailover_after = \"1s\"\nreturn_after = \"1m\"\n");
    const auto database = folder.load().database;
    CPPUNIT_ASSERT_EQUAL(std::string(), lines(folder.messages()));
    CPPUNIT_ASSERT_EQUAL(std::string("db1:3306, [fd00::2]:3307, /run/db.sock"), database.session.place());
    CPPUNIT_ASSERT(database.readFrom == 2U);
    CPPUNIT_ASSERT(1s == database.session.failoverAfter && 1min == database.session.returnAfter);

    ConfigFolder alone("[database]\nhosts = [\"db7:3308\"]\n");
    const auto session = alone.load().database.session;
    CPPUNIT_ASSERT_EQUAL_MESSAGE("one is what host and port say", std::string("db7:3308"), session.place());
    CPPUNIT_ASSERT_EQUAL(std::string("db7"), session.host);
    CPPUNIT_ASSERT(session.nodes.empty());
}

TEST(SettingsLoaderTest, listOfDatabaseServersIsChecked) {
    const std::string wanted = "hosts must hold different servers like \"db1:3306\", \"[fd00::1]:3306\" or "
                               "\"/run/mysqld/mysqld.sock\", found ";
    assertMessages("[database]\nhosts = [\"db1:x\"]\n", {"supplierd.toml:2:9: " + wanted + "\"db1:x\""});
    assertMessages("[database]\nhosts = [\"db1\", \"db1:3306\"]\n", {"supplierd.toml:2:9: " + wanted + "\"db1:3306\""});
    assertMessages("[database]\nsocket = \"/run/db.sock\"\nhosts = [\"db1\"]\n",
                   {"supplierd.toml:2:10: socket and hosts must not both be set: write the socket into hosts, and "
                    "socket = \"\" where it is set before (supplierctl config show)"});
    assertMessages("[database]\nsocket = \"\"\nhosts = [\"db1\", \"DB1\"]\n",
                   {"supplierd.toml:3:9: " + wanted + "\"DB1\""});
    assertMessages("[database]\nhosts = [\"db1\", \"db2\"]\nread_from = \"db3\"\n",
                   {"supplierd.toml:3:13: read_from must be \"writer\", \"local\" or one of hosts, found \"db3\""});
    assertMessages("[database]\nhosts = [\"db1.example\", \"db2.example\"]\nread_from = \"local\"\n",
                   {"supplierd.toml:3:13: read_from is \"local\", and none of hosts is this machine; name one of "
                    "them instead"});
}

TEST(SettingsLoaderTest, allErrorsAreToldAtOnceInTheOrderOfTheFile) {
    assertMessages("[log]\nlevel = 1\n[server]\nthread = 1\nthreads = 0\n",
                   {"supplierd.toml:2:9: level must be a text like \"information\", found an integer",
                    "supplierd.toml:4:1: unknown key 'thread'; did you mean 'threads'?",
                    "supplierd.toml:5:11: threads must be from 1 to 4096, found 0"});
}

TEST(SettingsLoaderTest, syntaxErrorHasItsPlace) {
    ConfigFolder folder("[server]\nthreads = \n");
    folder.load();
    CPPUNIT_ASSERT_EQUAL(std::size_t(1), folder.messages().size());
    CPPUNIT_ASSERT_MESSAGE(folder.messages()[0], folder.messages()[0].starts_with("supplierd.toml:2:"));
}

TEST(SettingsLoaderTest, sameKeyTwiceInOneFileIsAnError) {
    ConfigFolder folder("[server]\nthreads = 1\nthreads = 2\n");
    folder.load();
    CPPUNIT_ASSERT_EQUAL(std::size_t(1), folder.messages().size());
    CPPUNIT_ASSERT_MESSAGE(folder.messages()[0], folder.messages()[0].starts_with("supplierd.toml:3:"));
    CPPUNIT_ASSERT_MESSAGE(folder.messages()[0], folder.messages()[0].find("'threads'") != std::string::npos);
}

TEST(SettingsLoaderTest, missingFileSaysWhichAndWhatToDo) {
    ConfigFolder folder;
    std::filesystem::remove(folder.path());
    folder.load();
    CPPUNIT_ASSERT_EQUAL(std::string("supplierd.toml: there is no such configuration file; name the right one with "
                                     "--config=FILE, or copy the example supplierd.toml to this place\n"),
                         lines(folder.messages()));
    CPPUNIT_ASSERT(folder.problems().hasErrors());
}

TEST(SettingsLoaderTest, fileIsNamedAsItWasGiven) {
    ConfigFolder folder("nonsense = 1\n");
    const auto given = std::filesystem::relative(folder.path());
    CPPUNIT_ASSERT(given.is_relative());
    host::Diagnostics problems;
    const Settings settings = host::loadSettings(given, problems);
    CPPUNIT_ASSERT_EQUAL(given.string() + ":1:1: unknown key 'nonsense'\n", problems.toString());
    CPPUNIT_ASSERT_EQUAL(folder.path("plugins-enabled").string(), settings.server.pluginsEnabled.string());
}

TEST(SettingsLoaderTest, laterFilesOverrideEarlierOnes) {
    ConfigFolder folder("[server]\nthreads = 1\nmax_queued = 7\n");
    folder.write("conf.d/10-a.toml", "[server]\nthreads = 2\n[database]\npool_size = 3\n");
    folder.write("conf.d/20-b.toml", "[server]\nthreads = 4\n");
    folder.write("conf.d/ignored.toml.dpkg-dist", "nonsense");
    const Settings settings = folder.load();
    CPPUNIT_ASSERT_EQUAL(std::string(), lines(folder.messages()));
    CPPUNIT_ASSERT_EQUAL(4, settings.server.threads);
    CPPUNIT_ASSERT_EQUAL(7, settings.server.maxQueued);
    CPPUNIT_ASSERT_EQUAL(3, settings.database.poolSize);
}

TEST(SettingsLoaderTest, errorInLaterFileNamesThatFile) {
    ConfigFolder folder;
    folder.write("conf.d/10-a.toml", "\n[server]\nthreads = 0\nlisen = \"x\"\n");
    folder.load();
    CPPUNIT_ASSERT_EQUAL(std::string("conf.d/10-a.toml:3:11: threads must be from 1 to 4096, found 0\n"
                                     "conf.d/10-a.toml:4:1: unknown key 'lisen'; did you mean 'listen'?\n"),
                         lines(folder.messages()));
}

TEST(SettingsLoaderTest, fileOfAPluginIsReadWhileThePluginIsEnabled) {
    ConfigFolder folder("[plugins.wishes]\nlimit = 1\nname = \"main\"\n");
    folder.write("plugins-available/wishes.toml", "[plugins.wishes]\nlimit = 2\ncolour = \"red\"\n");
    folder.write("plugins-available/roses.toml", "this is no TOML");
    folder.write("plugins-enabled/wishes.so", "");
    folder.write("conf.d/50-own.toml", "[plugins.wishes]\ncolour = \"blue\"\n");
    const Settings settings = folder.load();
    CPPUNIT_ASSERT_EQUAL(std::string(), lines(folder.messages()));
    const host::ConfigTable* wishes = settings.plugins.table("wishes");
    CPPUNIT_ASSERT(wishes);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, std::get<std::int64_t>(wishes->find("limit")->value.data));
    CPPUNIT_ASSERT_EQUAL(std::string("main"), std::get<std::string>(wishes->find("name")->value.data));
    CPPUNIT_ASSERT_EQUAL(std::string("blue"), std::get<std::string>(wishes->find("colour")->value.data));
}

TEST(SettingsLoaderTest, pluginsEnabledOfALaterFileDecidesWhichFilesAreRead) {
    ConfigFolder folder("[server]\nplugins_enabled = \"first\"\n");
    folder.write("plugins-available/roses.toml", "[plugins.roses]\nlimit = 1\n");
    folder.write("plugins-available/wishes.toml", "[plugins.wishes]\nlimit = 2\n");
    folder.write("first/roses.so", "");
    folder.write("second/wishes.so", "");
    folder.write("conf.d/50-own.toml", "[server]\nplugins_enabled = \"second\"\n");
    const Settings settings = folder.load();
    CPPUNIT_ASSERT(!settings.plugins.table("roses"));
    CPPUNIT_ASSERT(settings.plugins.table("wishes"));
}

TEST(SettingsLoaderTest, relativePathsStartAtTheFile) {
    ConfigFolder folder("[server]\naddress_file = \"run/address.json\"\nplugin_dir = \"../plugins\"\n[database]\n"
                        "socket = \"/run/mysqld.sock\"\n[log]\nfile = \"server.log\"\n");
    const Settings settings = folder.load();
    CPPUNIT_ASSERT_EQUAL(folder.path("run/address.json").string(), settings.server.addressFile.string());
    CPPUNIT_ASSERT_EQUAL((folder.path().parent_path().parent_path() / "plugins").string(),
                         settings.server.pluginDir.string());
    CPPUNIT_ASSERT_EQUAL(std::string("/run/mysqld.sock"), settings.database.session.socket);
    CPPUNIT_ASSERT_EQUAL(folder.path("server.log").string(), settings.log.file);
}

TEST(SettingsLoaderTest, passwordComesFromItsFile) {
    ConfigFolder folder("[database]\npassword_file = \"secret\"\n");
    folder.write("secret", "ros; es\n");
    CPPUNIT_ASSERT_EQUAL(std::string("ros; es"), folder.load().database.session.password);
    CPPUNIT_ASSERT_EQUAL(std::string(), lines(folder.messages()));

    ConfigFolder without("[database]\npassword_file = \"secret\"\n");
    without.load();
    CPPUNIT_ASSERT_EQUAL(std::string("supplierd.toml:2:17: the secret in secret cannot be read: No such file or "
                                     "directory\n"),
                         lines(without.messages()));
}

TEST(SettingsLoaderTest, passwordAndItsFileExcludeEachOther) {
    assertMessages("[database]\npassword = \"a\"\npassword_file = \"b\"\n",
                   {"supplierd.toml:3:1: give password or password_file, not both"});
}

TEST(SettingsLoaderTest, passwordFromTheEnvironmentWins) {
    ConfigFolder folder("[database]\npassword = \"of the file\"\n");
    ::setenv("SUPPLIERD_DATABASE_PASSWORD", "of the environment", 1);
    CPPUNIT_ASSERT_EQUAL(std::string("of the environment"), folder.load().database.session.password);
    ::setenv("SUPPLIERD_DATABASE_PASSWORD", "", 1);
    CPPUNIT_ASSERT_EQUAL(std::string("of the file"), folder.load().database.session.password);
}

TEST(SettingsLoaderTest, passwordReadableForEverybodyIsAnError) {
    ConfigFolder folder("[database]\npassword = \"tulip\"\n");
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0644));
    folder.load();
    CPPUNIT_ASSERT_EQUAL(
        std::string("supplierd.toml:2:1: supplierd.toml holds a secret and has mode 0644: every user "
                    "can read it; run: " +
                    host::commandsToLetTheServerRead("supplierd.toml").value_or("chmod o-rwx supplierd.toml") + "\n"),
        lines(folder.messages()));
}

TEST(SettingsLoaderTest, readableFileWithoutPasswordIsFine) {
    ConfigFolder folder("[database]\nuser = \"shop\"\npassword = \"\"\n");
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0644));
    folder.load();
    CPPUNIT_ASSERT_EQUAL(std::string(), lines(folder.messages()));
}

TEST(SettingsLoaderTest, passwordIsNeverInAMessage) {
    for (const std::string value : {"[\"tulip\"]", "{ is = \"tulip\" }"}) {
        ConfigFolder folder("[database]\npassword = " + value + "\n");
        folder.load();
        CPPUNIT_ASSERT(folder.problems().hasErrors());
        CPPUNIT_ASSERT_EQUAL(std::string::npos, lines(folder.messages()).find("tulip"));
    }
}

TEST(SettingsLoaderTest, pluginTablesAreKeptForTheirPlugins) {
    ConfigFolder folder("[plugins.catalog]\nanything = 1\n[plugins]\nloose = 2\n");
    const Settings settings = folder.load();
    CPPUNIT_ASSERT(settings.plugins.table("catalog") != nullptr);
    CPPUNIT_ASSERT(settings.plugins.table("catalog")->find("anything") != nullptr);
    CPPUNIT_ASSERT_EQUAL(std::string("supplierd.toml:4:1: [plugins] holds one table per plugin, written "
                                     "[plugins.loose], found an integer\n"),
                         lines(folder.messages()));
}

TEST(SettingsLoaderTest, shippedFileIsValidAndDocumentsEveryKeyWithItsDefault) {
    std::ifstream stream(sourcePath("conf/supplierd.toml"));
    CPPUNIT_ASSERT(stream.good());
    // Uncommented, every line `#key = value` must be a valid setting, and the one that the schema has by default.
    std::set<std::string> documented;
    std::string section;
    std::string uncommented;
    for (std::string line; std::getline(stream, line);) {
        std::smatch match;
        if (std::regex_match(line, match, std::regex(R"(#?\[([a-z_.]+)\])"))) {
            section = match[1];
            line = "[" + section + "]";
        } else if (std::regex_match(line, match, std::regex(R"(#([a-z_]+) = (.+))"))) {
            documented.insert(section + "." + match[1].str() + " = " + match[2].str());
            line = match[1].str() == "password_file" ? "" : line.substr(1);
        }
        uncommented += line + "\n";
    }
    ConfigFolder folder(uncommented);
    folder.load();
    CPPUNIT_ASSERT_EQUAL(std::string(), lines(folder.messages()));

    std::set<std::string> expected{"plugins.catalog.optional = false", "database.password_file = \"database-password\"",
                                   "redis.password_file = \"redis-password\""};
    for (const host::SettingsSection& known : host::settingsSchema()) {
        for (const ConfigKey& key : known.keys)
            expected.insert(known.name + "." + key.name + " = " + key.defaultValue);
    }
    CPPUNIT_ASSERT_EQUAL(lines({expected.begin(), expected.end()}), lines({documented.begin(), documented.end()}));
}

} // namespace supplierd::tests
