#include "host/db/schema/Migrator.h"

#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "host/db/schema/SchemaLease.h"
#include "tests/support/Numbers.h"
#include "tests/support/Test.h"
#include "tests/support/TestDatabase.h"
#include "tests/support/Texts.h"

#include <optional>
#include <thread>

namespace supplierd::tests {

using host::MigrationError;
using host::MigrationSet;
using host::MigrationStep;
using host::Migrator;
using host::SchemaState;

class MigratorTest : public CppUnit::TestFixture {
protected:
    std::optional<TestDatabase> _database{std::in_place};

protected:
    static std::vector<MigrationSet> roses(int count = 2) {
        std::vector<Migration> migrations{
            {1, "roses",
             "-- The roses; all of them.\nCREATE TABLE roses (id INT PRIMARY KEY);\n"
             "INSERT INTO roses VALUES (1);\nALTER TABLE roses ADD COLUMN colour VARCHAR(20);\n"},
            {2, "more", "INSERT INTO roses VALUES (2, 'red; dark');\nALTER TABLE roses ADD KEY colour (colour);\n"},
            {3, "tulips", "CREATE TABLE tulips (id INT PRIMARY KEY);\n"}};
        migrations.resize(static_cast<std::size_t>(count));
        return {{"roses", migrations}};
    }

    Migrator migrator(std::vector<MigrationSet> plugins) { return {_database->sessionSettings(), std::move(plugins)}; }

    std::size_t coreSteps() { return migrator({}).plan().size(); }

    void apply(std::vector<MigrationSet> plugins) { migrator(std::move(plugins)).apply(); }

    /// Applies, and stops after the given statement of the given migration of `roses`.
    void applyUntil(int number, std::size_t statement) {
        struct Killed {};
        try {
            migrator(roses()).apply([&](const MigrationStep& step) {
                if (step.component == "roses" && step.number == number && step.statementsDone == statement)
                    throw Killed();
            });
            CPPUNIT_FAIL("it was not stopped");
        } catch (const Killed&) {
        }
    }

    template <class Work>
    static std::string messageOf(Work work) {
        try {
            work();
            return "nothing was thrown";
        } catch (const MigrationError& error) {
            return error.what();
        }
    }

    std::int64_t records(const std::string& component, int number) {
        return _database->integer("SELECT COUNT(*) FROM schema_migrations WHERE component = " +
                                  _database->quote(component) + " AND number = " + std::to_string(number));
    }

    void assertComplete() {
        CPPUNIT_ASSERT(migrator(roses()).check().state == SchemaState::Current);
        CPPUNIT_ASSERT_EQUAL(
            std::string("1:,2:red; dark"),
            _database->text("SELECT GROUP_CONCAT(id, ':', IFNULL(colour, '') ORDER BY id) FROM roses"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0},
                             _database->integer("SELECT COUNT(*) FROM schema_migrations WHERE applied_at IS NULL OR "
                                                "statements_done <> statements_total"));
    }

    /// The next release of roses: the colour goes, and, when `isLater`, the one after that.
    static std::vector<MigrationSet> withoutColour(bool isLater = false) {
        auto sets = roses();
        sets.front().migrations.push_back(
            {3, "no_colour",
             "-- contract\n-- The release before shows it.\nALTER TABLE roses DROP KEY colour;\n"
             "ALTER TABLE roses DROP COLUMN colour;\n"});
        if (isLater)
            sets.front().migrations.push_back({4, "scent", "ALTER TABLE roses ADD COLUMN scent INT;\n"});
        return sets;
    }

