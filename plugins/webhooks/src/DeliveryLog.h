#pragma once

#include "EndpointStore.h"
#include "Message.h"

#include <supplierd/Request.h>
#include <supplierd/services/ChangeLog.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::webhooks {

/// A delivery as its owner looks at it. Times are ISO 8601 UTC.
struct LoggedDelivery {
    std::int64_t id = 0;
    std::int64_t endpointId = 0;
    std::string url;
    /// "waiting", "delivered" or "failed".
    std::string state;
    Message message;
    std::optional<std::string> body; ///< in a list not a large one
    bool hasBody = false;            ///< which is a full one, perhaps not sent yet
    bool isFull = false;
    std::string createdAt;
    std::string dueAt;
    std::int64_t attempts = 0;
    std::optional<std::string> attemptedAt;
    std::int64_t attemptedSeconds = 0; ///< since 1970
    std::optional<std::int64_t> tookMs;
    std::optional<std::int64_t> status;
    std::optional<std::string> error;
    std::optional<std::string> answer;
    /// Body and answer, which may repeat it, are not shown to who lacks this scope; empty: they are shown.
    std::string_view neededScope;
};

/// Leaves out what somebody may not read elsewhere.
void hideFrom(const Principal& reader, LoggedDelivery& delivery);
void writeJson(JsonWriter& json, const LoggedDelivery& delivery);

/// What came of a request to send again what changed.
struct Redelivered {
    std::size_t queued = 0;
    /// The number to go on from.
    std::int64_t lastChangeSeq = 0;
    bool hasMore = false;
    /// False: the change log does not go back that far.
    bool isComplete = true;
};

/// Deliveries for those who look at them, or want them once more. Thread: any. Throws DatabaseError.
class DeliveryLog {
public:
    DeliveryLog(EndpointStore& endpoints, ChangeLog& changes, AuditLog& audit, Crypto& crypto, const Settings& settings)
        : _endpoints(endpoints), _changes(changes), _audit(audit), _crypto(crypto), _settings(settings) {}

    /// Newest first. Throws ApiError: NotFound, Validation.
    Listed<LoggedDelivery> list(Database& database, std::int64_t supplierId, std::int64_t endpointId,
                                const QueryParameters& query) const;
    /// Throws ApiError (NotFound).
    LoggedDelivery require(SqlSession& session, std::int64_t supplierId, std::int64_t endpointId,
                           std::int64_t id) const;
    /// Throw ApiError: NotFound; Validation when the endpoint is switched off or too much waits for it.
    LoggedDelivery test(Transaction& transaction, std::int64_t supplierId, std::int64_t endpointId) const;
    LoggedDelivery redeliver(Transaction& transaction, std::int64_t supplierId, std::int64_t endpointId,
                             std::int64_t id, const Actor& actor) const;
    Redelivered redeliverSince(Transaction& transaction, std::int64_t supplierId, std::int64_t endpointId,
                               std::int64_t since, const Actor& actor) const;

private:
    Endpoint requireOpen(SqlSession& session, std::int64_t supplierId, std::int64_t endpointId) const;
    LoggedDelivery add(Transaction& transaction, const Endpoint& endpoint, const Message& message) const;

    EndpointStore& _endpoints;
    ChangeLog& _changes;
    AuditLog& _audit;
    Crypto& _crypto;
    const Settings _settings;
};

} // namespace supplierd::webhooks
