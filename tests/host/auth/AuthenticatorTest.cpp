#include "host/auth/Authenticator.h"

#include "host/base/Digest.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"
#include "tests/support/Thrown.h"

#include <supplierd/testing/FakeCacheMemory.h>
#include <supplierd/testing/FakeDatabase.h>

#include <atomic>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;
using host::ApiKey;
using host::KeyKind;
using testing::FakeDatabase;
using testing::FakeRow;

namespace {

constexpr std::string_view ADDRESS = "192.0.2.1";

/// Something may happen after each reading, before its reader goes on. For any thread.
class DatabaseThatIsOvertaken final : public Database {
public:
    explicit DatabaseThatIsOvertaken(Database& database) : _database(database) {}

    void withSession(const std::function<void(SqlSession&)>& work) override {
        {
            const std::lock_guard lock(_mutex);
            _database.withSession(work);
        }
        if (afterReading)
            afterReading();
    }
    void withTransaction(const std::function<void(Transaction&)>& work) override { _database.withTransaction(work); }
    void withSnapshot(const std::function<void(SqlSession&)>& work) override { _database.withSnapshot(work); }
    CommittedNumbers committed(std::int64_t supplierId) override { return _database.committed(supplierId); }
    std::int64_t execute(std::string_view sql, SqlParams params) override { return _database.execute(sql, params); }

    std::function<void()> afterReading;

private:
    Database& _database;
    std::mutex _mutex;
};

/// A row of the authenticator's query, as the database would give it.
struct KeyRow {
    std::int64_t id = 5;
    std::string kind = "supplier";
    std::int64_t supplierId = 3;
    testing::FakeCell hourlyLimit = nullptr;
    testing::FakeCell scopes = nullptr;
    testing::FakeCell expiresAt = nullptr;
    bool revoked = false;
    testing::FakeCell status = "verified";
    std::int64_t accounts = 1; ///< the number of that moment

    FakeRow of(const ApiKey& key) const {
        const auto hash = host::sha256(key.text);
        return {id,          std::string(host::asBytes(hash)),
                kind,        supplierId,
                hourlyLimit, scopes,
                expiresAt,   revoked,
                status,      accounts};
    }
};

} // namespace

class AuthenticatorTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _database = std::make_unique<FakeDatabase>();
        _settings = {};
        _settings.failuresPerMinute = 3;
        rebuild();
    }

protected:
    void rebuild() { rebuildOn(*_database); }
    void rebuildOn(Database& database) {
        _authenticator = std::make_unique<host::Authenticator>(
            database, [this](std::int64_t supplierId) { return accounts(supplierId); }, _memory, _settings);
    }
    /// What a question says.
    std::int64_t accounts(std::int64_t supplierId) {
        ++_questions;
        _askedFor = supplierId;
        return _accounts;
    }
    void known(const KeyRow& row) { _database->whenQuery("FROM api_keys").thenRows({row.of(_key)}); }
    static Principal principal(std::int64_t supplierId, std::int64_t keyId) {
        Principal principal;
        principal.supplierId = supplierId;
        principal.keyId = keyId;
        return principal;
    }
    void unknown() { _database->whenQuery("FROM api_keys").thenRows({}); }

    std::shared_ptr<const host::KeyRecord> authenticate(const std::string& header,
                                                        Audience audience = Audience::Supplier,
                                                        std::string_view address = ADDRESS) {
        return _authenticator->authenticate(header, audience, address,
                                            [this](std::int64_t supplierId) { return accounts(supplierId); });
    }

    ApiError refusal(const std::string& header, Audience audience = Audience::Supplier,
                     std::string_view address = ADDRESS) {
        return thrownBy<ApiError>([&] { authenticate(header, audience, address); }, "accepted: " + header);
        return {ErrorKind::Internal, ""};
    }

    void assertForbidden(const std::string& code, const KeyRow& row) {
        rebuild();
        known(row);
        const auto error = refusal("Bearer " + _key.text);
        CPPUNIT_ASSERT(error.kind() == ErrorKind::Forbidden);
        CPPUNIT_ASSERT_EQUAL(code, error.details().at(0).code);
    }

    ApiKey _key = ApiKey::generate(KeyKind::Supplier);
    host::AuthSettings _settings;
    testing::FakeCacheMemory _memory;
    std::atomic<std::int64_t> _accounts{1};
    std::atomic<int> _questions{0};
    std::atomic<std::int64_t> _askedFor{-1};
    std::unique_ptr<FakeDatabase> _database;
    std::unique_ptr<host::Authenticator> _authenticator;
};

