#include "host/server/ServerPresence.h"

#include "tests/host/audit/MigratedDatabase.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/TemporaryDirectory.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <supplierd/testing/FakeLogger.h>

#include <Poco/Environment.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

using host::DatabaseOrder;
using host::NodeAddress;
using host::OrderMatch;
using host::ServerPresence;
using host::SessionSettings;

namespace {

constexpr const char* DIFFERENT = "does not have the same servers of the database in the same order";
constexpr const char* SAME_AGAIN = "in the same order again";

SessionSettings settingsOf(const std::vector<std::string>& hosts) {
    SessionSettings settings;
    settings.user = "root";
    if (hosts.size() == 1)
        settings.socket = hosts.front();
    else
        for (const auto& host : hosts)
            settings.nodes.push_back(*NodeAddress::parse(host));
    return settings;
}

/// A server as far as the others see it.
struct Present {
    Present(host::PooledDatabase& database, const std::vector<std::string>& hosts)
        : presence(database, {}, settingsOf(hosts), nullptr, log) {}

    std::ptrdiff_t told(const std::string& what) const {
        return std::count_if(log.lines().begin(), log.lines().end(),
                             [&](const auto& line) { return line.message.find(what) != std::string::npos; });
    }

    testing::FakeLogger log;
    ServerPresence presence;
};

/// What each does every ten seconds, at different times.
void pass(std::initializer_list<Present*> servers, int rounds) {
    for (int round = 0; round < rounds; ++round)
        for (Present* server : servers) {
            server->presence.renew();
            server->presence.identifyDatabases();
        }
}

constexpr int LONG = 3 * ServerPresence::LASTING;

} // namespace

/// What servers say to one another about the order of the database's servers.
class ServerPresenceTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _primary = _migrated.server.socket();
        static const PrivateMariaDb other;
        _replica = other.socket();
    }

protected:
    host::PooledDatabase& database() { return _migrated.database; }

    std::string linkTo(const std::string& socket, const std::string& name) {
        const auto link = _folder / name;
        std::filesystem::create_symlink(socket, link);
        return link.string();
    }

    static void requireField(const testing::FakeLogLine& line, const std::string& name, const std::string& value) {
        for (const auto& field : line.fields)
            if (field.name == name) {
                CPPUNIT_ASSERT_EQUAL(value, field.value);
                return;
            }
        CPPUNIT_FAIL("no " + name);
    }

    MigratedDatabase _migrated{2};
    TemporaryDirectory _folder;
    std::string _primary;
    std::string _replica;
};

TEST(ServerPresenceTest, anotherOrderIsToldByBothWhenItLasts) {
    Present here(database(), {_primary, _replica});
    auto there = std::make_unique<Present>(database(), std::vector<std::string>{_replica, _primary});
    pass({&here, there.get()}, 2);
    CPPUNIT_ASSERT_EQUAL_MESSAGE("it may pass", std::ptrdiff_t{0}, here.told(DIFFERENT));
    pass({&here, there.get()}, LONG);
    CPPUNIT_ASSERT_EQUAL_MESSAGE("once", std::ptrdiff_t{1}, here.told(DIFFERENT));
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{1}, there->told(DIFFERENT));
    const auto warning = std::find_if(here.log.lines().begin(), here.log.lines().end(), [](const auto& line) {
        return line.message.find(DIFFERENT) != std::string::npos;
    });
    CPPUNIT_ASSERT(warning->level == LogLevel::Warning);
    const auto others = database().read([](SqlSession& session) { return ServerPresence::list(session); });
    requireField(*warning, "hosts", _primary + ", " + _replica);
    requireField(*warning, "its_hosts", _replica + ", " + _primary);
    requireField(*warning, "this_server", others.at(0).name);
    requireField(*warning, "server", others.at(1).name);

    there->presence.withdraw();
    Present mended(database(), {_primary, _replica});
    pass({&here, &mended}, LONG);
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{1}, here.told(SAME_AGAIN));
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{1}, here.told(DIFFERENT));
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{0}, mended.told(SAME_AGAIN) + mended.told(DIFFERENT));

    Present third(database(), {_replica, _primary});
    pass({&here, &mended, &third}, LONG);
    CPPUNIT_ASSERT_EQUAL_MESSAGE("anew", std::ptrdiff_t{2}, here.told(DIFFERENT));
}