    std::string columns() {
        return _database->text("SELECT GROUP_CONCAT(COLUMN_NAME ORDER BY ORDINAL_POSITION) FROM "
                               "information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'roses'");
    }
};

TEST(MigratorTest, emptyDatabaseIsBehindAndNamesTheCommand) {
    const auto status = migrator(roses()).check();
    CPPUNIT_ASSERT(status.state == SchemaState::Behind);
    constexpr std::size_t NAMED = 5;
    const auto steps = migrator(roses()).plan();
    std::string names;
    for (std::size_t i = 0; i < NAMED; ++i)
        names += (i == 0 ? "" : ", ") + steps.at(i).component + "/000" + std::to_string(steps[i].number) + "_" +
                 steps[i].name;
    CPPUNIT_ASSERT_EQUAL("the database schema is out of date: " + names + " and " +
                             std::to_string(steps.size() - NAMED) + " more are not applied; run `supplierctl migrate`",
                         status.message);
    CPPUNIT_ASSERT_EQUAL(coreSteps() + 2, status.steps.size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, status.steps[coreSteps()].statementsTotal);
}

TEST(MigratorTest, planAndCheckChangeNothing) {
    CPPUNIT_ASSERT_EQUAL(coreSteps() + 2, migrator(roses()).plan().size());
    migrator(roses()).check();
    CPPUNIT_ASSERT(_database->query("SHOW TABLES").empty());
}

TEST(MigratorTest, appliesInOrderAndOnlyOnce) {
    apply(roses());
    assertComplete();
    const std::string before = _database->text("SELECT GROUP_CONCAT(applied_at) FROM schema_migrations");
    apply(roses());
    CPPUNIT_ASSERT_EQUAL(before, _database->text("SELECT GROUP_CONCAT(applied_at) FROM schema_migrations"));
    CPPUNIT_ASSERT(migrator(roses()).check().message.empty());
    _database->exec("INSERT INTO operations (id) VALUES (REPEAT('x', 16))");
}

TEST(MigratorTest, progressIsToldPerStatement) {
    std::vector<std::string> told;
    migrator(roses()).apply([&](const MigrationStep& step) {
        if (step.component == "roses")
            told.push_back(step.name + " " + std::to_string(step.statementsDone) + "/" +
                           std::to_string(step.statementsTotal));
    });
    CPPUNIT_ASSERT((std::vector<std::string>{"roses 1/3", "roses 2/3", "roses 3/3", "more 1/2", "more 2/2"}) == told);
}

TEST(MigratorTest, statementsOnLargeTablesAreTold) {
    std::vector<std::string> told;
    const auto notice = [&](const std::string& line) { told.push_back(line); };
    migrator(roses(1)).apply({}, notice);
    CPPUNIT_ASSERT(told.empty());
    _database->exec("INSERT INTO roses (id) SELECT seq + 10 FROM " + numbersTo(200000));
    _database->query("ANALYZE TABLE roses");
    migrator(roses()).apply({}, notice);
    CPPUNIT_ASSERT_EQUAL(std::size_t(1), told.size());
    CPPUNIT_ASSERT_MESSAGE(told[0], told[0].starts_with("roses/0002_more, statement 2 of 2, with about ") &&
                                        told[0].ends_with(" rows in roses: ALTER TABLE roses ADD KEY colour (colour)"));
}

TEST(MigratorTest, goesOnFromTheStatementWhereItWasStopped) {
    for (const auto& [number, statement] : std::vector<std::pair<int, std::size_t>>{{1, 1}, {1, 2}, {1, 3}, {2, 1}}) {
        _database.emplace();
        applyUntil(number, statement);
        const auto plan = migrator(roses()).plan();
        CPPUNIT_ASSERT_EQUAL(number, plan.front().number);
        CPPUNIT_ASSERT_EQUAL(statement, plan.front().statementsDone);
        apply(roses());
        assertComplete();
    }
}

TEST(MigratorTest, goesOnWhenOnlyTheRecordOfAStatementWasLost) {
    for (const auto& [number, statement] : std::vector<std::pair<int, std::size_t>>{{1, 1}, {1, 3}, {2, 2}}) {
        _database.emplace();
        applyUntil(number, statement);
        _database->exec("UPDATE schema_migrations SET statements_done = statements_done - 1 WHERE component = "
                        "'roses' AND applied_at IS NULL");
        apply(roses());
        assertComplete();
    }
}

TEST(MigratorTest, dataChangesAreNeverAppliedTwice) {
    const std::vector<MigrationSet> sets{
        {"counter",
         {{1, "counter",
           "CREATE TABLE c (v INT NOT NULL); INSERT INTO c VALUES (0); "
           "UPDATE c SET v = v + 1; UPDATE c SET v = v + 10; UPDATE c SET v = v + 100"}}}};
    struct Killed {};
    for (int kills = 0; kills < 5; ++kills)
        CPPUNIT_ASSERT_THROW(migrator(sets).apply([](const MigrationStep& step) {
            if (step.component == "counter")
                throw Killed();
        }),
                             Killed);
    apply(sets);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{111}, _database->integer("SELECT v FROM c"));
}