TEST(AuthenticatorTest, knownKeyTellsWhoCalls) {
    known({.hourlyLimit = 50});
    const auto record = authenticate("Bearer " + _key.text);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, record->principal.supplierId);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, record->principal.keyId);
    CPPUNIT_ASSERT_EQUAL(_key.prefix(), record->principal.keyPrefix);
    CPPUNIT_ASSERT(!record->principal.isOperator);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{50}, record->hourlyLimit);
    CPPUNIT_ASSERT(record->principal.hasScope("products:write"));
    CPPUNIT_ASSERT_EQUAL(_key.keyId, _database->statement("FROM api_keys").parameters.at(1).text());
}

TEST(AuthenticatorTest, schemeIsReadInAnyCase) {
    known({});
    CPPUNIT_ASSERT(authenticate("bearer " + _key.text));
    CPPUNIT_ASSERT(authenticate("BEARER   " + _key.text));
}

TEST(AuthenticatorTest, missingAndMalformedCredentialsAreUnauthorizedWithoutAQuery) {
    _settings.failuresPerMinute = 100;
    rebuild();
    for (const std::string& header : {std::string(), std::string("Bearer"), std::string("Bearer "), _key.text,
                                      "Basic " + _key.text, "Bearer" + _key.text, "Bearer " + _key.text + " ",
                                      "Bearer " + _key.text + ", Bearer x", std::string("Bearer \xff\xfe")})
        CPPUNIT_ASSERT_MESSAGE(header, refusal(header).kind() == ErrorKind::Unauthorized);
    CPPUNIT_ASSERT(_database->statements().empty());
}

TEST(AuthenticatorTest, unknownKeyIsUnauthorized) {
    unknown();
    CPPUNIT_ASSERT(refusal("Bearer " + _key.text).kind() == ErrorKind::Unauthorized);
}

TEST(AuthenticatorTest, rightIdWithAnotherSecretIsUnauthorized) {
    known({});
    auto forged = _key.text;
    forged.back() = forged.back() == 'A' ? 'E' : 'A';
    CPPUNIT_ASSERT(refusal("Bearer " + forged).kind() == ErrorKind::Unauthorized);
}

TEST(AuthenticatorTest, keyOfTheOtherAudienceIsUnauthorizedWithoutAQuery) {
    const auto operatorKey = ApiKey::generate(KeyKind::Operator);
    CPPUNIT_ASSERT(refusal("Bearer " + operatorKey.text).kind() == ErrorKind::Unauthorized);
    CPPUNIT_ASSERT(refusal("Bearer " + _key.text, Audience::Operator).kind() == ErrorKind::Unauthorized);
    CPPUNIT_ASSERT(_database->statements().empty());
}

TEST(AuthenticatorTest, rowOfTheOtherKindIsUnauthorized) {
    known({.kind = "operator"});
    CPPUNIT_ASSERT(refusal("Bearer " + _key.text).kind() == ErrorKind::Unauthorized);
}

TEST(AuthenticatorTest, everyBadStandingIsForbiddenWithItsCode) {
    assertForbidden("key_revoked", {.revoked = true});
    assertForbidden("key_expired", {.expiresAt = std::time(nullptr) - 1});
    assertForbidden("supplier_unverified", {.status = "unverified"});
    assertForbidden("supplier_suspended", {.status = "suspended"});
    assertForbidden("supplier_unverified", {.status = "something new"});
    assertForbidden("supplier_unverified", {.status = nullptr});
}

TEST(AuthenticatorTest, revocationIsToldBeforeTheSuppliersStanding) {
    assertForbidden("key_revoked", {.revoked = true, .status = "suspended"});
}

TEST(AuthenticatorTest, operatorNeedsNoSupplier) {
    _key = ApiKey::generate(KeyKind::Operator);
    known({.kind = "operator", .supplierId = 0, .status = nullptr});
    const auto record = authenticate("Bearer " + _key.text, Audience::Operator);
    CPPUNIT_ASSERT(record->principal.isOperator);
}

