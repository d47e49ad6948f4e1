#include "host/auth/Authenticator.h"

#include "host/base/Digest.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <stdexcept>

namespace supplierd::host {

namespace {

// Sessions run in UTC. A time that cannot be counted has passed.
constexpr std::string_view FIND_KEY = R"sql(
SELECT k.id, k.key_hash, k.kind, k.supplier_id, k.hourly_limit, k.scopes,
       IF(k.expires_at IS NULL, NULL, COALESCE(TIMESTAMPDIFF(SECOND, '1970-01-01 00:00:00', k.expires_at), 0)),
       k.revoked_at IS NOT NULL, s.status,
       w.window_id, TIMESTAMPDIFF(MICROSECOND, w.started_at, NOW(6)), w.used,
       a.window_id, TIMESTAMPDIFF(MICROSECOND, a.started_at, NOW(6)), a.used
FROM api_keys k
LEFT JOIN suppliers s ON s.id = k.supplier_id
LEFT JOIN rate_limit_windows w ON w.key_id = k.id
LEFT JOIN rate_limit_windows a ON a.key_id = -k.supplier_id
WHERE k.key_id = ?
)sql";

constexpr std::string_view FIND_STANDING = R"sql(
SELECT s.status, k.id IS NULL OR k.revoked_at IS NOT NULL,
       IF(k.expires_at IS NULL, NULL, COALESCE(TIMESTAMPDIFF(SECOND, '1970-01-01 00:00:00', k.expires_at), 0)),
       s.sandbox_of IS NOT NULL
FROM (SELECT 1 AS one) AS nobody
LEFT JOIN suppliers s ON s.id = ?
LEFT JOIN api_keys k ON k.id = ?
)sql";

constexpr std::string_view SCHEME = "bearer ";

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

Authenticator::Authenticator(Database& database, const AuthSettings& settings, RateLimiter& rates)
    : _database(database), _settings(settings), _rates(rates), _limiter(settings.failuresPerMinute) {}

