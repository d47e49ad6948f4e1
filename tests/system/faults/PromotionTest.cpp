#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"
#include "tests/system/faults/FaultFixture.h"

#include <set>
#include <string>

namespace supplierd::tests {
namespace {

PrivateMariaDb::Options numbered(const char* number) {
    return {.tcp = true, .arguments = {number, "--log-bin=binlog", "--log-slave-updates", "--gtid-strict-mode"}};
}

/// A primary and a replica that follows it without being waited for.
struct Replication {
    Replication() {
        onPrimary.exec("CREATE USER replica@'%'; GRANT REPLICATION SLAVE ON *.* TO replica@'%'");
        onReplica.exec("SET GLOBAL read_only = ON; CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = " +
                       std::to_string(primary.port()) +
                       ", MASTER_USER = 'replica', MASTER_USE_GTID = slave_pos; START SLAVE");
    }

    PrivateMariaDb primary{numbered("--server-id=1")};
    PrivateMariaDb replica{numbered("--server-id=2")};
    TestDatabase onPrimary{primary, "mysql"};
    TestDatabase onReplica{replica, "mysql"};
};

class ReplicatedFixture : private Replication, public SuppliersFixture {
public:
    ReplicatedFixture()
        : SuppliersFixture({.configuration = "[database]\nsocket = \"\"\nhosts = [\"" + primary.socket() + "\", \"" +
                                             replica.socket() + "\"]\n"},
                           1, &primary) {}

    PrivateMariaDb& primaryServer() { return primary; }
    PrivateMariaDb& replicaServer() { return replica; }

    /// From then on the replica lacks what is written.
    void cutOff() {
        const auto position = onPrimary.text("SELECT @@gtid_binlog_pos");
        // It may be past that: the server shows time and again that it lives.
        CPPUNIT_ASSERT_EQUAL(std::string("0"), onReplica.text("SELECT MASTER_GTID_WAIT('" + position + "', 60)"));
        onReplica.exec("STOP SLAVE");
    }
    void promote() { onReplica.exec("RESET SLAVE ALL; SET GLOBAL read_only = OFF"); }
};

} // namespace

/// The primary is lost with what its replica lacks, which is promoted; then it comes back.
class PromotionTest : public CppUnit::TestFixture {
protected:
    static std::string ambiguous() { return "supplierd_database_ambiguous"; }

    void create(const std::string& name) {
        waitUntil([&] {
            const auto answer = _fixture.client().post("/products", _fixture.product(name));
            if (answer.status != 503)
                requireStatus(201, answer);
            return answer.status == 201;
        });
    }

    /// Of the list, in order.
    std::string names() {
        const auto answer = _fixture.client().get("/products");
        requireStatus(200, answer);
        std::set<std::string> found;
        const auto products = answer.data().at("products");
        for (const auto& product : products)
            found.insert(product.at("name").get<std::string>());
        std::string all;
        for (const auto& name : found)
            all += name + " ";
        return all;
    }

    ReplicatedFixture _fixture;
};

TEST(PromotionTest, whatWasLostWithThePrimaryIsNotRemembered) {
    create("Known");
    _fixture.cutOff();
    create("Lost");
    CPPUNIT_ASSERT_EQUAL(std::string("Known Lost "), names());
    _fixture.primaryServer().kill();
    _fixture.promote();
    create("After"); // with the number that the lost one had
    CPPUNIT_ASSERT_EQUAL(std::string("After Known "), names());

    _fixture.primaryServer().start();
    waitUntil([this] { return _fixture.server().metric(ambiguous()) > 0; });
    requireStatus(200, _fixture.server().adminClient().get("/readyz"));
    create("Later");
    _fixture.replicaServer().restart();
    create("Last");
    CPPUNIT_ASSERT_EQUAL_MESSAGE("of the promoted one", std::string("After Known Last Later "), names());
}

} // namespace supplierd::tests