TEST(AuthenticatorTest, expiryInTheFutureIsFine) {
    known({.expiresAt = std::time(nullptr) + 3'600});
    CPPUNIT_ASSERT(authenticate("Bearer " + _key.text));
}

// The query gives 0 for a time that it cannot count in seconds.
TEST(AuthenticatorTest, expiryThatCannotBeReadIsPast) {
    assertForbidden("key_expired", {.expiresAt = std::int64_t{0}});
}

TEST(AuthenticatorTest, scopesAreSplit) {
    known({.scopes = "products:read orders:read"});
    const auto record = authenticate("Bearer " + _key.text);
    CPPUNIT_ASSERT(record->principal.hasScope("products:read"));
    CPPUNIT_ASSERT(record->principal.hasScope("orders:read"));
    CPPUNIT_ASSERT(record->principal.hasScope(""));
    CPPUNIT_ASSERT(!record->principal.hasScope("products:write"));
    CPPUNIT_ASSERT(!record->principal.hasScope("products"));
}

TEST(AuthenticatorTest, keyIsReadOnceWhileNoAccountChanges) {
    known({});
    for (int i = 0; i < 3; ++i)
        authenticate("Bearer " + _key.text);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _database->statements().size());
    CPPUNIT_ASSERT_EQUAL(2, _questions.load()); // none for the first: what was read is of the present
    CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, _askedFor.load());
}

TEST(AuthenticatorTest, keyThatChangedElsewhereIsSeenByTheNextRequest) {
    _database->whenQuery("FROM api_keys")
        .thenRows({KeyRow{}.of(_key)})
        .thenRows({KeyRow{.revoked = true, .accounts = 2}.of(_key)})
        .thenRows({KeyRow{.accounts = 3}.of(_key)});
    CPPUNIT_ASSERT(authenticate("Bearer " + _key.text));
    _accounts = 2;
    for (int i = 0; i < 2; ++i)
        CPPUNIT_ASSERT(refusal("Bearer " + _key.text).kind() == ErrorKind::Forbidden);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _database->statements().size());
    _accounts = 3;
    CPPUNIT_ASSERT(authenticate("Bearer " + _key.text));
}

// Somebody revoked it in the database by hand.
TEST(AuthenticatorTest, keyAndStandingAreReadAgainAfterSomeTimeWhateverTheNumber) {
    _authenticator = std::make_unique<host::Authenticator>(
        *_database, [this](std::int64_t supplierId) { return accounts(supplierId); }, _memory, _settings,
        std::chrono::milliseconds(1));
    _database->whenQuery("FROM api_keys").thenRows({KeyRow{}.of(_key)}).thenRows({KeyRow{.revoked = true}.of(_key)});
    _database->whenQuery("LEFT JOIN suppliers s ON s.id = ?")
        .thenRows({{"verified", true, nullptr, true, 1}})
        .thenRows({{"suspended", true, nullptr, true, 1}});
    CPPUNIT_ASSERT(authenticate("Bearer " + _key.text));
    CPPUNIT_ASSERT(_authenticator->checkStanding(principal(3, 0)));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    CPPUNIT_ASSERT(refusal("Bearer " + _key.text).kind() == ErrorKind::Forbidden);
    CPPUNIT_ASSERT_THROW(_authenticator->checkStanding(principal(3, 0)), ApiError);
}

// A database that was restored, or goes on without its last commits.
TEST(AuthenticatorTest, keyIsReadAgainWhenTheNumberGoesBack) {
    known({.accounts = 7});
    _accounts = 7;
    authenticate("Bearer " + _key.text);
    _accounts = 6;
    authenticate("Bearer " + _key.text);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _database->statements().size());
}

TEST(AuthenticatorTest, keyThatIsReadWhileTheNumberMovesIsReadAgain) {
    _database->whenQuery("FROM api_keys")
        .thenRows({KeyRow{}.of(_key)})
        .thenRows({KeyRow{.revoked = true, .accounts = 2}.of(_key)});
    DatabaseThatIsOvertaken database(*_database);
    rebuildOn(database);
    database.afterReading = [this] { _accounts = 2; };
    authenticate("Bearer " + _key.text); // came before the revocation
    CPPUNIT_ASSERT(refusal("Bearer " + _key.text).kind() == ErrorKind::Forbidden);
    rebuild();
}

