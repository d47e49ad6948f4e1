#include "tests/host/ctl/ControlFixture.h"

#include <cppunit/extensions/HelperMacros.h>

#include <string>

namespace supplierd::tests {

class KeyCommandTest : public MigratedControlFixture {
    CPPUNIT_TEST_SUITE(KeyCommandTest);
    CPPUNIT_TEST(testKeyIsPrintedOnceAndOnlyItsHashIsKept);
    CPPUNIT_TEST(testKeyHasItsLimitScopesAndExpiry);
    CPPUNIT_TEST(testUnknownScopeIsAUsageError);
    CPPUNIT_TEST(testExpiryWithoutAZoneIsAUsageError);
    CPPUNIT_TEST(testKeyOfAnUnknownSupplierIsRefused);
    CPPUNIT_TEST(testRevokeByIdAndByPrefix);
    CPPUNIT_TEST(testRevokeByTheWholeKeyIsRefused);
    CPPUNIT_TEST(testOperatorKeysAreApartFromSuppliers);
    CPPUNIT_TEST(testKeyThatCannotBePrintedIsAFailure);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override {
        MigratedControlFixture::setUp();
        _supplier =
            std::to_string(runJson({"supplier", "add", "A", "--verified"}).at("supplier").at("id").get<std::int64_t>());
    }

    void testKeyIsPrintedOnceAndOnlyItsHashIsKept() {
        const auto output = runWell({"key", "create", _supplier});
        CPPUNIT_ASSERT_EQUAL(std::size_t(3 + 8 + 1 + 43 + 1), output.size()); // and the end of the line
        CPPUNIT_ASSERT(output.starts_with("sk_") && output.ends_with("\n"));
        const auto key = output.substr(0, output.size() - 1);
        CPPUNIT_ASSERT_EQUAL(std::int64_t(1), database().integer("SELECT COUNT(*) FROM api_keys WHERE key_hash = "
                                                                 "UNHEX(SHA2(" +
                                                                 database().quote(key) + ", 256)) AND key_id = " +
                                                                 database().quote(key.substr(3, 8))));
        const auto list = run({"key", "list", _supplier});
        CPPUNIT_ASSERT(list.output.find(key.substr(0, 11)) != std::string::npos);
        CPPUNIT_ASSERT(list.output.find(key.substr(12)) == std::string::npos);
        CPPUNIT_ASSERT(output != runWell({"key", "create", _supplier}));
    }

    void testKeyHasItsLimitScopesAndExpiry() {
        const auto key =
            runJson({"key", "create", _supplier, "--name", "ERP", "--hourly-limit", "50", "--scope", "stock:write",
                     "--scope", "prices:write", "--expires-at", "2030-01-31T01:00:00+01:00"})
                .at("key");
        CPPUNIT_ASSERT_EQUAL(std::string("ERP"), key.at("name").get<std::string>());
        CPPUNIT_ASSERT(key.at("secret").get<std::string>().starts_with(key.at("prefix").get<std::string>() + "_"));
        const auto listed = runJson({"key", "list", _supplier}).at("keys").at(0);
        CPPUNIT_ASSERT_EQUAL(50, listed.at("hourly_limit").get<int>());
        CPPUNIT_ASSERT_EQUAL(std::string("stock:write prices:write"), listed.at("scopes").get<std::string>());
        CPPUNIT_ASSERT_EQUAL(std::string("2030-01-31T00:00:00Z"), listed.at("expires_at").get<std::string>());
        CPPUNIT_ASSERT(!listed.contains("secret"));
    }

    void testUnknownScopeIsAUsageError() { runBadly({"key", "create", _supplier, "--scope", "everything"}, 2); }

    void testExpiryWithoutAZoneIsAUsageError() {
        runBadly({"key", "create", _supplier, "--expires-at", "tomorrow"}, 2);
        CPPUNIT_ASSERT_EQUAL(std::int64_t(0), database().integer("SELECT COUNT(*) FROM api_keys"));
    }

    void testKeyOfAnUnknownSupplierIsRefused() {
        const auto errors = runBadly({"key", "create", "4711"}, 1);
        CPPUNIT_ASSERT_MESSAGE(errors, errors.find("no such supplier") != std::string::npos);
    }

    void testRevokeByIdAndByPrefix() {
        const auto first = runJson({"key", "create", _supplier}).at("key");
        const auto second = runJson({"key", "create", _supplier}).at("key");
        runWell({"key", "revoke", std::to_string(first.at("id").get<std::int64_t>())});
        CPPUNIT_ASSERT_EQUAL(std::int64_t(1), revokedKeys());
        runWell({"key", "revoke", second.at("prefix").get<std::string>()});
        CPPUNIT_ASSERT_EQUAL(std::int64_t(2), revokedKeys());
        runWell({"key", "revoke", second.at("prefix").get<std::string>()});
        runBadly({"key", "revoke", "4711"}, 1);
        runBadly({"key", "revoke", "sk_zzzzzzzz"}, 1);
    }

    void testRevokeByTheWholeKeyIsRefused() {
        const auto key = runJson({"key", "create", _supplier}).at("key").at("secret").get<std::string>();
        const auto errors = runBadly({"key", "revoke", key}, 2);
        CPPUNIT_ASSERT(errors.find(key.substr(12)) == std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::int64_t(0), revokedKeys());
    }

    void testOperatorKeysAreApartFromSuppliers() {
        const auto theirs = runJson({"key", "create", _supplier}).at("key");
        const auto ours = runJson({"operator-key", "create", "--name", "console"}).at("key");
        CPPUNIT_ASSERT(ours.at("secret").get<std::string>().starts_with("ok_"));
        const auto listed = runJson({"operator-key", "list"}).at("keys");
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), listed.size());
        CPPUNIT_ASSERT(listed.at(0).at("supplier_id").is_null());
        runBadly({"operator-key", "revoke", std::to_string(theirs.at("id").get<std::int64_t>())}, 1);
        CPPUNIT_ASSERT_EQUAL(std::int64_t(0), revokedKeys());
        runWell({"operator-key", "revoke", ours.at("prefix").get<std::string>()});
        CPPUNIT_ASSERT_EQUAL(std::int64_t(1), revokedKeys());
    }

    void testKeyThatCannotBePrintedIsAFailure() {
        const auto command = ServerProcess::controlProgram().string() + " -c " + configFile().string() +
                             " operator-key create >/dev/full";
        const auto result = runCommand({.arguments = {"sh", "-c", command}});
        CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
        CPPUNIT_ASSERT_MESSAGE(result.errors, result.errors.find("could not be written") != std::string::npos);
    }

private:
    std::int64_t revokedKeys() {
        return database().integer("SELECT COUNT(*) FROM api_keys WHERE revoked_at IS NOT NULL");
    }

    std::string _supplier;
};

CPPUNIT_TEST_SUITE_REGISTRATION(KeyCommandTest);

} // namespace supplierd::tests
