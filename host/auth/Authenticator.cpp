#include "host/auth/Authenticator.h"

#include "host/base/Digest.h"
#include "host/db/changes/ChangeLogStore.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <utility>

namespace supplierd::host {

namespace {

// Sessions run in UTC. A time that cannot be counted has passed. The number is of the moment of what stands beside it.
constexpr std::string_view FIND_KEY = R"sql(
SELECT k.id, k.key_hash, k.kind, k.supplier_id, k.hourly_limit, k.scopes,
       IF(k.expires_at IS NULL, NULL, COALESCE(TIMESTAMPDIFF(SECOND, '1970-01-01 00:00:00', k.expires_at), 0)),
       k.revoked_at IS NOT NULL, s.status, a.change_seq
FROM api_keys k
LEFT JOIN suppliers s ON s.id = k.supplier_id
LEFT JOIN supplier_state a ON a.supplier_id = ?
WHERE k.key_id = ?
)sql";

constexpr std::string_view FIND_STANDING = R"sql(
SELECT s.status, k.id IS NULL OR k.revoked_at IS NOT NULL,
       IF(k.expires_at IS NULL, NULL, COALESCE(TIMESTAMPDIFF(SECOND, '1970-01-01 00:00:00', k.expires_at), 0)),
       s.sandbox_of IS NOT NULL, a.change_seq
FROM (SELECT 1 AS one) AS nobody
LEFT JOIN supplier_state a ON a.supplier_id = ?
LEFT JOIN suppliers s ON s.id = ?
LEFT JOIN api_keys k ON k.id = ?
)sql";

constexpr std::string_view SCHEME = "bearer ";

/// Keys that there are not.
constexpr std::size_t MOST_UNKNOWN = 10'000;
/// Each is a question of the database's, before anything else is done for the request.
constexpr double WORTH = 8;

std::size_t bytesOf(const KeyRecord& record) {
    std::size_t bytes = sizeof record + sizeof(Sha256Digest) + record.principal.keyPrefix.capacity();
    for (const auto& scope : record.principal.scopes)
        bytes += sizeof(std::string) + scope.capacity();
    return bytes;
}

constexpr const char* OPERATOR_KEY_MISPLACED =
    "This is an operator's key (ok_), which belongs to /api/v1/platform: send a supplier's key (sk_) here";
constexpr const char* SUPPLIER_KEY_MISPLACED =
    "This is a supplier's key (sk_), which belongs to /api/v1/supplier: send an operator's key (ok_) here";

