#include "BulkRequest.h"

#include "BulkInput.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/services/ChangeLog.h>

#include <string_view>

namespace supplierd::inventory {

namespace {

Response answer(Request& request, const ItemErrors& errors) {
    Response response = request.reply();
    JsonWriter json(response.data);
    errors.write(json);
    return response;
}

/// Where a request has few items, as what a person types has, the entry has what was set, too.
constexpr std::size_t MOST_NAMED = 10;

void writeValue(JsonWriter& json, const StockItem& item) {
    json.field("stock_qty", item.quantity);
    if (item.isAdjustment)
        json.field("adjust", true);
}

void writeValue(JsonWriter& json, const PriceItem& item) {
    json.field("base_price", item.price);
}

template <class Item>
void writeSet(JsonWriter& json, const std::vector<Item>& items, const BulkResult& result) {
    json.key("set").beginArray();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (result.items[i].problem != ItemProblem::None)
            continue;
        json.beginObject();
        if (items[i].productId)
            json.field("product_id", *items[i].productId);
        if (!items[i].sku.empty())
            json.field("sku", items[i].sku);
        writeValue(json, items[i]);
        json.endObject();
    }
    json.endArray();
}

/// One entry for the whole request.
template <class Item>
void record(AuditLog& audit, Transaction& transaction, const Request& request, std::string_view object,
            const BulkInput<Item>& input, const BulkResult& result) {
    const std::int64_t supplierId = request.principal().supplierId;
    AuditEntry entry = auditEntry(actorOf(request), object, "update", supplierId, supplierId);
    JsonWriter json(entry.after);
    json.beginObject()
        .field("items", input.errors.items())
        .field("updated", input.errors.items() - input.errors.failed())
        .field("failed", input.errors.failed());
    if (input.items.size() <= MOST_NAMED)
        writeSet(json, input.items, result);
    json.endObject();
    audit.record(transaction, entry);
}

/// `object`: what the audit log calls it. `set` does the items.
template <class Item, class Set>
Response run(Request& request, AuditLog& audit, std::string_view object, const Set& set) {
    BulkInput<Item> input = BulkInput<Item>::read(request.body());
    if (input.items.empty()) {
        Response response = answer(request, input.errors);
        const std::int64_t present = request.database().committed(request.principal().supplierId).supplier;
        response.addHeader(std::string(CHANGE_SEQ_HEADER), std::to_string(present));
        return response;
    }
    return request.transactTogether([&](Transaction& transaction) {
        const BulkResult result = set(transaction, request.principal().supplierId, input.items);
        for (std::size_t i = 0; i < result.items.size(); ++i)
            input.errors.set(input.places[i], problemOf(result.items[i]));
        if (result.isWritten)
            record(audit, transaction, request, object, input, result);
        Response response = answer(request, input.errors);
        response.addHeader(std::string(CHANGE_SEQ_HEADER), std::to_string(result.changeSeq));
        return response;
    });
}

} // namespace

Response setStocks(Request& request, Stock& stock, AuditLog& audit) {
    return run<StockItem>(request, audit, "stock", [&](auto& transaction, auto id, auto& items) {
        return stock.setStocks(transaction, id, items);
    });
}

Response setPrices(Request& request, Stock& stock, AuditLog& audit) {
    return run<PriceItem>(request, audit, "price", [&](auto& transaction, auto id, auto& items) {
        return stock.setPrices(transaction, id, items);
    });
}

} // namespace supplierd::inventory
