#pragma once

#include "Settings.h"

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/ListPage.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/Crypto.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::webhooks {

/// Why the server has switched an endpoint off.
struct DisabledReason {
    static constexpr std::string_view GONE = "gone";       ///< it answered 410
    static constexpr std::string_view FAILING = "failing"; ///< it took nothing for days
    static constexpr std::string_view BACKLOG = "backlog"; ///< more waits than may
    static constexpr std::string_view OWNER = "owner";     ///< whoever it belongs to did
};

/// Where a supplier wants to be told of what. Times are ISO 8601 UTC.
struct Endpoint {
    std::int64_t id = 0;
    std::int64_t supplierId = 0;
    std::string url;
    std::optional<std::string> description;
    std::int64_t events = 0; ///< bits of bitOf()
    bool isFull = false;
    bool isEnabled = true;
    std::optional<std::string> disabledReason;
    std::optional<std::string> disabledAt;
    std::optional<std::string> oldSecretUntil;
    std::string createdAt;
    std::string updatedAt;
    std::int64_t backlog = 0;
    std::int64_t failures = 0;
    std::optional<std::string> failingSince;
    std::optional<std::string> deliveredAt;
};

/// As the API shows it; `secret` is there only once.
void writeJson(JsonWriter& json, const Endpoint& endpoint, const std::optional<std::string>& secret = std::nullopt);

/// What of an endpoint is set; what is nothing stays as it is.
struct EndpointChange {
    std::optional<std::string> url;
    std::optional<std::optional<std::string>> description;
    std::optional<std::int64_t> events;
    std::optional<bool> isFull;
    std::optional<bool> isEnabled;
};

struct NewEndpoint {
    Endpoint endpoint;
    std::string secret;
};

/// What an endpoint gets of a supplier's changes.
struct Subscription {
    std::int64_t endpointId = 0;
    std::int64_t events = 0;
    bool isFull = false;
    std::int64_t backlog = 0;
};

/// The endpoints, with the audit log. Thread: any. Throws DatabaseError.
class EndpointStore {
public:
    EndpointStore(AuditLog& audit, Crypto& crypto, const Settings& settings)
        : _audit(audit), _crypto(crypto), _settings(settings) {}

    /// Newest first; those of one supplier.
    Listed<Endpoint> list(Database& database, std::int64_t supplierId, const QueryParameters& query) const;
    std::optional<Endpoint> find(SqlSession& session, std::int64_t supplierId, std::int64_t id) const;
    /// Throws ApiError (NotFound).
    Endpoint require(SqlSession& session, std::int64_t supplierId, std::int64_t id) const;
    /// `wanted` has URL and events. Throws ApiError (Conflict) when the supplier has as many as there may be.
    NewEndpoint create(Transaction& transaction, std::int64_t supplierId, const EndpointChange& wanted,
                       const Actor& actor) const;
    Endpoint change(Transaction& transaction, std::int64_t supplierId, std::int64_t id, const EndpointChange& wanted,
                    const Actor& actor) const;
    void remove(Transaction& transaction, std::int64_t supplierId, std::int64_t id, const Actor& actor) const;
    /// Both secrets are good for a while.
    NewEndpoint rotateSecret(Transaction& transaction, std::int64_t supplierId, std::int64_t id,
                             const Actor& actor) const;

    std::vector<Subscription> subscriptions(SqlSession& session, std::int64_t supplierId) const;
    /// By the server itself; nothing when it is so already.
    void disable(Transaction& transaction, std::int64_t id, std::string_view reason) const;

private:
    /// Whoever takes both rows of an endpoint takes that of its queue first.
    Endpoint lock(Transaction& transaction, std::int64_t supplierId, std::int64_t id) const;
    void record(Transaction& transaction, const Actor& actor, std::string_view verb, const Endpoint& endpoint,
                const std::string& before, const std::string& after) const;

    AuditLog& _audit;
    Crypto& _crypto;
    const Settings _settings;
};

} // namespace supplierd::webhooks
