#include "host/server/ReadinessProbe.h"

#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "host/db/nodes/DatabaseNodes.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Test.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace supplierd::tests {

using host::DatabaseNodes;
using host::DatabaseSettings;
using host::NodeAddress;
using host::NodeFitness;
using host::ReadinessProbe;

namespace {

void run(const PrivateMariaDb& server, const std::string& sql) {
    host::SessionSettings settings;
    settings.socket = server.socket();
    settings.user = "root";
    host::PooledSession(host::openSession(settings)).run(sql);
}

void setReadOnly(const PrivateMariaDb& server, bool isReadOnly) {
    run(server, std::string("SET GLOBAL read_only = ") + (isReadOnly ? "1" : "0"));
}

} // namespace

class ReadinessProbeTest : public CppUnit::TestFixture {};

TEST(ReadinessProbeTest, serverStaysReadyWhenAFormerPrimaryComesBackBesideItsWriter) {
    PrivateMariaDb primary;
    PrivateMariaDb other;
    for (const auto* server : {&primary, &other})
        run(*server, "CREATE DATABASE supplierd");
    setReadOnly(other, true);
    DatabaseSettings database;
    database.session.user = "root";
    database.session.database = "supplierd";
    database.session.nodes = {*NodeAddress::parse(primary.socket()), *NodeAddress::parse(other.socket())};
    const auto nodes = std::make_shared<DatabaseNodes>(database.session, std::nullopt, nullptr);
    nodes->target(host::NodeRole::Writer);
    setReadOnly(other, false);
    while (nodes->status().at(1).fitness != NodeFitness::InStep)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const auto readiness = ReadinessProbe(database, {}, nodes).ask();
    CPPUNIT_ASSERT_EQUAL(std::string(), readiness.at("database"));
    CPPUNIT_ASSERT_MESSAGE(readiness.at("schema"),
                           readiness.at("schema").find("supplierctl migrate") != std::string::npos);
}

} // namespace supplierd::tests