std::shared_ptr<const KeyRecord> Authenticator::authenticate(std::string_view authorization, Audience audience,
                                                             std::string_view clientAddress,
                                                             std::shared_ptr<const KeyRecord>* refused) {
    if (authorization.empty())
        refuse(clientAddress, "An API key is required: send the header 'Authorization: Bearer <API_KEY>'");
    if (!startsWithIgnoringCase(authorization, SCHEME))
        refuse(clientAddress, "The Authorization header must have the form 'Bearer <API_KEY>'");
    auto text = authorization.substr(SCHEME.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return accept(text, audience, clientAddress, refused);
}

Principal Authenticator::verify(std::string_view key, std::string_view clientAddress) {
    return accept(key, std::nullopt, clientAddress, nullptr)->principal;
}

std::shared_ptr<const KeyRecord> Authenticator::accept(std::string_view text, std::optional<Audience> wanted,
                                                       std::string_view clientAddress,
                                                       std::shared_ptr<const KeyRecord>* refused) {
    const auto key = ApiKey::parse(text);
    if (key && wanted && (key->kind == KeyKind::Operator) != (*wanted == Audience::Operator))
        refuse(clientAddress, key->kind == KeyKind::Operator ? OPERATOR_KEY_MISPLACED : SUPPLIER_KEY_MISPLACED);
    if (!key)
        refuse(clientAddress, "Invalid API key");
    auto record = find(*key);
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
std::shared_ptr<const KeyRecord> Authenticator::find(const ApiKey& key) {
    const auto digest = sha256(key.text);
    const auto now = std::chrono::steady_clock::now();
    {
        const std::lock_guard lock(_mutex);
        const auto cached = _cache.find(digest);
        if (cached != _cache.end() && now < cached->second.validUntil)
            return cached->second.record;
    }
    const auto readSince = _forgettings.load();
    auto record = load(key, digest);
    remember(digest, {record, now + (record ? _settings.cacheTtl : _settings.negativeTtl)}, readSince);
    return record;
}

std::shared_ptr<const KeyRecord> Authenticator::load(const ApiKey& key, const Sha256Digest& digest) {
    return _database.read([&](SqlSession& session) -> std::shared_ptr<const KeyRecord> {
        const auto readAt = std::chrono::steady_clock::now();
        auto& row = session.query(FIND_KEY, {key.keyId});
        if (!row.next() || !equalInConstantTime(row.text(1), asBytes(digest)) || row.text(2) != keyKindName(key.kind))
            return nullptr;
        auto record = std::make_shared<KeyRecord>();
        record->principal.keyId = row.integer(0);
        record->principal.supplierId = row.integer(3);
        record->principal.keyPrefix = key.prefix();
        record->principal.isOperator = key.kind == KeyKind::Operator;
        record->hourlyLimit = row.integer(4);
        record->principal.scopes = splitScopes(row.text(5));
        record->expiresAt = row.maybeInteger(6);
        record->revoked = row.boolean(7);
        record->isSandbox = key.kind == KeyKind::Sandbox;
        record->supplierStatus = row.text(8);
        const auto merge = [&](std::int64_t id, std::size_t column) {
            if (const auto windowId = row.maybeInteger(column))
                _rates.merge(id, {*windowId, std::chrono::microseconds(row.integer(column + 1)),
                                  row.integer(column + 2), readAt});
        };
        merge(record->principal.keyId, 9);
        merge(RateLimiter::windowOfSupplier(record->principal.supplierId), 12);
        return record;
    });
}

bool Authenticator::checkStanding(const Principal& principal) {
    if (principal.supplierId == 0 && principal.keyId == 0)
        return false;
    const std::pair wanted(principal.supplierId, principal.keyId);
    const auto now = std::chrono::steady_clock::now();
    std::shared_ptr<const KeyRecord> record;
    {
        const std::lock_guard lock(_mutex);
        const auto known = _standings.find(wanted);
        if (known != _standings.end() && now < known->second.validUntil)
            record = known->second.record;
    }
    if (!record) {
        const auto readSince = _forgettings.load();
        record = loadStanding(principal);
        const std::lock_guard lock(_mutex);
        if (_standings.size() >= static_cast<std::size_t>(_settings.cacheSize))
            _standings.clear(); // what is remembered is young anyway
        if (readSince == _forgettings)
            _standings[wanted] = {record, now + _settings.cacheTtl};
    }
    requireStanding(*record);
    return record->isSandbox;
}

std::shared_ptr<const KeyRecord> Authenticator::loadStanding(const Principal& principal) {
    return _database.read([&](SqlSession& session) -> std::shared_ptr<const KeyRecord> {
        auto& row = session.query(FIND_STANDING, {principal.supplierId, principal.keyId});
        if (!row.next())
            throw std::logic_error("a query that has a row always had none");
        auto record = std::make_shared<KeyRecord>();
        record->principal.isOperator = principal.supplierId == 0;
        record->supplierStatus = row.text(0);
        record->revoked = principal.keyId != 0 && row.boolean(1);
        record->expiresAt = row.maybeInteger(2);
        record->isSandbox = row.boolean(3);
        return record;
    });
}

template <class Concerns>
void Authenticator::forgetThose(const Concerns& concerns) {
    const std::lock_guard lock(_mutex);
    ++_forgettings;
    for (auto& [digest, entry] : _cache) // asked for anew; that it was good once still lets it past a blocked address
        if (entry.record && concerns(entry.record->principal.keyId, entry.record->principal.supplierId))
            entry.validUntil = {};
    std::erase_if(_standings, [&](const auto& entry) { return concerns(entry.first.second, entry.first.first); });
}

void Authenticator::forget(const Revocation& revocation) {
    forgetThose([&](std::int64_t keyId, std::int64_t supplierId) {
        return (revocation.keyId != 0 && keyId == revocation.keyId) ||
               (revocation.supplierId != 0 && supplierId == revocation.supplierId);
    });
}

void Authenticator::forgetAll() {
    forgetThose([](std::int64_t, std::int64_t) { return true; });
}

void Authenticator::remember(const Sha256Digest& digest, Entry entry, std::uint64_t readSince) {
    const std::lock_guard lock(_mutex);
    if (readSince != _forgettings) // it may have been read before what made somebody forget
        return;
    if (_cache.size() >= static_cast<std::size_t>(_settings.cacheSize) && !_cache.contains(digest)) {
        const auto now = std::chrono::steady_clock::now();
        std::erase_if(_cache, [now](const auto& e) { return e.second.validUntil <= now; });
        if (_cache.size() >= static_cast<std::size_t>(_settings.cacheSize)) {
            if (!entry.record) // guesses push no good key out
                return;
            _cache.erase(_cache.begin());
        }
    }
    _cache[digest] = std::move(entry);
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