TEST(AuthenticatorTest, expiryOfAKnownKeyGoesByTheClock) {
    known({.expiresAt = std::time(nullptr) + 2});
    authenticate("Bearer " + _key.text);
    std::string code;
    waitFor("the expiry", [&] {
        try {
            authenticate("Bearer " + _key.text);
        } catch (const ApiError& error) {
            code = error.details().at(0).code;
        }
        return !code.empty();
    });
    CPPUNIT_ASSERT_EQUAL(std::string("key_expired"), code);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _database->statements().size());
}

TEST(AuthenticatorTest, databaseThatIsAwayLetsNobodyIn) {
    known({});
    authenticate("Bearer " + _key.text);
    CPPUNIT_ASSERT(isUnavailable([&] {
        _authenticator->authenticate(
            "Bearer " + _key.text, Audience::Supplier, ADDRESS,
            [](std::int64_t) -> std::int64_t { throw ApiError::unavailable("away").withRetryAfter(1); });
    }));
    CPPUNIT_ASSERT(authenticate("Bearer " + _key.text));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _database->statements().size());
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, _authenticator->failures());
}

TEST(AuthenticatorTest, unknownKeyIsRememberedToo) {
    unknown();
    refusal("Bearer " + _key.text);
    refusal("Bearer " + _key.text);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _database->statements().size());
    CPPUNIT_ASSERT_EQUAL(0, _questions.load());
}

TEST(AuthenticatorTest, unknownKeyIsReadAgainAfterItsTime) {
    _settings.negativeTtl = 0ms;
    rebuild();
    _database->whenQuery("FROM api_keys").thenRows({}).thenRows({KeyRow{}.of(_key)});
    CPPUNIT_ASSERT(refusal("Bearer " + _key.text).kind() == ErrorKind::Unauthorized);
    CPPUNIT_ASSERT(authenticate("Bearer " + _key.text));
}

TEST(AuthenticatorTest, tooManyFailuresBlockTheAddress) {
    for (int i = 0; i < 3; ++i)
        CPPUNIT_ASSERT(refusal("").kind() == ErrorKind::Unauthorized);
    const auto blocked = refusal("");
    CPPUNIT_ASSERT(blocked.kind() == ErrorKind::RateLimited);
    CPPUNIT_ASSERT(blocked.retryAfter() >= 1 && blocked.retryAfter() <= 60);
    CPPUNIT_ASSERT(refusal("", Audience::Supplier, "192.0.2.2").kind() == ErrorKind::Unauthorized);
}

TEST(AuthenticatorTest, guessesThatAPluginVerifiesCountToo) {
    for (int i = 0; i < 3; ++i)
        CPPUNIT_ASSERT_THROW(_authenticator->verify("sk_guess", ADDRESS), ApiError);
    CPPUNIT_ASSERT(refusal("Bearer sk_guess").kind() == ErrorKind::RateLimited);
}

TEST(AuthenticatorTest, unknownKeyFromABlockedAddressIsRateLimited) {
    unknown();
    for (int i = 0; i < 3; ++i)
        refusal("");
    CPPUNIT_ASSERT(refusal("Bearer " + ApiKey::generate(KeyKind::Supplier).text).kind() == ErrorKind::RateLimited);
}

TEST(AuthenticatorTest, guessesTakeNoMemoryOfGoodKeys) {
    known({});
    authenticate("Bearer " + _key.text);
    const auto bytes = _memory.bytes();
    unknown();
    for (int i = 0; i < 100; ++i)
        refusal("Bearer " + ApiKey::generate(KeyKind::Supplier).text);
    CPPUNIT_ASSERT_EQUAL(bytes, _memory.bytes());
    const auto asked = _database->statements().size();
    authenticate("Bearer " + _key.text);
    CPPUNIT_ASSERT_EQUAL(asked, _database->statements().size());
}

