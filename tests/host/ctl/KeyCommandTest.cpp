#include "tests/host/ctl/ControlFixture.h"
#include "tests/host/ctl/TerminalTalk.h"
#include "tests/support/Test.h"
#include "tests/support/Texts.h"

#include <algorithm>
#include <string>

namespace supplierd::tests {

class KeyCommandTest : public ServedControlFixture {
protected:
    std::vector<std::string> plugins() const override { return {"categories", "catalog", "inventory", "platform"}; }

public:
    void setUp() override {
        ServedControlFixture::setUp();
        _supplier =
            std::to_string(runJson({"supplier", "add", "A", "--verified"}).at("supplier").at("id").get<std::int64_t>());
    }

protected:
    std::int64_t revokedKeys() {
        return database().integer("SELECT COUNT(*) FROM api_keys WHERE revoked_at IS NOT NULL");
    }

    std::string _supplier;
};

TEST(KeyCommandTest, keyIsPrintedOnceAndOnlyItsHashIsKept) {
    const auto output = runWell({"key", "create", _supplier});
    CPPUNIT_ASSERT_EQUAL(std::size_t(3 + 8 + 1 + 43 + 1), output.size()); // and the end of the line
    CPPUNIT_ASSERT(output.starts_with("sk_") && output.ends_with("\n"));
    const auto key = output.substr(0, output.size() - 1);
    CPPUNIT_ASSERT_EQUAL(std::int64_t(1), database().integer("SELECT COUNT(*) FROM api_keys WHERE key_hash = "
                                                             "UNHEX(SHA2(" +
                                                             database().quote(key) + ", 256)) AND key_id = " +
                                                             database().quote(key.substr(3, 8))));
    const auto list = run({"key", "list", _supplier});
    requireIn(key.substr(0, 11), list.output);
    CPPUNIT_ASSERT(list.output.find(key.substr(12)) == std::string::npos);
    CPPUNIT_ASSERT(output != runWell({"key", "create", _supplier}));
}

TEST(KeyCommandTest, keyHasItsLimitScopesAndExpiry) {
    const auto key = runJson({"key", "create", _supplier, "--name", "ERP", "--hourly-limit", "50", "--scope",
                              "stock:write", "--scope", "prices:write", "--expires-at", "2030-01-31T01:00:00+01:00"})
                         .at("key");
    CPPUNIT_ASSERT_EQUAL(std::string("ERP"), key.at("name").get<std::string>());
    CPPUNIT_ASSERT(key.at("secret").get<std::string>().starts_with(key.at("prefix").get<std::string>() + "_"));
    const auto listed = runJson({"key", "list", _supplier}).at("keys").at(0);
    CPPUNIT_ASSERT_EQUAL(50, listed.at("hourly_limit").get<int>());
    CPPUNIT_ASSERT_EQUAL(Json({"stock:write", "prices:write"}), listed.at("scopes"));
    CPPUNIT_ASSERT_EQUAL(std::string("2030-01-31T00:00:00Z"), listed.at("expires_at").get<std::string>());
    CPPUNIT_ASSERT(!listed.contains("secret"));
}

TEST(KeyCommandTest, listTellsTheLastUse) {
    runWell({"key", "create", _supplier});
    CPPUNIT_ASSERT(runJson({"key", "list", _supplier}).at("keys").at(0).at("last_used_from").is_null());
    database().exec("UPDATE api_keys SET last_used_at = '2026-01-31 12:00:00', last_used_from = '192.0.2.7'");
    const auto list = runWell({"key", "list", _supplier});
    requireIn("2026-01-31T12:00:00Z  192.0.2.7", list);
}

TEST(KeyCommandTest, unknownScopeIsAUsageError) {
    const auto errors = runBadly({"key", "create", _supplier, "--scope", "everything"}, 2);
    requireIn("categories:read, prices:write, products:read, products:write, "
              "stock:write",
              errors);
}

TEST(KeyCommandTest, expiryWithoutAZoneIsAUsageError) {
    runBadly({"key", "create", _supplier, "--expires-at", "tomorrow"}, 2);
    CPPUNIT_ASSERT_EQUAL(std::int64_t(0), database().integer("SELECT COUNT(*) FROM api_keys"));
}

TEST(KeyCommandTest, expiryInThePastIsRefused) {
    const auto errors = runBadly({"key", "create", _supplier, "--expires-at", "2020-01-31T00:00:00Z"}, 2);
    requireIn("must be in the future", errors);
    runBadly({"operator-key", "create", "--expires-at", "2020-01-31T00:00:00Z"}, 2);
    CPPUNIT_ASSERT_EQUAL(std::int64_t(0), database().integer("SELECT COUNT(*) FROM api_keys"));
}

TEST(KeyCommandTest, mistakesAreToldByTheNamesThatWereTyped) {
    CPPUNIT_ASSERT_EQUAL(std::string("supplierctl: --expires-at must be in the future\n"),
                         runBadly({"key", "create", _supplier, "--expires-at", "2020-01-31T00:00:00Z"}, 2));
    requireIn("supplierctl: NAME is required", runBadly({"supplier", "add", "  "}, 2));
    requireIn("supplierctl: --scope[0] ", runBadly({"key", "create", _supplier, "--scope", "nonsense"}, 2));
}

TEST(KeyCommandTest, keyOfAnUnknownSupplierIsRefused) {
    const auto errors = runBadly({"key", "create", "4711"}, 1);
    requireIn("There is no supplier 4711", errors);
}

TEST(KeyCommandTest, whatIsNoSupplierIdIsToldSo) {
    const auto errors = runBadly({"key", "list", "x"}, 2);
    requireIn("'x' is no whole number", errors);
}

TEST(KeyCommandTest, everyChangeIsInTheAuditLogWithoutTheSecret) {
    const auto key = runJson({"key", "create", _supplier, "--name", "ERP", "--scope", "stock:write", "--expires-at",
                              "2099-01-31T01:00:00+01:00"})
                         .at("key");
    const auto ours = runJson({"operator-key", "create"}).at("key");
    const auto id = std::to_string(key.at("id").get<std::int64_t>());
    runWell({"key", "revoke", "--yes", id});
    runWell({"key", "revoke", "--yes", id});
    runWell({"operator-key", "revoke", "--yes", ours.at("prefix").get<std::string>()});
    const auto log = audited();
    const auto contains = [&](const std::string& text) {
        CPPUNIT_ASSERT_MESSAGE(text + " is missing in\n" + log, log.find(text) != std::string::npos);
    };
    contains("key.create key " + id + " " + _supplier + " - {\"prefix\":" + key.at("prefix").dump() +
             ",\"name\":\"ERP\",\"hourly_limit\":null,\"scopes\":[\"stock:write\"],"
             "\"expires_at\":\"2099-01-31T00:00:00Z\"}\n");
    contains("key.revoke key " + id + " " + _supplier + " {\"revoked_at\":null} {\"revoked_at\":\"2");
    const auto oursId = std::to_string(ours.at("id").get<std::int64_t>());
    contains("key.create key " + oursId + " - - {\"prefix\":" + ours.at("prefix").dump() +
             ",\"name\":\"\",\"hourly_limit\":null,\"expires_at\":null}\n");
    contains("key.revoke key " + oursId + " - {\"revoked_at\":null}");
    CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{5}, std::count(log.begin(), log.end(), '\n')); // and the supplier
    CPPUNIT_ASSERT(log.find(key.at("secret").get<std::string>().substr(12)) == std::string::npos);
}