TEST(MigratorTest, existingTableIsAnErrorUnlessResumed) {
    _database->exec("CREATE TABLE roses (other INT)");
    for (int i = 0; i < 2; ++i) {
        const std::string message = messageOf([&] { apply(roses()); });
        requireIn("roses/0001_roses, statement 1 of 3 failed: ", message);
        requireIn("1050", message);
    }
    _database->exec("DROP TABLE roses");
    apply(roses());
    assertComplete();
}

TEST(MigratorTest, failedStatementIsNamedAndCanBeTriedAgain) {
    apply(roses(1));
    _database->exec("DROP TABLE roses");
    const std::string message = messageOf([&] { apply(roses()); });
    CPPUNIT_ASSERT(message.find("migration roses/0002_more, statement 1 of 2 failed: ") == 0);
    _database->exec("CREATE TABLE roses (id INT PRIMARY KEY, colour VARCHAR(20)); INSERT INTO roses VALUES (1, NULL)");
    apply(roses());
    assertComplete();
}

TEST(MigratorTest, changedFileOfAPluginLeavesItOutByName) {
    apply(roses());
    auto changed = roses(3);
    changed[0].migrations[1].sql += "-- a remark\n";
    const auto status = migrator(changed).check();
    CPPUNIT_ASSERT(status.state == SchemaState::Current);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, status.unfit.size());
    CPPUNIT_ASSERT_EQUAL(std::string("roses"), status.unfit[0].id);
    CPPUNIT_ASSERT_EQUAL(
        std::string("plugin 'roses' is not the one that its tables were made by: migration roses/0002_more was "
                    "changed after it was applied; restore the file as it was, and put changes into a new migration "
                    "(install the package of the plugin that this database was migrated with: "
                    "supplierd-plugin-roses, or its author's)"),
        status.unfit[0].message);
    apply(changed);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, records("roses", 3));
}

TEST(MigratorTest, changedFileOfTheCoreIsRefusedByName) {
    apply({});
    _database->exec("UPDATE schema_migrations SET checksum = REPEAT('0', 64) WHERE number = 1");
    for (const auto& work :
         {std::function<void()>([&] { migrator({}).check(); }), std::function<void()>([&] { apply(roses()); })})
        CPPUNIT_ASSERT_EQUAL(std::string("migration core/0001_core was changed after it was applied; restore the "
                                         "file as it was, and put changes into a new migration"),
                             messageOf(work));
}

TEST(MigratorTest, newerSchemaOfTheCoreIsAhead) {
    apply({});
    _database->exec("INSERT INTO schema_migrations (component, number, name, checksum, statements_total) VALUES "
                    "('core', 999, 'later', '', 1)");
    const auto status = migrator(roses()).check();
    CPPUNIT_ASSERT(status.state == SchemaState::Ahead);
    const std::string expected = "the database schema is newer than this program: core/0999_later is unknown to "
                                 "it; run the release that brought it, or a newer one: `apt-get install "
                                 "--only-upgrade supplierd`";
    CPPUNIT_ASSERT_EQUAL(expected, status.message);
    CPPUNIT_ASSERT_EQUAL(expected, messageOf([&] { apply(roses()); }));
}

