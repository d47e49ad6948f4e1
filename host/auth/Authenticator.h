#pragma once

#include "host/auth/AddressLimiter.h"
#include "host/auth/ApiKey.h"
#include "host/auth/KeyUseRecorder.h"
#include "host/auth/RateLimiter.h"
#include "host/auth/Revocation.h"
#include "host/base/Digest.h"
#include "host/config/Settings.h"

#include <supplierd/Database.h>
#include <supplierd/Errors.h>
#include <supplierd/Request.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
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
    Principal principal;
    std::int64_t hourlyLimit = 0;          ///< 0: the configured default
    std::optional<std::int64_t> expiresAt; ///< Unix seconds; none: never
    bool revoked = false;
    bool isSandbox = false;
    std::string supplierStatus;
};

/// Finds who is calling. Answers from a bounded cache; a cached answer is younger than the TTL, so a revocation takes
/// effect within it, or at once where forget() is called. Thread: any.
class Authenticator {
public:
    /// `rates` gets what the database knows of a key's windows. Both must outlive it.
    Authenticator(Database& database, const AuthSettings& settings, RateLimiter& rates);

    /// Throws ApiError: Unauthorized (no key, malformed, unknown, or of the other audience), Forbidden (revoked,
    /// expired, supplier not verified or suspended), RateLimited (too many failures from this address; a good key
    /// passes all the same). `refused`, when given, learns whose key it was even when that
    /// one is Forbidden.
    std::shared_ptr<const KeyRecord> authenticate(std::string_view authorization, Audience audience,
                                                  std::string_view clientAddress,
                                                  std::shared_ptr<const KeyRecord>* refused = nullptr);

    /// Whose key this is, of whichever audience. Throws as authenticate() does.
    Principal verify(std::string_view key, std::string_view clientAddress);

    /// Whether the supplier, and the key if it has one, of a principal that came without a key may be served; an answer
    /// is remembered for as long as a key's. Returns whether it is a sandbox. Throws ApiError (Forbidden).
    bool checkStanding(const Principal& principal);

    /// Before the first request; they outlive it. Failures are counted there then.
    void share(SharedCounts* counts) { _limiter.share(counts, "failures"); }

    /// What is remembered of it, or is being read just now, is not believed any more.
    void forget(const Revocation& revocation);
    void forgetAll();

    /// Keys used since the last call, each with its addresses in the order in which they came.
    std::vector<UsedKey> takeUsedKeys();
    std::uint64_t failures() const { return _failures.load(std::memory_order_relaxed); }

private:
    struct Entry {
        std::shared_ptr<const KeyRecord> record; ///< null: there is no such key
        std::chrono::steady_clock::time_point validUntil;
    };
    struct DigestHash {
        std::size_t operator()(const Sha256Digest& digest) const noexcept;
    };

    std::shared_ptr<const KeyRecord> accept(std::string_view text, std::optional<Audience> wanted,
                                            std::string_view clientAddress, std::shared_ptr<const KeyRecord>* refused);
    std::shared_ptr<const KeyRecord> find(const ApiKey& key);
    std::shared_ptr<const KeyRecord> loadStanding(const Principal& principal);
    std::shared_ptr<const KeyRecord> load(const ApiKey& key, const Sha256Digest& digest);
    template <class Concerns>
    void forgetThose(const Concerns& concerns);
    /// `readSince`: _forgettings before it was read.
    void remember(const Sha256Digest& digest, Entry entry, std::uint64_t readSince);
    void noteUse(const KeyRecord& record, std::string_view clientAddress);
    [[noreturn]] void refuse(std::string_view clientAddress, const char* message);

    Database& _database;
    AuthSettings _settings;
    RateLimiter& _rates;
    AddressLimiter _limiter;
    std::atomic<std::uint64_t> _failures{0};
    std::mutex _mutex;
    std::atomic<std::uint64_t> _forgettings{0}; ///< written under the lock
    std::unordered_map<Sha256Digest, Entry, DigestHash> _cache;
    std::map<std::pair<std::int64_t, std::int64_t>, Entry> _standings; ///< by supplier and key; locked as the cache is
    std::mutex _usedMutex;
    KeyUses _used;
};

} // namespace supplierd::host
