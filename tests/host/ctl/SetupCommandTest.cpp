#include "tests/host/ctl/OtherUser.h"
#include "tests/host/ctl/SetupFixture.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <grp.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

class SetupCommandTest : public SetupFixture {
protected:
    static unsigned modeOf(const std::filesystem::path& file) {
        return static_cast<unsigned>(std::filesystem::status(file).permissions()) & 07777U;
    }

    static bool hasServerGroup() { return ::geteuid() == 0 && ::getgrnam("supplierd") != nullptr; }

    /// An administrator who logs in with the password in the file `chief`.
    void grantChief() {
        administrator().exec("CREATE OR REPLACE USER chief@'127.0.0.1' IDENTIFIED BY 'of all'");
        administrator().exec("CREATE OR REPLACE USER chief@localhost IDENTIFIED BY 'of all'");
        administrator().exec("GRANT ALL ON *.* TO chief@'127.0.0.1' WITH GRANT OPTION");
        administrator().exec("GRANT ALL ON *.* TO chief@localhost WITH GRANT OPTION");
        writeWholeFile(folder() / "chief", "of all\n");
    }

    bool hasAccount() {
        return administrator().integer("SELECT COUNT(*) FROM mysql.user WHERE user = '" + user() + "'") > 0;
    }
};

TEST(SetupCommandTest, makesDatabaseAccountSchemaConfigurationAndKey) {
    const auto before = configuration();
    const auto report = setUpWell();
    for (const auto* step : {"configuration", "database", "account", "rights", "schema", "operator key"})
        CPPUNIT_ASSERT_MESSAGE(report.dump(), stateOf(report, step).starts_with("done"));
    CPPUNIT_ASSERT(report.at("operator_key").at("secret").get<std::string>().starts_with("ok_"));
    CPPUNIT_ASSERT_EQUAL(std::string("utf8mb4"),
                         administrator().text("SELECT default_character_set_name FROM information_schema.schemata "
                                              "WHERE schema_name = '" +
                                              database() + "'"));
    // supplierd.toml is the package's: it can be replaced at an upgrade without a question.
    CPPUNIT_ASSERT_EQUAL(before, configuration());
    CPPUNIT_ASSERT_EQUAL(hasServerGroup() ? 0640U : 0644U, modeOf(ownFile()));
    CPPUNIT_ASSERT_EQUAL(hasServerGroup() ? 0640U : 0600U, modeOf(passwordFile()));
    requireUsable();
}

TEST(SetupCommandTest, secondRunFindsEverythingAndNeedsNoAdministrator) {
    setUpWell();
    const auto before = ownText();
    const auto report = setUpWell({"--admin-user", "nobody", "--admin-password-file", "/nonexistent"});
    for (const auto& step : report.at("steps"))
        CPPUNIT_ASSERT_EQUAL_MESSAGE(step.dump(), std::string("already"), step.at("state").get<std::string>());
    CPPUNIT_ASSERT(report.at("operator_key").is_null());
    CPPUNIT_ASSERT_EQUAL(before, ownText());
}

TEST(SetupCommandTest, accountHasTheRightsOfItsDatabaseOnly) {
    setUpWell();
    const auto grants = administrator().query("SHOW GRANTS FOR '" + user() + "'@localhost");
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, grants.size());
    CPPUNIT_ASSERT_MESSAGE(*grants[0][0], grants[0][0]->starts_with("GRANT USAGE ON *.*"));
    const auto& rights = *grants[1][0];
    requireIn("`setup\\_", rights); // else a wildcard
    CPPUNIT_ASSERT_MESSAGE(rights, rights.find("ALL PRIVILEGES") == std::string::npos);
    CPPUNIT_ASSERT_MESSAGE(rights, rights.find("GRANT OPTION") == std::string::npos);
}

TEST(SetupCommandTest, missingConfigurationIsBegun) {
    std::filesystem::remove(configFile());
    std::filesystem::remove_all(folder() / "plugins-enabled");
    std::filesystem::create_directory(folder() / "plugins-enabled");
    const auto report = setUpWell();
    CPPUNIT_ASSERT_EQUAL(std::string("skipped"), stateOf(report, "plugins"));
    requireIn("\n[database]\n", ownText());
    requireUsable();
}

