#include "tests/support/OperatorClient.h"
#include "tests/support/PrivateMariaDb.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

#include <filesystem>
#include <string>

namespace supplierd::tests {

/// A supplier's key is shown once, by the real route: nothing that the server or the database keeps restores it.
class KeySecretTest : public CppUnit::TestFixture {
protected:
    static void requireAbsent(const std::string& text, const std::string& key, const std::string& where) {
        const std::string secret = key.substr(key.size() - 43); // which may itself begin with an underscore
        CPPUNIT_ASSERT_MESSAGE("the secret is in " + where, text.find(secret) == std::string::npos);
    }

    static void requireNotInTables(TestDatabase& database, const std::string& key) {
        bool prefixSeen = false;
        for (const TestRow& table : database.query("SELECT table_name FROM information_schema.tables "
                                                   "WHERE table_schema = DATABASE()"))
            for (const TestRow& row : database.query("SELECT * FROM `" + table[0].value() + "`"))
                for (const auto& value : row) {
                    requireAbsent(value.value_or(""), key, "the table " + table[0].value());
                    prefixSeen = prefixSeen || value == key.substr(3, 8);
                }
        CPPUNIT_ASSERT_MESSAGE("the search sees nothing", prefixSeen);
    }

    static void requireNotInFiles(const std::filesystem::path& directory, const std::string& key) {
        int files = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
            if (entry.is_regular_file()) {
                requireAbsent(readWholeFile(entry.path()), key, entry.path().string());
                ++files;
            }
        CPPUNIT_ASSERT_MESSAGE("the search sees no files in " + directory.string(), files > 0);
    }
};

TEST(KeySecretTest, aKeyMadeUnderAnIdempotencyKeyIsStoredNowhere) {
    PrivateMariaDb mariaDb;
    ServerFixture own({.plugins = {SUPPLIERD_TEST_PLUGINS}}, &mariaDb);
    ServerProcess& server = own.server();
    const auto supplier = server.createSupplier("Rozenhof");
    const std::string path = "/suppliers/" + std::to_string(supplier) + "/keys";
    OperatorClient client(own);
    const json body{{"name", "Web shop"}, {"scopes", {"products:read"}}};
    const HttpHeaders headers{{"Idempotency-Key", "one-key-please"}};

    const HttpResponse first = client.post(path, body, headers);
    requireStatus(201, first);
    const std::string key = first.data().at("key").at("secret");
    requireStatus(200, server.client(key).get("/products"));
    for (int i = 0; i < 2; ++i) {
        const HttpResponse again = client.post(path, body, headers);
        requireProblems(again, {"Idempotency-Key:duplicate"});
        requireAbsent(again.body, key, "the repeat's response");
    }
    CPPUNIT_ASSERT_EQUAL(std::int64_t{1},
                         own.database().integer("SELECT COUNT(*) FROM api_keys WHERE kind = 'supplier'"));
    requireAbsent(client.get(path).body, key, "the list of keys");
    requireAbsent(client.get("/audit?object=key").body, key, "the audit log");
    requireNotInTables(own.database(), key);
    requireNotInFiles(server.directory(), key);
    requireNotInFiles(std::filesystem::path(mariaDb.socket()).parent_path(), key);
}

} // namespace supplierd::tests