TEST(KeyCommandTest, revokeByIdAndByPrefix) {
    const auto first = runJson({"key", "create", _supplier}).at("key");
    const auto second = runJson({"key", "create", _supplier}).at("key");
    runWell({"key", "revoke", "--yes", std::to_string(first.at("id").get<std::int64_t>())});
    CPPUNIT_ASSERT_EQUAL(std::int64_t(1), revokedKeys());
    runWell({"key", "revoke", "--yes", second.at("prefix").get<std::string>()});
    CPPUNIT_ASSERT_EQUAL(std::int64_t(2), revokedKeys());
    runWell({"key", "revoke", "--yes", second.at("prefix").get<std::string>()});
    runBadly({"key", "revoke", "--yes", "4711"}, 1);
    runBadly({"key", "revoke", "--yes", "sk_zzzzzzzz"}, 1);
}

TEST(KeyCommandTest, whatCannotBeUndoneAsksFirst) {
    const auto key = runWell({"key", "create", _supplier}).substr(0, 11);
    const auto told = "nobody can be asked, so give --yes";
    requireIn(told, runBadly({"key", "revoke", key}, 2));
    requireIn(told, runBadly({"key", "rotate", key, "--grace", "0"}, 2));
    requireIn(told, runJson({"key", "revoke", key}, 2).at("error").at("message").get<std::string>());
    const auto answer = [&](const char* typed) {
        TerminalTalk talk({"/usr/bin/env", "TERM=xterm", ServerProcess::controlProgram(), "--config", configFile(),
                           "key", "revoke", key});
        talk.expect("Key " + key + " will be refused for good. Revoke it? (yes or no) [no]: ");
        talk.type(typed);
        return talk.exitCode();
    };
    CPPUNIT_ASSERT_EQUAL(1, answer("\n"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t(0), revokedKeys());
    runWell({"key", "rotate", key}); // the former one goes on for a day
    CPPUNIT_ASSERT_EQUAL(0, answer("yes\n"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t(1), revokedKeys());
}

TEST(KeyCommandTest, rotatedKeyIsTheSameButForItsSecret) {
    const auto former = runJson({"key", "create", _supplier, "--name", "ERP", "--hourly-limit", "50", "--scope",
                                 "stock:write", "--scope", "prices:write"})
                            .at("key");
    const auto id = std::to_string(former.at("id").get<std::int64_t>());
    const auto answer = runJson({"key", "rotate", id, "--grace", "90m"});
    CPPUNIT_ASSERT(answer.at("key").at("secret") != former.at("secret"));
    const auto keys = runJson({"key", "list", _supplier}).at("keys");
    CPPUNIT_ASSERT_EQUAL(std::size_t(2), keys.size());
    for (const auto* field : {"name", "hourly_limit", "scopes"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(field, keys.at(0).at(field), keys.at(1).at(field));
    CPPUNIT_ASSERT(keys.at(0).at("expires_at").is_null());
    CPPUNIT_ASSERT_EQUAL(answer.at("replaced").at("expires_at"), keys.at(1).at("expires_at"));
    CPPUNIT_ASSERT_EQUAL(std::int64_t(1),
                         database().integer("SELECT expires_at BETWEEN NOW() + INTERVAL 80 MINUTE AND NOW() + "
                                            "INTERVAL 91 MINUTE FROM api_keys WHERE id = " +
                                            id));
    const auto log = audited();
    requireIn("key.rotate key " + id, log);
    CPPUNIT_ASSERT(log.find(answer.at("key").at("secret").get<std::string>()) == std::string::npos);
}

TEST(KeyCommandTest, rotationWithoutGraceEndsTheFormerKeyAtOnce) {
    const auto former = runWell({"key", "create", _supplier});
    const auto key = runWell({"key", "rotate", former.substr(0, 11), "--grace", "0", "--yes"});
    CPPUNIT_ASSERT(key.starts_with("sk_") && key != former);
    CPPUNIT_ASSERT_EQUAL(std::int64_t(1), database().integer("SELECT COUNT(*) FROM api_keys WHERE expires_at <= "
                                                             "NOW(6) AND key_id = " +
                                                             database().quote(former.substr(3, 8))));
    const auto operators = runWell({"operator-key", "create"});
    CPPUNIT_ASSERT(runWell({"operator-key", "rotate", operators.substr(0, 11)}).starts_with("ok_"));
    for (const auto* grace : {"1", "-1h", "h", "3 days", "99999d"})
        runBadly({"key", "rotate", key.substr(0, 11), "--grace", grace}, 2);
}

TEST(KeyCommandTest, rotationNeverLengthensAKey) {
    const auto former = runJson({"key", "create", _supplier, "--expires-at", "2099-01-01T00:00:00Z"}).at("key");
    const auto id = std::to_string(former.at("id").get<std::int64_t>());
    database().exec("UPDATE api_keys SET expires_at = NOW(6) + INTERVAL 1 HOUR");
    const auto before = database().text("SELECT expires_at FROM api_keys WHERE id = " + id);
    runWell({"key", "rotate", id});
    CPPUNIT_ASSERT_EQUAL(before, database().text("SELECT expires_at FROM api_keys WHERE id = " + id));
    database().exec("UPDATE api_keys SET expires_at = NOW(6) - INTERVAL 1 HOUR WHERE id = " + id);
    runBadly({"key", "rotate", id}, 2); // its successor would be as dead
}

TEST(KeyCommandTest, successorWithAnEndIsToldSo) {
    const auto former = runWell({"key", "create", _supplier}).substr(0, 11);
    const auto first = run({"key", "rotate", former});
    CPPUNIT_ASSERT_MESSAGE(first.errors, first.errors.find("itself") == std::string::npos);
    const auto second = run({"key", "rotate", former}); // which ends with its grace by now, and so does this successor
    const auto end = runJson({"key", "list", _supplier}).at("keys").at(0).at("expires_at").get<std::string>();
    requireIn("itself is refused from " + end + " on", second.errors);
    requireIn("`supplierctl key create`", second.errors);
    CPPUNIT_ASSERT_EQUAL(Json(end), runJson({"key", "rotate", former}).at("key").at("expires_at"));
    const auto successor = first.output.substr(0, 11);
    CPPUNIT_ASSERT(runJson({"key", "rotate", successor}).at("key").at("expires_at").is_null());
}

TEST(KeyCommandTest, revokedKeyIsNotRotated) {
    const auto former = runWell({"key", "create", _supplier}).substr(0, 11);
    runWell({"key", "revoke", "--yes", former});
    const auto errors = runBadly({"key", "rotate", former}, 1);
    requireIn("is revoked", errors);
    CPPUNIT_ASSERT_EQUAL(std::int64_t(1), database().integer("SELECT COUNT(*) FROM api_keys"));
}

TEST(KeyCommandTest, keyThatIsNotThereIsTold) {
    for (const auto* named : {"4711", "sk_zzzzzzzz", "ok_zzzzzzzz"})
        for (const auto* group : {"key", "operator-key"})
            requireIn("There is no key " + std::string(named), runBadly({group, "revoke", "--yes", named}, 1));
    for (const auto* named :
         {"sk_", "sk_ab12cd3", "xk_ab12cd34", "sk_ab12cd3é", "0", "-1", "1x", "99999999999999999999"})
        requireIn("by its id or by its first characters", runBadly({"key", "revoke", "--yes", "--", named}, 2));
    for (const auto* nothing : {"", ".", ".."}) // would name another route
        requireIn("names nothing", runBadly({"key", "revoke", "--yes", "--", nothing}, 2));
}

TEST(KeyCommandTest, keyOfTheOtherKindNamesItsCommand) {
    const auto theirs = runJson({"key", "create", _supplier}).at("key");
    const auto ours = runJson({"operator-key", "create"}).at("key");
    for (const auto& named : {ours.at("prefix").get<std::string>(), std::to_string(ours.at("id").get<int>())})
        requireIn("Key " + named + " is an operator's; run: supplierctl operator-key revoke " + named,
                  runBadly({"key", "revoke", "--yes", named}, 1));
    const auto prefix = theirs.at("prefix").get<std::string>();
    requireIn("Key " + prefix + " is a supplier's; run: supplierctl key revoke " + prefix,
              runBadly({"operator-key", "revoke", "--yes", prefix}, 1));
    CPPUNIT_ASSERT_EQUAL(std::int64_t(0), revokedKeys());
    // The same characters after another beginning are another key's name.
    requireIn("There is no key ok_", runBadly({"key", "revoke", "--yes", "ok_" + prefix.substr(3)}, 1));
}

TEST(KeyCommandTest, keysOfAnUnknownSupplierAreNotListed) {
    requireIn("There is no supplier 99", runBadly({"key", "list", "99"}, 1));
    CPPUNIT_ASSERT_EQUAL(std::string("There are no keys.\n"), runWell({"key", "list", _supplier}));
}

TEST(KeyCommandTest, nameOfAKeyIsSafeForATerminal) {
    runWell({"key", "create", _supplier, "--name", "\x1b]0;x\x07"});
    requireIn("\\u001b]0;x\\u0007", runWell({"key", "list", _supplier}));
    CPPUNIT_ASSERT_EQUAL(std::string("\x1b]0;x\x07"),
                         runJson({"key", "list", _supplier}).at("keys").at(0).at("name").get<std::string>());
}

TEST(KeyCommandTest, revokeByTheWholeKeyIsRefused) {
    const auto key = runJson({"key", "create", _supplier}).at("key").at("secret").get<std::string>();
    const auto errors = runBadly({"key", "revoke", "--yes", key}, 2);
    CPPUNIT_ASSERT(errors.find(key.substr(12)) == std::string::npos);
    CPPUNIT_ASSERT_EQUAL(std::int64_t(0), revokedKeys());
}

TEST(KeyCommandTest, operatorKeysAreApartFromSuppliers) {
    const auto theirs = runJson({"key", "create", _supplier}).at("key");
    const auto ours = runJson({"operator-key", "create", "--name", "console"}).at("key");
    CPPUNIT_ASSERT(ours.at("secret").get<std::string>().starts_with("ok_"));
    const auto listed = runJson({"operator-key", "list"}).at("keys");
    CPPUNIT_ASSERT_EQUAL(std::size_t(1), listed.size());
    CPPUNIT_ASSERT_EQUAL(ours.at("prefix"), listed.at(0).at("prefix"));
    runBadly({"operator-key", "revoke", "--yes", std::to_string(theirs.at("id").get<std::int64_t>())}, 1);
    CPPUNIT_ASSERT_EQUAL(std::int64_t(0), revokedKeys());
    runWell({"operator-key", "revoke", "--yes", ours.at("prefix").get<std::string>()});
    CPPUNIT_ASSERT_EQUAL(std::int64_t(1), revokedKeys());
}

TEST(KeyCommandTest, keyThatCannotBePrintedIsAFailure) {
    const auto command =
        ServerProcess::controlProgram().string() + " -c " + configFile().string() + " operator-key create >/dev/full";
    const auto result = runCommand({.arguments = {"sh", "-c", command}});
    CPPUNIT_ASSERT_EQUAL(1, result.exitCode);
    requireIn("could not be written", result.errors);
}

} // namespace supplierd::tests