TEST(SetupCommandTest, administratorsConfigurationIsKept) {
    writeConfiguration("# mine\nthreads = 7 # seven\n\n[database]\n# Which one.\n#name = \"supplierd\"\n"
                       "pool_size   =   3 # small\n\n[log]\nlevel = \"debug\"\n");
    const auto before = configuration();
    setUpWell();
    CPPUNIT_ASSERT_EQUAL(before, configuration());
    writeWholeFile(ownFile(), "# of mine\n[log]\nlevel = \"debug\"\n\n" + ownText() + "pool_size = 4 # mine\n");
    setUpWell({"--reset-password", "--database-name", database() + "b"});
    for (const auto* kept : {"# of mine\n[log]\nlevel = \"debug\"\n", "pool_size = 4 # mine\n"})
        requireIn(kept, ownText());
    requireUsable();
}

TEST(SetupCommandTest, setupOfTheEarlierFormGoesOn) {
    setUpWell();
    // As setup wrote it before it had a file of its own: into the configuration file.
    writeConfiguration(ownText());
    std::filesystem::remove(ownFile());
    const auto before = configuration();
    const auto report = setUpWell({"--admin-user", "nobody", "--admin-password-file", "/nonexistent"});
    for (const auto& step : report.at("steps"))
        CPPUNIT_ASSERT_EQUAL_MESSAGE(step.dump(), std::string("already"), step.at("state").get<std::string>());
    requireIn("as it is in " + configFile().string(), report.dump());
    CPPUNIT_ASSERT(!std::filesystem::exists(ownFile()));

    const auto changed = setUpWell({"--reset-password", "--database-name", database() + "b"});
    requireIn("which wins over " + configFile().string(), changed.dump());
    CPPUNIT_ASSERT_EQUAL(before, configuration());
    requireIn("\nname = \"" + database() + "b\"\n", ownText());
    requireUsable();
}

TEST(SetupCommandTest, everyFormOfTheTableIsLeftAsItIs) {
    const auto plain = configuration();
    for (const std::string form : {"database.pool_size = 3\n", "database = { pool_size = 3 }\n",
                                   "database.name = \"other\"\ndatabase.pool_size = 3\n"}) {
        writeWholeFile(configFile(), form + plain);
        setUpWell();
        CPPUNIT_ASSERT_EQUAL(form + plain, configuration());
        requireUsable();
    }
}

TEST(SetupCommandTest, fileThatCannotBeChangedStaysGood) {
    std::filesystem::create_directory(folder() / "conf.d");
    for (const std::string text : {"database.pool_size = 3\n", "database = { pool_size = 3 }\n"}) {
        writeWholeFile(ownFile(), text);
        const auto errors = setUpBadly(1);
        requireIn("10-setup.toml: [database] is written there in a way", errors);
        CPPUNIT_ASSERT_EQUAL(text, ownText());
        CPPUNIT_ASSERT(!std::filesystem::exists(ownFile().string() + ".new"));
        CPPUNIT_ASSERT(!std::filesystem::exists(passwordFile()));
        CPPUNIT_ASSERT(!hasAccount());
        CPPUNIT_ASSERT_EQUAL(0, run({"config", "check"}).exitCode);
    }
}

TEST(SetupCommandTest, severalAtOnceMakeOneOfEach) {
    std::vector<CommandResult> results(4);
    std::vector<std::thread> threads;
    for (auto& result : results)
        threads.emplace_back([this, &result] { result = run(arguments({"--json"})); });
    for (auto& thread : threads)
        thread.join();
    int keys = 0;
    for (const auto& result : results) {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, 0, result.exitCode);
        keys += Json::parse(result.output).at("operator_key").is_null() ? 0 : 1;
    }
    CPPUNIT_ASSERT_EQUAL(1, keys);
    requireUsable();
}

