#pragma once

#include "Settings.h"

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/ListPage.h>
#include <supplierd/services/Accounts.h>
#include <supplierd/services/AuditLog.h>
#include <supplierd/services/Crypto.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::webhooks {

/// Why the server has switched an endpoint off.
struct DisabledReason {
    static constexpr std::string_view GONE = "gone";       ///< it answered 410
    static constexpr std::string_view FAILING = "failing"; ///< it took nothing for days
    static constexpr std::string_view BACKLOG = "backlog"; ///< more waits than may
    static constexpr std::string_view OWNER = "owner";     ///< whoever it belongs to did
    /// An operator did: its owner cannot switch it on again.
    static constexpr std::string_view OPERATOR = "operator";
};

/// Where a supplier wants to be told of what. Times are ISO 8601 UTC.
struct Endpoint {
    std::int64_t id = 0;
    std::int64_t supplierId = 0;
    std::string supplierName; ///< for operators only
    std::string url;          ///< empty: its deliveries are posted nowhere, and are read in their list
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
/// As operators see it: with whose it is.
void writeOperatorJson(JsonWriter& json, const Endpoint& endpoint);
/// What its owner has to know.
std::optional<std::string> noticeOf(const Endpoint& endpoint);
/// The names of the events that it wants.
std::vector<std::string_view> eventNamesOf(const Endpoint& endpoint);
/// "on", "off" or "failing".
std::string_view stateOf(const Endpoint& endpoint);

/// What of an endpoint is set; what is nothing stays as it is.
struct EndpointChange {
    std::optional<std::string> url; ///< empty: none
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
    EndpointStore(AuditLog& audit, Accounts& accounts, Crypto& crypto, const Settings& settings)
        : _audit(audit), _accounts(accounts), _crypto(crypto), _settings(settings) {}

    /// Newest first; those of one supplier.
    Listed<Endpoint> list(Database& database, std::int64_t supplierId, const QueryParameters& query) const;
    std::optional<Endpoint> find(SqlSession& session, std::int64_t supplierId, std::int64_t id) const;
    /// Throws ApiError (NotFound).
    Endpoint require(SqlSession& session, std::int64_t supplierId, std::int64_t id) const;
    /// `wanted` has URL and events. Throws ApiError (Validation) when the supplier has as many as there may be.
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

    // For operators: those of all suppliers.

    /// Newest first; the query may have `supplier_id`, `state` and `sandbox`. Throws ApiError (Validation).
    Listed<Endpoint> listAll(Database& database, const QueryParameters& query) const;
    /// Throws ApiError (NotFound).
    Endpoint requireAny(SqlSession& session, std::int64_t id) const;
    /// What an operator has switched off its owner cannot switch on; an operator may switch on whatever is off. Nothing
    /// is recorded when it is so already. Throws ApiError (NotFound).
    Endpoint setEnabled(Transaction& transaction, std::int64_t id, bool isEnabled, const Actor& actor) const;

private:
    /// Throws ApiError (Validation).
    void requireRoom(Transaction& transaction, std::int64_t supplierId) const;
    /// Whoever takes both rows of an endpoint takes that of its queue first.
    Endpoint lock(Transaction& transaction, std::int64_t supplierId, std::int64_t id) const;
    void record(Transaction& transaction, const Actor& actor, std::string_view verb, const Endpoint& endpoint,
                const std::string& before, const std::string& after) const;

    AuditLog& _audit;
    Accounts& _accounts;
    Crypto& _crypto;
    const Settings _settings;
};

/// For a limit that waiting does not raise.
ApiError tooMany(std::string message);

} // namespace supplierd::webhooks
