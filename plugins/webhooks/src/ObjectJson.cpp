#include "ObjectJson.h"

namespace supplierd::webhooks {

namespace {

/// The object may be another supplier's by a mistake of whoever noted the change: it is not shown then.
template <class Object, class Write>
std::string jsonOf(const std::optional<Object>& object, bool isOwn, Write write) {
    if (!object || !isOwn)
        return "null";
    std::string text;
    JsonWriter json(text);
    write(json);
    return text;
}

std::string productJson(SqlSession& snapshot, Products& products, std::int64_t supplierId, std::int64_t id) {
    const auto product = products.find(snapshot, id);
    return jsonOf(product, product && product->supplierId == supplierId,
                  [&](JsonWriter& json) { writeJson(json, *product, Audience::Supplier); });
}

std::string orderJson(SqlSession& snapshot, Orders& orders, std::int64_t supplierId, std::int64_t id) {
    const auto order = orders.findOwn(snapshot, supplierId, id);
    return jsonOf(order, true, [&](JsonWriter& json) { writeJson(json, *order, Audience::Supplier); });
}

std::string keyJson(SqlSession& snapshot, Accounts& accounts, std::int64_t supplierId, std::int64_t id) {
    const auto key = accounts.findKey(snapshot, id);
    return jsonOf(key, key && key->supplierId == supplierId, [&](JsonWriter& json) {
        json.beginObject();
        writeFields(json, *key);
        json.endObject();
    });
}

} // namespace

std::string objectJson(SqlSession& snapshot, const ObjectServices& services, std::int64_t supplierId,
                       const Message& message) {
    if (message.objects.size() != 1)
        return {};
    const std::int64_t id = message.objects.front();
    const Subject subject = EVENT_TYPES.at(message.event).subject;
    if (subject == Subject::Product && services.products != nullptr)
        return productJson(snapshot, *services.products, supplierId, id);
    if (subject == Subject::Order && services.orders != nullptr)
        return orderJson(snapshot, *services.orders, supplierId, id);
    if (subject == Subject::Key && services.accounts != nullptr)
        return keyJson(snapshot, *services.accounts, supplierId, id);
    return "null";
}

} // namespace supplierd::webhooks