TEST(ServerPresenceTest, serverThatLacksOneIsTold) {
    Present here(database(), {_primary, _replica});
    Present there(database(), {_primary});
    pass({&here, &there}, LONG);
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{1}, here.told(DIFFERENT));
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{1}, there.told(DIFFERENT));
}

TEST(ServerPresenceTest, oneServerByTwoNamesIsNoDifference) {
    Present here(database(), {_primary, _replica});
    Present there(database(), {linkTo(_primary, "a"), linkTo(_replica, "b")});
    pass({&here, &there}, LONG);
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{0}, here.told(DIFFERENT) + there.told(DIFFERENT));
    const auto servers = database().read([](SqlSession& session) { return ServerPresence::list(session); });
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, servers.size());
    CPPUNIT_ASSERT(OrderMatch::Same == host::compare(servers[0].databases, servers[1].databases));
}

TEST(ServerPresenceTest, oneNameForTwoServersIsADifference) {
    const std::string name = linkTo(_primary, "local");
    Present here(database(), {name});
    Present bystander(database(), {_primary});
    pass({&here, &bystander}, 3); // so that its row says which it is
    bystander.presence.withdraw();
    std::filesystem::remove(name);
    std::filesystem::create_symlink(_replica, name); // as on another machine
    Present there(database(), {name});
    pass({&there}, LONG);
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{1}, there.told(DIFFERENT));
}

TEST(ServerPresenceTest, nameThatComesToMeanAnotherServerIsNoDifference) {
    const std::string name = linkTo(_primary, "moving");
    Present here(database(), {name});
    Present there(database(), {linkTo(_replica, "moved")});
    pass({&here, &there}, ServerPresence::LASTING);
    std::filesystem::remove(name);
    std::filesystem::create_symlink(_replica, name);
    pass({&here, &there}, LONG);
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{0}, here.told(DIFFERENT) + there.told(DIFFERENT));
}

TEST(ServerPresenceTest, serverThatIsAwayIsNoDifference) {
    Present here(database(), {_primary, (_folder / "away").string()});
    Present there(database(), {linkTo(_primary, "d"), (_folder / "away-by-another-name").string()});
    pass({&here, &there}, LONG);
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{0}, here.told(DIFFERENT) + there.told(DIFFERENT));
}

TEST(ServerPresenceTest, serverOfTheReleaseBeforeIsNotCompared) {
    _migrated.server.exec("INSERT INTO servers (id, name, version, redis, started_at, seen_at) "
                          "VALUES ('former', 'db9:1', '0.0.9', '', NOW(6), NOW(6))");
    Present here(database(), {_primary, _replica});
    pass({&here}, LONG);
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{0}, here.told(DIFFERENT));
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{1}, here.told("another server runs on this database"));
}

TEST(ServerPresenceTest, formerSelfThatWasKilledIsNobody) {
    const pid_t ended = ::fork();
    if (ended == 0)
        ::_exit(0);
    CPPUNIT_ASSERT_EQUAL(ended, ::waitpid(ended, nullptr, 0));
    const auto enter = [&](const std::string& id, const std::string& name, int age) {
        _migrated.server.exec("INSERT INTO servers (id, name, version, redis, started_at, seen_at) VALUES ('" + id +
                              "', '" + name + "', '1', '', NOW(6), NOW(6) - INTERVAL " + std::to_string(age) +
                              " SECOND)");
    };
    const auto node = Poco::Environment::nodeName();
    enter("killed", node + ":" + std::to_string(ended), 3);
    enter("before the reboot", node + ":" + std::to_string(::getpid()), 40);
    Present here(database(), {_primary, _replica});
    pass({&here}, LONG);
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{0}, here.told("another server runs on this database"));
    const auto missing = [&] {
        return database().read([](SqlSession& session) { return ServerPresence::missing(session); }).size();
    };
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, missing());
    enter("killed later", node + ":" + std::to_string(ended), 40);
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, missing());
    enter("elsewhere", "another-machine:" + std::to_string(ended), 3);
    pass({&here}, 1);
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{1}, here.told("another server runs on this database"));
}