TEST(MigratorTest, pluginThatIsOlderThanItsTablesIsUnfitAlone) {
    apply(roses(3));
    auto sets = roses(2);
    sets.push_back({"tulips", {{1, "beds", "CREATE TABLE beds (id INT PRIMARY KEY)"}}});
    const auto status = migrator(sets).check();
    CPPUNIT_ASSERT(status.state == SchemaState::Current);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, status.unfit.size());
    CPPUNIT_ASSERT(status.unfit[1].reason == host::UnfitPlugin::Reason::Behind && status.isBehind());
    CPPUNIT_ASSERT_EQUAL(std::string("plugin 'tulips' is newer than its tables: tulips/0001_beds is not applied; "
                                     "run `supplierctl migrate`, then reload supplierd"),
                         status.unfit[1].message);
    CPPUNIT_ASSERT_EQUAL(
        std::string("plugin 'roses' is older than its tables: roses/0003_tulips is unknown to it; install the "
                    "release of the plugin that brought it, or a newer one: `apt-get install --only-upgrade "
                    "supplierd-plugin-roses` (if it is not of supplierd: its author's package); or, to begin "
                    "without its data, run `supplierctl plugin disable roses` and `supplierctl plugin remove "
                    "--data roses`"),
        status.unfit[0].message);
    std::vector<std::string> notices;
    migrator(sets).apply({}, [&](const std::string& notice) { notices.push_back(notice); });
    CPPUNIT_ASSERT(std::vector<std::string>{status.unfit[0].message} == notices);
    CPPUNIT_ASSERT(migrator(sets).check().state == SchemaState::Current);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, records("tulips", 1));
}

TEST(MigratorTest, tablesAreRecordedWithTheirOwner) {
    const auto tables = [&] {
        return _database->text("SELECT GROUP_CONCAT(table_name, '=', component ORDER BY table_name) FROM "
                               "schema_tables WHERE component <> 'core'");
    };
    apply(roses(3));
    CPPUNIT_ASSERT_EQUAL(std::string("roses=roses,tulips=roses"), tables());
    CPPUNIT_ASSERT(_database->integer("SELECT COUNT(*) FROM schema_tables WHERE table_name = 'suppliers' AND "
                                      "component = 'core'") == 1);
    // After an update from a release that kept no such record.
    _database->exec("DROP TABLE schema_tables");
    CPPUNIT_ASSERT(migrator(roses(3)).check().state == SchemaState::Current);
    apply(roses(3));
    CPPUNIT_ASSERT_EQUAL(std::string("roses=roses,tulips=roses"), tables());
}

TEST(MigratorTest, secondOwnerOfATableGetsNone) {
    auto sets = roses();
    sets.push_back({"thief",
                    {{1, "take", "CREATE TABLE IF NOT EXISTS roses (id INT); CREATE TABLE a (id INT)"},
                     {2, "move", "RENAME TABLE a TO b; CREATE TABLE c (id INT); DROP TABLE c"}}});
    apply(sets);
    CPPUNIT_ASSERT_EQUAL(std::string("b=thief,roses=roses"),
                         _database->text("SELECT GROUP_CONCAT(table_name, '=', component ORDER BY table_name) FROM "
                                         "schema_tables WHERE component <> 'core'"));
}

TEST(MigratorTest, pluginThatIsNotEnabledIsNoMatter) {
    apply(roses());
    CPPUNIT_ASSERT(migrator({}).check().state == SchemaState::Current);
    apply({});
}