TEST(AuthenticatorTest, goodKeyPassesFromABlockedAddressAlsoForTheFirstTime) {
    known({});
    for (int i = 0; i < 5; ++i)
        refusal("");
    CPPUNIT_ASSERT(authenticate("Bearer " + _key.text));
}

TEST(AuthenticatorTest, keyThatIsReadAgainPassesFromABlockedAddress) {
    known({.accounts = 2});
    authenticate("Bearer " + _key.text);
    for (int i = 0; i < 5; ++i)
        refusal("");
    CPPUNIT_ASSERT(authenticate("Bearer " + _key.text));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _database->statements().size());
}

TEST(AuthenticatorTest, rememberedKeysAreBounded) {
    const auto use = [&](const ApiKey& key) {
        std::this_thread::sleep_for(30ms); // the time of use is known to some milliseconds, more on a busy machine
        _database->whenQuery("FROM api_keys").thenRows({KeyRow{}.of(key)});
        const auto before = _database->statements().size();
        authenticate("Bearer " + key.text);
        return _database->statements().size() > before;
    };
    CPPUNIT_ASSERT(use(_key));
    const auto each = static_cast<std::size_t>(_memory.bytes());
    _memory.setBound(each * 10 + each / 2);
    std::vector<ApiKey> others;
    for (int i = 0; i < 10; ++i) {
        others.push_back(ApiKey::generate(KeyKind::Supplier));
        CPPUNIT_ASSERT(use(others.back()));
    }
    CPPUNIT_ASSERT(_memory.bytes() <= static_cast<std::int64_t>(each * 10 + each / 2));
    CPPUNIT_ASSERT(!use(others.back()));
    CPPUNIT_ASSERT(use(_key)); // it was pushed out, and whoever is nearly as old may be
}

TEST(AuthenticatorTest, forbiddenKeysDoNotCountAsFailures) {
    known({.revoked = true});
    for (int i = 0; i < 10; ++i)
        CPPUNIT_ASSERT(refusal("Bearer " + _key.text).kind() == ErrorKind::Forbidden);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t{0}, _authenticator->failures());
}

TEST(AuthenticatorTest, usedKeysAreToldOnce) {
    known({});
    authenticate("Bearer " + _key.text);
    authenticate("Bearer " + _key.text);
    const auto used = _authenticator->takeUsedKeys();
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, used.size());
    CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, used[0].keyId);
    CPPUNIT_ASSERT_EQUAL(std::string(ADDRESS), used[0].address);
    CPPUNIT_ASSERT(_authenticator->takeUsedKeys().empty());
}

// A stolen key, used between the many requests of its owner.
TEST(AuthenticatorTest, everyAddressIsToldOnceInItsOrder) {
    known({});
    const std::string_view others[] = {"198.51.100.7", "203.0.113.9"};
    for (const std::string_view address : {ADDRESS, others[0], ADDRESS, others[1], others[0], ADDRESS})
        authenticate("Bearer " + _key.text, Audience::Supplier, address);
    const auto used = _authenticator->takeUsedKeys();
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, used.size());
    CPPUNIT_ASSERT_EQUAL(std::string(ADDRESS), used[0].address);
    CPPUNIT_ASSERT_EQUAL(std::string(others[0]), used[1].address);
    CPPUNIT_ASSERT_EQUAL(std::string(others[1]), used[2].address);
    CPPUNIT_ASSERT(used[0].firstAt < used[1].firstAt && used[1].lastAt < used[0].lastAt);
}