bool startsWithIgnoringCase(std::string_view text, std::string_view lowerCasePrefix) {
    return text.size() >= lowerCasePrefix.size() &&
           std::equal(lowerCasePrefix.begin(), lowerCasePrefix.end(), text.begin(),
                      [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
}

std::vector<std::string> splitScopes(std::string_view text) {
    std::vector<std::string> scopes;
    while (!text.empty()) {
        const auto space = text.find(' ');
        scopes.emplace_back(text.substr(0, space));
        text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
    }
    return scopes;
}

ApiError tooManyFailures(int retryAfter) {
    return ApiError(ErrorKind::RateLimited, "Too many failed authentications from this address")
        .withRetryAfter(retryAfter);
}

[[noreturn]] void forbid(const char* code, const char* message) {
    throw ApiError(ErrorKind::Forbidden, message, {{"", code, message}});
}

void requireStanding(const KeyRecord& record) {
    if (record.revoked)
        forbid("key_revoked", "This API key was revoked");
    if (record.expiresAt && *record.expiresAt <= std::time(nullptr))
        forbid("key_expired", "This API key has expired");
    if (record.principal.isOperator)
        return;
    if (record.supplierStatus == "suspended")
        forbid("supplier_suspended", "This supplier is suspended");
    if (record.supplierStatus != "verified")
        forbid("supplier_unverified", "This supplier is not verified");
}

} // namespace

std::size_t Authenticator::DigestHash::operator()(const Sha256Digest& digest) const noexcept {
    std::size_t hash = 0;
    std::memcpy(&hash, digest.data(), sizeof hash);
    return hash;
}

Authenticator::Authenticator(Database& database, AccountsQuestion atPresent, CacheMemory& memory,
                             const AuthSettings& settings, std::chrono::milliseconds believedAtMost)
    : _database(database),
      _atPresent(std::move(atPresent)),
      _believedAtMost(believedAtMost),
      _settings(settings),
      _limiter(settings.failuresPerMinute),
      _known(memory, "keys", WORTH),
      _standings(memory, "sessions' standings", WORTH) {}

std::shared_ptr<const KeyRecord> Authenticator::authenticate(std::string_view authorization, Audience audience,
                                                             std::string_view clientAddress,
                                                             const AccountsQuestion& accounts,
                                                             std::shared_ptr<const KeyRecord>* refused) {
    if (authorization.empty())
        refuse(clientAddress, "An API key is required: send the header 'Authorization: Bearer <API_KEY>'");
    if (!startsWithIgnoringCase(authorization, SCHEME))
        refuse(clientAddress, "The Authorization header must have the form 'Bearer <API_KEY>'");
    auto text = authorization.substr(SCHEME.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return accept(text, audience, clientAddress, accounts, refused);
}

Principal Authenticator::verify(std::string_view key, std::string_view clientAddress) {
    return accept(key, std::nullopt, clientAddress, _atPresent, nullptr)->principal;
}

std::shared_ptr<const KeyRecord> Authenticator::accept(std::string_view text, std::optional<Audience> wanted,
                                                       std::string_view clientAddress, const AccountsQuestion& accounts,
                                                       std::shared_ptr<const KeyRecord>* refused) {
    const auto key = ApiKey::parse(text);
    if (key && wanted && (key->kind == KeyKind::Operator) != (*wanted == Audience::Operator))
        refuse(clientAddress, key->kind == KeyKind::Operator ? OPERATOR_KEY_MISPLACED : SUPPLIER_KEY_MISPLACED);
    if (!key)
        refuse(clientAddress, "Invalid API key");
    auto record = find(*key, accounts);
    if (!record)
        refuse(clientAddress, "Invalid API key");
    if (refused)
        *refused = record;
    requireStanding(*record);
    noteUse(*record, clientAddress);
    return record;
}

void Authenticator::noteUse(const KeyRecord& record, std::string_view clientAddress) {
    const auto now = UsedKey::Clock::now();
    const std::lock_guard lock(_usedMutex);
    _used.note(record.principal.keyId, clientAddress, now);
}

/// Also for an address that is blocked: whoever has a good key is none of those who guess there.
std::shared_ptr<const KeyRecord> Authenticator::find(const ApiKey& key, const AccountsQuestion& accounts) {
    const auto digest = sha256(key.text);
    auto record = _known.find(digest);
    if (!record) {
        const std::lock_guard lock(_mutex);
        if (const auto unknown = _unknown.find(digest);
            unknown != _unknown.end() && std::chrono::steady_clock::now() < unknown->second)
            return nullptr;
    }
    if (record && isYoung(*record) && record->accounts == accounts(record->principal.supplierId))
        return record;
    record = load(key, digest);
    remember(digest, record);
    return record;
}

bool Authenticator::isYoung(const KeyRecord& record) const {
    return std::chrono::steady_clock::now() < record.readAt + _believedAtMost;
}

std::shared_ptr<const KeyRecord> Authenticator::load(const ApiKey& key, const Sha256Digest& digest) {
    return _database.read([&](SqlSession& session) -> std::shared_ptr<const KeyRecord> {
        auto& row = session.query(FIND_KEY, {ChangeLogStore::ACCOUNTS, key.keyId});
        if (!row.next() || !equalInConstantTime(row.text(1), asBytes(digest)) || row.text(2) != keyKindName(key.kind))
            return nullptr;
        auto record = std::make_shared<KeyRecord>();
        record->principal.keyId = row.integer(0);
        record->principal.supplierId = row.integer(3);
        record->principal.keyPrefix = key.prefix();
        record->principal.isOperator = key.kind == KeyKind::Operator;
        record->hourlyLimit = row.integer(4);
        record->principal.scopes = splitScopes(row.text(5));
        record->principal.hasAllScopes = record->principal.scopes.empty();
        record->expiresAt = row.maybeInteger(6);
        record->revoked = row.boolean(7);
        record->isSandbox = key.kind == KeyKind::Sandbox;
        record->supplierStatus = row.text(8);
        record->accounts = row.integer(9);
        return record;
    });
}

bool Authenticator::checkStanding(const Principal& principal) {
    if (principal.supplierId == 0 && principal.keyId == 0)
        return false;
    const SupplierAndKey wanted(principal.supplierId, principal.keyId);
    auto record = _standings.find(wanted);
    if (!record || !isYoung(*record) || record->accounts != _atPresent(principal.supplierId)) {
        record = loadStanding(principal);
        _standings.keep(wanted, record, bytesOf(*record), [](const KeyRecord&) { return true; });
    }
    requireStanding(*record);
    return record->isSandbox;
}

std::shared_ptr<const KeyRecord> Authenticator::loadStanding(const Principal& principal) {
    return _database.read([&](SqlSession& session) -> std::shared_ptr<const KeyRecord> {
        auto& row = session.query(FIND_STANDING, {ChangeLogStore::ACCOUNTS, principal.supplierId, principal.keyId});
        if (!row.next())
            throw std::logic_error("a query that has a row always had none");
        auto record = std::make_shared<KeyRecord>();
        record->principal.isOperator = principal.supplierId == 0;
        record->supplierStatus = row.text(0);
        record->revoked = principal.keyId != 0 && row.boolean(1);
        record->expiresAt = row.maybeInteger(2);
        record->isSandbox = row.boolean(3);
        record->accounts = row.integer(4);
        return record;
    });
}

void Authenticator::remember(const Sha256Digest& digest, const std::shared_ptr<const KeyRecord>& record) {
    if (record)
        return _known.keep(digest, record, bytesOf(*record), [](const KeyRecord&) { return true; });
    _known.remove(digest);
    const std::lock_guard lock(_mutex);
    if (_unknown.size() >= MOST_UNKNOWN && !_unknown.contains(digest)) // apart: guesses push no good key out
        _unknown.clear();
    _unknown[digest] = std::chrono::steady_clock::now() + _settings.negativeTtl;
}

void Authenticator::refuse(std::string_view clientAddress, const char* message) {
    if (const int seconds = _limiter.take(clientAddress); seconds > 0)
        throw tooManyFailures(seconds);
    _failures.fetch_add(1, std::memory_order_relaxed);
    throw ApiError(ErrorKind::Unauthorized, message);
}

std::vector<UsedKey> Authenticator::takeUsedKeys() {
    const std::lock_guard lock(_usedMutex);
    return _used.take();
}

} // namespace supplierd::host
