#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"

#include <array>
#include <functional>
#include <string>

namespace supplierd::tests {

/// Two servers on one database, which both remember a key: whatever one of them changes of it holds for the next
/// request, wherever that comes.
class RevocationTest : public CppUnit::TestFixture {
public:
    void setUp() override { _operator = _first.createOperatorKey(); }

protected:
    struct Supplier {
        std::string id;
        std::string keyId;
        std::string key;
    };

    Supplier newSupplier() {
        const auto id = _first.createSupplier("Rozenhof");
        const auto key = _first.createKey(id);
        return {std::to_string(id), _database.text("SELECT MAX(id) FROM api_keys"), key};
    }
    std::array<HttpClient, 2> clientsOf(const std::string& key) const {
        return {_first.client(key), _second.client(key)};
    }
    HttpResponse command(const ServerProcess& server, const std::string& path) {
        return server.operatorClient(_operator).post(path, {{"grace", "0"}});
    }
    /// Each server is the one that changes it, a few times, since a moment's luck is no proof.
    void requireRefused(const char* code, const std::function<std::string(const Supplier&)>& change) {
        constexpr int TIMES = 5;
        for (int i = 0; i < TIMES; ++i)
            for (const ServerProcess* server : {&_first, &_second}) {
                const auto supplier = newSupplier();
                auto clients = clientsOf(supplier.key);
                for (auto& client : clients)
                    requireStatus(200, client.get("/test/whoami"));
                CPPUNIT_ASSERT(command(*server, change(supplier)).status < 300);
                for (auto& client : clients)
                    requireDetail(403, "FORBIDDEN", code, client.get("/test/whoami"));
            }
    }

    TestDatabase _database;
    ServerProcess _first{_database, probed({}, {"platform"})};
    ServerProcess _second{_database, probed({}, {"platform"})};
    std::string _operator;
};

TEST(RevocationTest, revokedKeyIsRefusedByBothAtOnce) {
    requireRefused("key_revoked", [](const Supplier& supplier) { return "/keys/" + supplier.keyId + "/revoke"; });
}

TEST(RevocationTest, replacedKeyIsRefusedByBothAtOnce) {
    requireRefused("key_expired", [](const Supplier& supplier) { return "/keys/" + supplier.keyId + "/rotate"; });
}

TEST(RevocationTest, suspendedSupplierIsRefusedByBothAtOnceAndLetInAgain) {
    requireRefused("supplier_suspended",
                   [](const Supplier& supplier) { return "/suppliers/" + supplier.id + "/suspend"; });
    const auto supplier = newSupplier();
    auto clients = clientsOf(supplier.key);
    for (const auto& [verb, status] : {std::pair("suspend", 403), std::pair("verify", 200)}) {
        requireStatus(200, command(_second, "/suppliers/" + supplier.id + "/" + verb));
        for (auto& client : clients)
            requireStatus(status, client.get("/test/whoami"));
    }
}

TEST(RevocationTest, revokedOperatorsKeyIsRefusedByBothAtOnce) {
    const auto other = _first.createOperatorKey();
    const auto id = _database.text("SELECT MAX(id) FROM api_keys");
    for (const ServerProcess* server : {&_first, &_second})
        requireStatus(200, server->operatorClient(other).get("/suppliers"));
    requireStatus(200, command(_first, "/operator-keys/" + id + "/revoke"));
    for (const ServerProcess* server : {&_first, &_second})
        requireDetail(403, "FORBIDDEN", "key_revoked", server->operatorClient(other).get("/suppliers"));
}

} // namespace supplierd::tests