TEST(AuthenticatorTest, addressesOfAKeyAreBounded) {
    known({});
    for (int i = 0; i < 1'000; ++i)
        authenticate("Bearer " + _key.text, Audience::Supplier, "192.0.2." + std::to_string(i));
    const auto used = _authenticator->takeUsedKeys();
    CPPUNIT_ASSERT_EQUAL(host::KeyUses::MAX_ADDRESSES, used.size());
    CPPUNIT_ASSERT_EQUAL(std::string("192.0.2.0"), used.front().address);
}

TEST(AuthenticatorTest, forbiddenUseIsNotTold) {
    known({.revoked = true});
    refusal("Bearer " + _key.text);
    CPPUNIT_ASSERT(_authenticator->takeUsedKeys().empty());
}

TEST(AuthenticatorTest, whoIsNeitherSupplierNorKeyIsNobodysSandbox) {
    CPPUNIT_ASSERT(!_authenticator->checkStanding(Principal{}));
}

TEST(AuthenticatorTest, standingOfAPrincipalIsCheckedLikeThatOfAKey) {
    const auto code = [&](const FakeRow& row, const Principal& principal) {
        rebuild();
        _database->whenQuery("LEFT JOIN suppliers s ON s.id = ?").thenRows({row});
        return thrownBy<ApiError>([&] { _authenticator->checkStanding(principal); }, "accepted").details().at(0).code;
    };
    const Principal ofKey = principal(3, 5);
    const Principal ofNoKey = principal(3, 0);
    CPPUNIT_ASSERT_EQUAL(std::string("key_revoked"), code({"verified", true, nullptr, false, 1}, ofKey));
    CPPUNIT_ASSERT_EQUAL(std::string("key_expired"),
                         code({"verified", false, std::time(nullptr) - 1, false, 1}, ofKey));
    CPPUNIT_ASSERT_EQUAL(std::string("supplier_suspended"), code({"suspended", true, nullptr, false, 1}, ofNoKey));
    CPPUNIT_ASSERT_EQUAL(std::string("supplier_unverified"), code({nullptr, true, nullptr, false, 1}, ofNoKey));
}

TEST(AuthenticatorTest, standingIsReadOnceWhileNoAccountChanges) {
    _database->whenQuery("LEFT JOIN suppliers s ON s.id = ?")
        .thenRows({{"verified", true, nullptr, true, 1}})
        .thenRows({{"suspended", true, nullptr, true, 2}});
    const Principal supplier = principal(3, 0);
    for (int i = 0; i < 2; ++i)
        CPPUNIT_ASSERT(_authenticator->checkStanding(supplier));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _database->statements().size());
    _accounts = 2;
    for (int i = 0; i < 2; ++i)
        CPPUNIT_ASSERT_THROW(_authenticator->checkStanding(supplier), ApiError);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _database->statements().size());
    const Principal operatorsKey = principal(0, 9);
    _database->whenQuery("LEFT JOIN suppliers s ON s.id = ?").thenRows({{nullptr, false, nullptr, false, 2}});
    for (int i = 0; i < 2; ++i)
        CPPUNIT_ASSERT(!_authenticator->checkStanding(operatorsKey));
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, _database->statements().size());
}

TEST(AuthenticatorTest, rememberedStandingsAreBounded) {
    _database->whenQuery("LEFT JOIN suppliers s ON s.id = ?").thenRows({{"verified", true, nullptr, false, 1}});
    const auto isRead = [&](std::int64_t supplierId) {
        std::this_thread::sleep_for(10ms);
        const auto before = _database->statements().size();
        _authenticator->checkStanding(principal(supplierId, 0));
        return _database->statements().size() > before;
    };
    CPPUNIT_ASSERT(isRead(1));
    const auto each = static_cast<std::size_t>(_memory.bytes());
    _memory.setBound(each * 10 + each / 2);
    for (std::int64_t supplier = 2; supplier <= 11; ++supplier)
        CPPUNIT_ASSERT(isRead(supplier));
    CPPUNIT_ASSERT(!isRead(11) && !isRead(2));
    CPPUNIT_ASSERT(isRead(1));
}

TEST(AuthenticatorTest, whatIsRememberedIsReadFromAnyThreadWhileAccountsChange) {
    known({});
    _database->whenQuery("LEFT JOIN suppliers s ON s.id = ?").thenRows({{"verified", true, nullptr, true, 1}});
    DatabaseThatIsOvertaken database(*_database);
    rebuildOn(database);
    together(4, [&](int thread) {
        for (int i = 0; i < 1'000; ++i) {
            const std::int64_t supplierId = 3 + (thread + i) % 8; // the third one's is the key
            CPPUNIT_ASSERT(authenticate("Bearer " + _key.text));
            CPPUNIT_ASSERT(_authenticator->checkStanding(principal(supplierId, 0)));
            _accounts = 1 + i % 2;
            _authenticator->takeUsedKeys();
        }
    });
    rebuild();
}

} // namespace supplierd::tests