TEST(MigratorTest, twoAtOnceApplyEverythingOnce) {
    std::vector<std::thread> threads;
    threads.reserve(2);
    std::vector<std::string> failures(2);
    for (std::string& failure : failures)
        threads.emplace_back([&] {
            try {
                apply(roses());
            } catch (const std::exception& error) {
                failure = error.what();
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CPPUNIT_ASSERT_EQUAL(std::string(), failures[0] + failures[1]);
    assertComplete();
}

/// Else they would wait for the ALTER, and that for who waits for them.
TEST(MigratorTest, othersGoOnWhileATableIsWaitedFor) {
    apply(roses(1));
    host::PooledSession reader(host::openSession(_database->sessionSettings()));
    reader.run("START TRANSACTION");
    reader.query("SELECT id FROM roses");
    std::string failure;
    std::thread migration([&] {
        try {
            apply(roses());
        } catch (const std::exception& error) {
            failure = error.what();
        }
    });
    const std::string waiting = "SELECT COUNT(*) FROM information_schema.processlist WHERE DB = DATABASE() AND "
                                "INFO LIKE '%ADD KEY colour%' AND STATE LIKE 'Waiting for table%' AND "
                                "ID <> CONNECTION_ID()";
    while (_database->integer(waiting) == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::string written;
    try {
        _database->exec("SET lock_wait_timeout = 30; UPDATE roses SET colour = colour");
    } catch (const std::exception& error) {
        written = error.what();
    }
    reader.run("COMMIT");
    migration.join();
    CPPUNIT_ASSERT_EQUAL(std::string(), written);
    CPPUNIT_ASSERT_EQUAL(std::string(), failure);
    assertComplete();
}

TEST(MigratorTest, leaseOfADeadProcessRunsOut) {
    apply(roses(1));
    _database->exec("UPDATE schema_lease SET owner = 'dead', expires_at = UTC_TIMESTAMP(6) + INTERVAL 2 SECOND");
    apply(roses(2));
    assertComplete();
    CPPUNIT_ASSERT(_database->text("SELECT owner FROM schema_lease") != "dead");
}

/// As after a process stood still: the first renewal comes later than the lease runs out.
TEST(MigratorTest, leaseThatRanOutIsHeldUntilSomebodyTakesIt) {
    constexpr std::chrono::seconds duration(1);
    host::SchemaLease stalled(_database->sessionSettings(), {}, {}, duration);
    std::this_thread::sleep_for(duration + std::chrono::milliseconds(100));
    stalled.requireHeld();
    const host::SchemaLease other(_database->sessionSettings(), host::LEASE_PATIENCE);
    CPPUNIT_ASSERT_THROW(stalled.requireHeld(), MigrationError);
}

TEST(MigratorTest, wrongNumbersAreRefused) {
    auto sets = roses();
    sets[0].migrations[1].number = 3;
    CPPUNIT_ASSERT_EQUAL(std::string("migration roses/0003_more should be number 2"),
                         messageOf([&] { migrator(sets); }));
    sets = roses();
    sets[0].migrations[1].sql = "SELECT 'open";
    CPPUNIT_ASSERT(messageOf([&] { migrator(sets); }).find("migration roses/0002_more: ") == 0);
}

TEST(MigratorTest, whatContractsWaitsUntilItIsWanted) {
    apply(roses());
    auto next = migrator(withoutColour());
    CPPUNIT_ASSERT(next.plan().empty());
    const auto status = next.check();
    CPPUNIT_ASSERT(status.state == SchemaState::Current);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, status.waiting.size());
    std::string told;
    next.apply({}, [&](const std::string& line) { told += line; });
    CPPUNIT_ASSERT_MESSAGE(told, told.find("left for later: roses/0003_no_colour") == 0);
    CPPUNIT_ASSERT_EQUAL(std::string("id,colour"), columns());
    next.apply(
        {}, [&](const std::string& line) { told = line; }, host::MigrationScope::Contract);
    CPPUNIT_ASSERT_EQUAL(std::string("id"), columns());
    CPPUNIT_ASSERT(next.check().waiting.empty());
    CPPUNIT_ASSERT(next.plan(host::MigrationScope::Contract).empty());
}

TEST(MigratorTest, whatContractsWaitsForNobodyInANewDatabase) {
    apply(withoutColour());
    CPPUNIT_ASSERT_EQUAL(std::string("id"), columns());
    CPPUNIT_ASSERT(migrator(withoutColour()).check().waiting.empty());
}

TEST(MigratorTest, aContractionThatWasCutGoesOnWhereItStoppedAndIsNoObstacle) {
    apply(roses());
    struct Killed {};
    auto next = migrator(withoutColour());
    CPPUNIT_ASSERT_THROW(next.apply([](const MigrationStep&) { throw Killed(); }, {}, host::MigrationScope::Contract),
                         Killed);
    // Servers of this release start meanwhile.
    const auto status = next.check();
    CPPUNIT_ASSERT(status.state == SchemaState::Current);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, status.waiting.at(0).statementsDone);
    std::vector<std::size_t> done;
    next.apply([&](const MigrationStep& step) { done.push_back(step.statementsDone); }, {},
               host::MigrationScope::Contract);
    CPPUNIT_ASSERT(done == std::vector<std::size_t>{2});
    CPPUNIT_ASSERT_EQUAL(std::string("id"), columns());
}

TEST(MigratorTest, aLaterReleaseContractsBeforeItExpands) {
    apply(roses());
    apply(withoutColour());
    CPPUNIT_ASSERT_EQUAL(std::string("id,colour"), columns());
    apply(withoutColour(true));
    CPPUNIT_ASSERT_EQUAL(std::string("id,scent"), columns());
}

} // namespace supplierd::tests
