#pragma once

#include "host/auth/AddressLimiter.h"
#include "host/auth/ApiKey.h"
#include "host/auth/KeyUseRecorder.h"
#include "host/auth/SharedCounts.h"
#include "host/base/Digest.h"
#include "host/config/Settings.h"

#include <supplierd/BoundedCache.h>
#include <supplierd/Database.h>
#include <supplierd/Errors.h>
#include <supplierd/Request.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace supplierd::host {

/// What the database says of a key: never changed once made, so it is shared without a lock.
struct KeyRecord {
    /// When all of it had been read.
    std::chrono::steady_clock::time_point readAt = std::chrono::steady_clock::now();
    std::int64_t accounts = 0; ///< that of ChangeLogStore::ACCOUNTS at that moment
    Principal principal;
    std::int64_t hourlyLimit = 0;          ///< 0: the configured default
    std::optional<std::int64_t> expiresAt; ///< Unix seconds; none: never
    bool revoked = false;
    bool isSandbox = false;
    std::string supplierStatus;
};

/// Asks the database for the number of ChangeLogStore::ACCOUNTS. The supplier is whose number is of use next, so that
/// one question may be for both; 0: nobody's.
using AccountsQuestion = std::function<std::int64_t(std::int64_t supplierId)>;

/// Finds who is calling. What it has read of a key it keeps in a bounded cache, under the number of accounts at that
/// moment, and believes while a question that was asked for the request says that number: so a revocation is in effect
/// for whoever comes after it, on each server. Thread: any.
class Authenticator {
public:
    /// The database must outlive it, and `atPresent` is for those who have no question of a request's own.
    /// `believedAtMost`: then it is read again, whatever the number says.
    Authenticator(Database& database, AccountsQuestion atPresent, CacheMemory& memory, const AuthSettings& settings,
                  std::chrono::milliseconds believedAtMost = std::chrono::seconds(30));

    /// Throws ApiError: Unauthorized (no key, malformed, unknown, or of the other audience), Forbidden (revoked,
    /// expired, supplier not verified or suspended), RateLimited (too many failures from this address; a good key
    /// passes all the same), Unavailable (the database is away). `refused`, when given, learns whose key it was even
    /// when that one is Forbidden.
    std::shared_ptr<const KeyRecord> authenticate(std::string_view authorization, Audience audience,
                                                  std::string_view clientAddress, const AccountsQuestion& accounts,
                                                  std::shared_ptr<const KeyRecord>* refused = nullptr);

    /// Whose key this is, of whichever audience. Throws as authenticate() does.
    Principal verify(std::string_view key, std::string_view clientAddress);

    /// Whether the supplier, and the key if it has one, of a principal that came without a key may be served; an answer
    /// is kept and believed as a key's is. Returns whether it is a sandbox. Throws ApiError (Forbidden).
    bool checkStanding(const Principal& principal);

    /// Before the first request; they outlive it. Failures are counted there then.
    void share(SharedCounts* counts) { _limiter.share(counts, "failures"); }

    /// Keys used since the last call, each with its addresses in the order in which they came.
    std::vector<UsedKey> takeUsedKeys();
    std::uint64_t failures() const { return _failures.load(std::memory_order_relaxed); }

private:
    struct DigestHash {
        std::size_t operator()(const Sha256Digest& digest) const noexcept;
    };
    using SupplierAndKey = std::pair<std::int64_t, std::int64_t>;
    struct PairHash {
        std::size_t operator()(const SupplierAndKey& pair) const noexcept {
            return std::hash<std::int64_t>()(pair.first) * 31 + std::hash<std::int64_t>()(pair.second);
        }
    };

    std::shared_ptr<const KeyRecord> accept(std::string_view text, std::optional<Audience> wanted,
                                            std::string_view clientAddress, const AccountsQuestion& accounts,
                                            std::shared_ptr<const KeyRecord>* refused);
    std::shared_ptr<const KeyRecord> find(const ApiKey& key, const AccountsQuestion& accounts);
    std::shared_ptr<const KeyRecord> loadStanding(const Principal& principal);
    /// Who changes an account in the database by hand, or with a former release, does not raise the number.
    bool isYoung(const KeyRecord& record) const;
    std::shared_ptr<const KeyRecord> load(const ApiKey& key, const Sha256Digest& digest);
    /// Null: there is no such key.
    void remember(const Sha256Digest& digest, const std::shared_ptr<const KeyRecord>& record);
    void noteUse(const KeyRecord& record, std::string_view clientAddress);
    [[noreturn]] void refuse(std::string_view clientAddress, const char* message);

    Database& _database;
    const AccountsQuestion _atPresent;
    const std::chrono::milliseconds _believedAtMost;
    AuthSettings _settings;
    AddressLimiter _limiter;
    std::atomic<std::uint64_t> _failures{0};
    BoundedCache<Sha256Digest, KeyRecord, DigestHash> _known;
    BoundedCache<SupplierAndKey, KeyRecord, PairHash> _standings;
    std::mutex _mutex; ///< of the following
    /// Of keys that there are not: until when that is believed.
    std::unordered_map<Sha256Digest, std::chrono::steady_clock::time_point, DigestHash> _unknown;
    std::mutex _usedMutex;
    KeyUses _used;
};

} // namespace supplierd::host