TEST(SetupCommandTest, commonUsersSecretsAreHisAlone) {
    if (::geteuid() != 0)
        return; // as root it can be any user
    grantChief();
    constexpr uid_t SOMEBODY = 12'345;
    if (!isReachableBy(SOMEBODY, folder().parent_path())) {
        throw Skip("other users reach neither this checkout nor its temporary files");
    }
    CPPUNIT_ASSERT_EQUAL(0, ::chown(folder().c_str(), SOMEBODY, SOMEBODY));
    CPPUNIT_ASSERT_EQUAL(0, ::chown(configFile().c_str(), SOMEBODY, SOMEBODY));
    CPPUNIT_ASSERT_EQUAL(0, ::chown((folder() / "chief").c_str(), SOMEBODY, SOMEBODY));
    auto command = asUser(SOMEBODY);
    command.insert(command.end(), {ServerProcess::controlProgram(), "--config", configFile()});
    const auto more = arguments({"--database-host", "127.0.0.1", "--database-port", std::to_string(mariaDb().port()),
                                 "--admin-user", "chief", "--admin-password-file", (folder() / "chief").string()});
    command.insert(command.end(), more.begin(), more.end());
    const auto result = runCommand({.arguments = command});
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.output + result.errors, 0, result.exitCode);
    CPPUNIT_ASSERT_EQUAL(0600U, modeOf(passwordFile()));
}

TEST(SetupCommandTest, modeOfAFileThatIsThereStays) {
    std::filesystem::create_directory(folder() / "conf.d");
    writeWholeFile(ownFile(), "# mine\n");
    writeWholeFile(passwordFile(), "old\n");
    for (const auto& file : {ownFile(), passwordFile()})
        std::filesystem::permissions(file, std::filesystem::perms{0600});
    setUpWell();
    CPPUNIT_ASSERT_EQUAL(0600U, modeOf(ownFile()));
    CPPUNIT_ASSERT_EQUAL(0600U, modeOf(passwordFile()));
    requireUsable();
}

TEST(SetupCommandTest, settingInConfDIsNotOverruledSilently) {
    std::filesystem::create_directory(folder() / "conf.d");
    writeWholeFile(folder() / "conf.d/10-database.toml", "[database]\nname = \"other\"\n");
    const auto errors = setUpBadly(1);
    requireIn("conf.d/10-database.toml:2: database.name is set here", errors);
    CPPUNIT_ASSERT(!std::filesystem::exists(ownFile()));
    CPPUNIT_ASSERT(!hasAccount());
}

// The configuration is written first, the account after it.
TEST(SetupCommandTest, runThatWasCutShortGoesOn) {
    setUpWell();
    const auto made = password();
    administrator().exec("DROP USER '" + user() + "'@localhost");
    administrator().exec("DROP DATABASE " + database());
    const auto report = setUpWell();
    CPPUNIT_ASSERT_EQUAL(std::string("done"), stateOf(report, "account"));
    CPPUNIT_ASSERT_EQUAL(std::string("already"), stateOf(report, "configuration"));
    CPPUNIT_ASSERT_EQUAL(made, password());
    requireUsable();
}

TEST(SetupCommandTest, foreignAccountIsNotTakenOverSilently) {
    administrator().exec("CREATE USER '" + user() + "'@localhost IDENTIFIED BY 'somebody else''s'");
    const auto errors = setUpBadly(1);
    requireIn("--account-password-file", errors);
    requireIn("--reset-password", errors);
    CPPUNIT_ASSERT(!std::filesystem::exists(passwordFile()));
    const auto report = setUpWell({"--reset-password"});
    CPPUNIT_ASSERT_EQUAL(std::string("done"), stateOf(report, "account"));
    requireUsable();
}

TEST(SetupCommandTest, existingAccountIsUsedWithItsPassword) {
    const std::string secret = R"(it's a \ "secret")";
    administrator().exec("CREATE DATABASE " + database());
    administrator().exec("CREATE USER '" + user() + "'@localhost IDENTIFIED BY " + administrator().quote(secret));
    administrator().exec("GRANT ALL ON " + database() + ".* TO '" + user() + "'@localhost");
    writeWholeFile(folder() / "given", secret + "\n");
    const auto report =
        setUpWell({"--account-password-file", (folder() / "given").string(), "--admin-password-file", "/nonexistent"});
    CPPUNIT_ASSERT_EQUAL(std::string("already"), stateOf(report, "account"));
    CPPUNIT_ASSERT_EQUAL(secret + "\n", readWholeFile(passwordFile()));
    requireUsable();
}

