#include "Message.h"

#include <supplierd/JsonWriter.h>

#include <Poco/Base64Decoder.h>
#include <Poco/Base64Encoder.h>

#include <algorithm>
#include <iterator>
#include <sstream>

namespace supplierd::webhooks {

namespace {

constexpr std::string_view SECRET_PREFIX = "whsec_";
constexpr std::size_t SECRET_BYTES = 32;

std::string base64(std::string_view bytes) {
    std::ostringstream text;
    Poco::Base64Encoder encoder(text);
    encoder.rdbuf()->setLineLength(0);
    encoder << bytes;
    encoder.close();
    return text.str();
}

/// No dots: they separate what is signed.
std::string messageId(std::int64_t supplierId, std::int64_t seq, std::size_t event, std::string_view place) {
    std::string type(EVENT_TYPES.at(event).name);
    std::ranges::replace(type, '.', '-');
    return "evt_" + std::to_string(supplierId) + "_" + std::to_string(seq) + "_" + type + "_" + std::string(place);
}

void addMessages(std::vector<Message>& messages, std::int64_t supplierId, const ChangeEntry& entry,
                 const ChangedObjects& changed, std::size_t event, std::size_t atOnce) {
    Message message;
    message.event = event;
    message.changeSeq = entry.seq;
    message.occurredAt = entry.changedAt;
    if (changed.areAll) {
        message.areAll = true;
        message.id = messageId(supplierId, entry.seq, event, "all");
        messages.push_back(std::move(message));
        return;
    }
    for (std::size_t begin = 0; begin < changed.ids.size(); begin += atOnce) {
        const auto first = changed.ids.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto count = std::min(atOnce, changed.ids.size() - begin);
        message.objects.assign(first, first + static_cast<std::ptrdiff_t>(count));
        message.id = messageId(supplierId, entry.seq, event, std::to_string(*first));
        messages.push_back(message);
    }
}

} // namespace

std::vector<Message> messagesOf(std::int64_t supplierId, const ChangeEntry& entry, std::int64_t events, bool isFull) {
    std::vector<Message> messages;
    for (const ChangedObjects& changed : entry.objects)
        if (const auto event = eventOfChange(changed.kind); event && (events & bitOf(*event)) != 0)
            addMessages(messages, supplierId, entry, changed, *event, isFull ? 1 : MAX_OBJECTS);
    return messages;
}

std::vector<Message> messagesOf(std::int64_t supplierId, const ChangePage& page, std::int64_t events, bool isFull) {
    std::vector<Message> messages;
    for (const ChangeEntry& entry : page.entries) {
        auto some = messagesOf(supplierId, entry, events, isFull);
        messages.insert(messages.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    }
    return messages;
}

std::string bodyOf(const Message& message, std::string_view object) {
    const EventType& type = EVENT_TYPES.at(message.event);
    std::string body;
    JsonWriter json(body);
    json.beginObject().field("type", type.name).field("timestamp", message.occurredAt).key("data").beginObject();
    if (message.changeSeq != 0)
        json.field("change_seq", message.changeSeq);
    if (type.subject != Subject::None) {
        json.field("object", nameOf(type.subject)).field("all", message.areAll).key("ids").beginArray();
        for (const std::int64_t id : message.objects)
            json.value(id);
        json.endArray();
        if (!object.empty())
            json.key(nameOf(type.subject)).raw(object);
    }
    json.endObject().endObject();
    return body;
}

std::string signatureOf(Crypto& crypto, std::span<const std::string> keys, std::string_view id, std::int64_t timestamp,
                        std::string_view body) {
    std::string toSign(id);
    toSign.append(".").append(std::to_string(timestamp)).append(".").append(body);
    std::string signatures;
    for (const std::string& key : keys)
        signatures += (signatures.empty() ? "v1," : " v1,") + base64(crypto.hmacSha256(key, toSign));
    return signatures;
}

std::string newSecret(Crypto& crypto) {
    return std::string(SECRET_PREFIX) + base64(crypto.randomBytes(SECRET_BYTES));
}

std::string keyOf(std::string_view secret) {
    std::istringstream text{std::string(secret.substr(SECRET_PREFIX.size()))};
    Poco::Base64Decoder decoder(text);
    return {std::istreambuf_iterator<char>(decoder), std::istreambuf_iterator<char>()};
}

} // namespace supplierd::webhooks