TEST(ServerPresenceTest, serverThatLeavesIsNotListedAndStillShowsThatItLives) {
    Present leaving(database(), {_primary});
    const auto listed = [&] {
        return database().read([](SqlSession& session) { return ServerPresence::list(session); }).size();
    };
    const auto row = [&](const std::string& condition) {
        return database().read([&](SqlSession& session) {
            return session.query("SELECT 1 FROM servers WHERE seen_at >= NOW(6) - INTERVAL 1 MINUTE" + condition)
                .next();
        });
    };
    leaving.presence.renew();
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, listed());
    leaving.presence.leave();
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, listed());
    database().execute("UPDATE servers SET seen_at = NOW(6) - INTERVAL 1 HOUR");
    leaving.presence.show();
    CPPUNIT_ASSERT(row(" AND is_leaving"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, listed());
    leaving.presence.withdraw();
    leaving.presence.show();
    CPPUNIT_ASSERT_MESSAGE("it does not come back", !row(""));
}

TEST(ServerPresenceTest, namesOfOtherMachinesAreBelieved) {
    const DatabaseOrder order{{"db1:3306", "db1 3306 /data/"}, {"db2:3306", ""}};
    const auto match = [&](const DatabaseOrder& other) {
        CPPUNIT_ASSERT(host::compare(order, other) == host::compare(other, order));
        return host::compare(order, other);
    };
    CPPUNIT_ASSERT(OrderMatch::Same == match({{"db1:3306", ""}, {"db2:3306", "db2 3306 /data/"}}));
    CPPUNIT_ASSERT(OrderMatch::Same == match({{"db1:3306", "made anew 3306 /data/"}, {"db2:3306", ""}}));
    CPPUNIT_ASSERT(OrderMatch::Same == match({{"10.0.0.1:3306", "db1 3306 /data/"}, {"db2:3306", ""}}));
    CPPUNIT_ASSERT(OrderMatch::Unknown == match({{"10.0.0.1:3306", ""}, {"db2:3306", ""}}));
    CPPUNIT_ASSERT(OrderMatch::Unknown == match({{"db1:3306", ""}, {"10.0.0.2:3306", "db2 3306 /data/"}}));
    CPPUNIT_ASSERT(OrderMatch::Shorter == match({{"db1:3306", ""}}));
    CPPUNIT_ASSERT(OrderMatch::Different == match({{"db2:3306", "db2 3306 /data/"}, {"db1:3306", ""}}));
    const DatabaseOrder local{{"127.0.0.1:3306", "db1 3306 /data/"}};
    CPPUNIT_ASSERT(OrderMatch::Different == host::compare(local, {{"127.0.0.1:3306", "db2 3306 /data/"}}));
    CPPUNIT_ASSERT(OrderMatch::Same == host::compare(local, {{"/run/mysqld/mysqld.sock", "db1 3306 /data/"}}));
}

TEST(ServerPresenceTest, namesOfOneMachineAreBelievedUntilTheServersSayOtherwise) {
    const auto present = [](const std::string& name, const std::string& server) {
        return host::PresentServer{"", name, "", "", "", {{"127.0.0.1:3306", server}, {"/run/b.sock", ""}}};
    };
    const auto match = [&](const std::string& name, const std::string& server, const std::string& otherName,
                           const std::string& otherServer) {
        return host::compareDatabases(present(name, server), present(otherName, otherServer));
    };
    CPPUNIT_ASSERT(OrderMatch::Same == match("web1:17", "one", "web1:18", ""));
    CPPUNIT_ASSERT(OrderMatch::Same == match("web1:17", "", "web1:18", ""));
    CPPUNIT_ASSERT(OrderMatch::Unknown == match("web1:17", "one", "web2:17", ""));
    CPPUNIT_ASSERT(OrderMatch::Different == match("web1:17", "one", "web1:18", "two"));
}

TEST(ServerPresenceTest, whatIsNoOrderIsNone) {
    const DatabaseOrder order{{"db1:3306", "d\xFF 3306 \"/\""}, {"/run/db.sock", ""}};
    const auto again = host::parseDatabaseOrder(host::toText(order));
    CPPUNIT_ASSERT_EQUAL(std::string("db1:3306, /run/db.sock"), host::describe(again));
    requireIn("3306 \"/\"", again.at(0).server);
    for (const char* text : {"", "{}", "[1]", R"([{"name":"a"}])", R"([{"name":1,"server":""}])", "[{"})
        CPPUNIT_ASSERT_MESSAGE(text, host::parseDatabaseOrder(text).empty());
}

} // namespace supplierd::tests
