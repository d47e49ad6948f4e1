#pragma once

#include "EventTypes.h"

#include <supplierd/services/Crypto.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::webhooks {

/// What is told. Who gets it, and what becomes of it, is a Delivery.
struct Message {
    std::size_t event = TEST_EVENT;
    /// 0: of no change.
    std::int64_t changeSeq = 0;
    /// ISO 8601 UTC.
    std::string occurredAt;
    std::vector<std::int64_t> objects;
    /// Any of the supplier's may have changed; `objects` is empty.
    bool areAll = false;
    /// Standard Webhooks' `webhook-id`: the same whenever, and to whomever, the same thing is told.
    std::string id;
};

/// So many objects stand in one thin message.
inline constexpr std::size_t MAX_OBJECTS = 1'000;

/// What a change is to an endpoint: `events` are bits of bitOf(). Full messages have one object each.
std::vector<Message> messagesOf(std::int64_t supplierId, const ChangeEntry& entry, std::int64_t events, bool isFull);
/// Of all changes of a page of the change log.
std::vector<Message> messagesOf(std::int64_t supplierId, const ChangePage& page, std::int64_t events, bool isFull);

/// The body that is sent: `{ type, timestamp, data }`. `object`: the JSON of the object that the message is about,
/// which stands under the name of its subject; "": it is thin.
std::string bodyOf(const Message& message, std::string_view object = {});

/// Standard Webhooks' `webhook-signature`: one for each key, with a blank between.
std::string signatureOf(Crypto& crypto, std::span<const std::string> keys, std::string_view id, std::int64_t timestamp,
                        std::string_view body);

/// "whsec_" and 32 random bytes in base64.
std::string newSecret(Crypto& crypto);
/// The bytes of a secret.
std::string keyOf(std::string_view secret);

} // namespace supplierd::webhooks
