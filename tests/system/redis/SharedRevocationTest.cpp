#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"
#include "tests/system/fixtures/ServerLogs.h"
#include "tests/system/redis/ServersOfRedis.h"

#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

namespace supplierd::tests {

using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;

} // namespace

/// Revocations reach servers that share a Redis at once, whoever revokes. Without it each goes on to believe a key that
/// it has just seen for auth.cache_ttl, 2 s here.
class SharedRevocationTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _servers = std::make_unique<ServersOfRedis>("time_limit = \"1s\"\n", "[auth]\ncache_ttl = \"2s\"\n");
        _operator = _servers->server(0).createOperatorKey();
    }

protected:
    struct Supplier {
        std::int64_t id = 0;
        std::int64_t keyId = 0;
        std::string key;
    };

    Supplier newSupplier() {
        Supplier supplier;
        supplier.id = _servers->server(0).createSupplier("Rozenhof");
        supplier.key = _servers->server(0).createKey(supplier.id);
        supplier.keyId = _servers->database().integer("SELECT MAX(id) FROM api_keys");
        return supplier;
    }

    HttpClient operators(int server) { return _servers->server(server).operatorClient(_operator); }

    void useAtAll(const Supplier& supplier) {
        for (int i = 0; i < ServersOfRedis::COUNT; ++i)
            requireStatus(200, _servers->server(i).client(supplier.key).get("/test/whoami"));
    }

    /// How long it took until all servers refused.
    std::chrono::milliseconds awaitRefusal(const Supplier& supplier, const char* code) {
        const auto begunAt = Clock::now();
        for (int i = 0; i < ServersOfRedis::COUNT; ++i) {
            auto client = _servers->server(i).client(supplier.key);
            HttpResponse response;
            waitFor("a refusal", [&] { return (response = client.get("/test/whoami")).status == 403; });
            requireDetail(403, "FORBIDDEN", code, response);
        }
        return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begunAt);
    }

    /// A busy machine may take its time once: one of some rounds has to be far from 2 s.
    void requireTold(const std::string& what, const char* code, const std::function<void(const Supplier&)>& revoke) {
        constexpr int ROUNDS = 5;
        constexpr auto FAR = 1s;
        for (int i = 1;; ++i) {
            const auto supplier = newSupplier();
            useAtAll(supplier);
            revoke(supplier);
            const auto took = awaitRefusal(supplier, code);
            std::cout << "  " << what << " was refused by three servers " << took.count() << " ms later\n";
            if (took < FAR)
                return;
            CPPUNIT_ASSERT_MESSAGE("nobody was told", i < ROUNDS);
        }
    }

    std::unique_ptr<ServersOfRedis> _servers;
    std::string _operator;
};

TEST(SharedRevocationTest, keyThatOneServerRevokesEndsOnAll) {
    requireTold("a key that a server revokes", "key_revoked", [&](const Supplier& supplier) {
        requireStatus(200, operators(0).postEmpty("/keys/" + std::to_string(supplier.keyId) + "/revoke"));
    });
}

TEST(SharedRevocationTest, supplierWhomOneServerSuspendsIsRefusedByAll) {
    requireTold("a supplier whom a server suspends", "supplier_suspended", [&](const Supplier& supplier) {
        requireStatus(200, operators(1).postEmpty("/suppliers/" + std::to_string(supplier.id) + "/suspend"));
    });
}

TEST(SharedRevocationTest, revocationTakesEffectWithoutRedisToo) {
    const auto supplier = newSupplier();
    useAtAll(supplier);
    _servers->redis().kill();
    requireStatus(200, operators(0).postEmpty("/keys/" + std::to_string(supplier.keyId) + "/revoke"));
    awaitRefusal(supplier, "key_revoked");
}

TEST(SharedRevocationTest, serverThatRevokesBelievesItAtOnce) {
    _servers->redis().kill();
    for (int i = 0; i < 5; ++i) {
        const auto supplier = newSupplier();
        auto client = _servers->server(0).client(supplier.key);
        requireStatus(200, client.get("/test/whoami"));
        requireStatus(200, operators(0).postEmpty("/keys/" + std::to_string(supplier.keyId) + "/revoke"));
        requireDetail(403, "FORBIDDEN", "key_revoked", client.get("/test/whoami"));
    }
}

} // namespace supplierd::tests
