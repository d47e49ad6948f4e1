#include "tests/support/Test.h"
#include "tests/system/faults/FaultFixture.h"

#include <filesystem>

namespace supplierd::tests {

/// An API key is shown once: neither an Idempotency-Key nor a fault makes the server keep it.
class SecretKeyTest : public CppUnit::TestFixture {
protected:
    void requireShownOnce(const std::string& path, const std::string& idempotencyKey = "one-key-please") {
        const HttpHeaders headers{{"Idempotency-Key", idempotencyKey}};
        auto client = _fixture.client();
        const auto before = keysInDatabase();
        const auto first = client.postEmpty(path, headers);
        requireStatus(201, first);
        const auto key = first.data().at("secret").get<std::string>();
        CPPUNIT_ASSERT_EQUAL_MESSAGE("the key does not work", 200,
                                     _fixture.server().client(key).get("/products").status);

        for (int i = 0; i < 2; ++i) {
            const auto again = client.postEmpty(path, headers);
            requireProblems(again, {"Idempotency-Key:duplicate"});
            CPPUNIT_ASSERT_MESSAGE(again.body,
                                   again.error().at("message").get<std::string>().find("once") != std::string::npos);
            requireAbsent(again.body, key, "the repeat's response");
        }
        CPPUNIT_ASSERT_EQUAL(before + 1, keysInDatabase());
        requireNotInTables(key);
        requireNotInFiles(key, _fixture.server().directory());
        // Row changes, also undone ones, and what is left of them in the database's own files.
        requireNotInFiles(key, std::filesystem::path(_fixture.mariaDb().socket()).parent_path());
        requireStatus(200, _fixture.server().client(key).get("/products"));
    }

    std::int64_t keysInDatabase() { return _fixture.database().integer("SELECT COUNT(*) FROM api_keys"); }

    static void requireAbsent(const std::string& text, const std::string& key, const std::string& where) {
        const auto secret = key.substr(key.size() - 43); // which may itself begin with an underscore
        CPPUNIT_ASSERT_EQUAL(std::size_t{43}, secret.size());
        CPPUNIT_ASSERT_MESSAGE("the secret is in " + where, text.find(secret) == std::string::npos);
    }

    void requireNotInTables(const std::string& key) {
        auto& database = _fixture.database();
        const auto tables = database.query("SELECT table_name FROM information_schema.tables WHERE table_schema = "
                                           "DATABASE()");
        CPPUNIT_ASSERT(tables.size() >= 8);
        bool prefixSeen = false;
        for (const auto& table : tables)
            for (const auto& row : database.query("SELECT * FROM `" + table[0].value() + "`"))
                for (const auto& value : row) {
                    requireAbsent(value.value_or(""), key, "the table " + table[0].value());
                    prefixSeen = prefixSeen || value == key.substr(3, 8);
                }
        CPPUNIT_ASSERT_MESSAGE("the search sees nothing", prefixSeen);
    }

    static void requireNotInFiles(const std::string& key, const std::filesystem::path& directory) {
        int files = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
            if (entry.is_regular_file()) {
                requireAbsent(readWholeFile(entry.path()), key, entry.path().string());
                ++files;
            }
        CPPUNIT_ASSERT_MESSAGE("the search sees no files in " + directory.string(), files > 0);
    }

    FaultFixture _fixture{FaultOptions{.proxied = true, .pluginFiles = {faultPlugin()}}};
};

TEST(SecretKeyTest, aKeyIsCreatedOnceAndStoredNowhere) {
    requireShownOnce("/test/keys");
}

TEST(SecretKeyTest, aKeyIsStoredNowhereWhenTheRouteRecordsNoOutcome) {
    requireShownOnce("/test/keys-unrecorded");
}

TEST(SecretKeyTest, aLostCommitMakesNoSecondKey) {
    const auto before = keysInDatabase();
    for (const auto fault : {Fault::AfterReply, Fault::AtOnce, Fault::Late, Fault::BeforeCommand}) {
        _fixture.proxy().arm("COMMIT", fault);
        requireShownOnce("/test/keys", "lost-" + std::to_string(static_cast<int>(fault)));
    }
    CPPUNIT_ASSERT_EQUAL(4, _fixture.proxy().strikes());
    CPPUNIT_ASSERT_EQUAL(before + 4, keysInDatabase());
}

} // namespace supplierd::tests