TEST(SetupCommandTest, secondOperatorKeyOnlyWhenAsked) {
    const auto first = setUpWell().at("operator_key").at("id").get<int>();
    CPPUNIT_ASSERT(setUpWell().at("operator_key").is_null());
    const auto second = setUpWell({"--new-operator-key", "--operator-key-name", "second"}).at("operator_key");
    CPPUNIT_ASSERT(second.at("id").get<int>() > first);
    CPPUNIT_ASSERT_EQUAL(std::string("second"), second.at("name").get<std::string>());
}

TEST(SetupCommandTest, overTcpWithAnAdministratorsPassword) {
    grantChief();
    writeConfiguration("\n[database]\nsocket = \"/run/old.sock\"\n");
    setUpWell({"--database-host", "127.0.0.1", "--database-port", std::to_string(mariaDb().port()), "--admin-user",
               "chief", "--admin-password-file", (folder() / "chief").string()});
    requireIn("socket = \"\"\n", ownText());
    requireUsable();
}

TEST(SetupCommandTest, refusedAdministratorIsNotAllowed) {
    writeWholeFile(folder() / "wrong", "wrong\n");
    const auto errors =
        setUpBadly(4, {"--admin-user", "stranger", "--admin-password-file", (folder() / "wrong").string()});
    requireIn("does not let 'stranger' in", errors);
    requireIn("--admin-password-file", errors);
}

TEST(SetupCommandTest, unreachableServerSaysWhatToDo) {
    const auto errors =
        setUpBadly(1, {"--database-host", "127.0.0.1", "--database-port", std::to_string(findFreePort())});
    requireIn("no database server at 127.0.0.1:", errors);
    requireIn("--database-socket or --database-host", errors);
}

TEST(SetupCommandTest, strangeNamesAreRefused) {
    for (const auto* name : {"a`b", "a'b", "a b", "a\\b", "a;b"}) {
        const auto result = run({"setup", "--yes", "--database-socket", mariaDb().socket(), "--database-name", name});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 2, result.exitCode);
    }
}

TEST(SetupCommandTest, accountThatLogsInByUnixSocket) {
    const auto report = setUpWell({"--database-auth", "unix_socket"});
    CPPUNIT_ASSERT_EQUAL(std::string("done"), stateOf(report, "account"));
    CPPUNIT_ASSERT_EQUAL(std::string("unix_socket"),
                         administrator().text("SELECT plugin FROM mysql.user WHERE user = '" + user() + "'"));
    CPPUNIT_ASSERT(!std::filesystem::exists(passwordFile()));
    CPPUNIT_ASSERT(administrator().integer("SELECT COUNT(*) FROM " + database() + ".api_keys") == 1);
    const auto again = setUpWell({"--database-auth", "unix_socket"});
    CPPUNIT_ASSERT_EQUAL(std::string("already"), stateOf(again, "account"));
    CPPUNIT_ASSERT(again.at("operator_key").is_null());
}

TEST(SetupCommandTest, noPasswordReachesOutputOrTheServersLog) {
    const auto log = folder() / "general.log";
    administrator().exec("SET GLOBAL general_log_file = '" + log.string() + "'; SET GLOBAL general_log = 1");
    const auto result = run(arguments());
    administrator().exec("SET GLOBAL general_log = 0");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(result.errors, 0, result.exitCode);
    const auto logged = readWholeFile(log);
    requireIn("CREATE USER", logged);
    for (const auto& text : {logged, result.output, result.errors, configuration(), ownText()})
        CPPUNIT_ASSERT_MESSAGE(text, text.find(password()) == std::string::npos);
    // The key alone is on standard output, once, ready for a script.
    CPPUNIT_ASSERT_EQUAL(std::size_t{56}, result.output.size());
    CPPUNIT_ASSERT(logged.find(result.output.substr(0, 55)) == std::string::npos);
}

} // namespace supplierd::tests
