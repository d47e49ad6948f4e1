#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/Decimal.h>
#include <supplierd/Json.h>
#include <supplierd/ListPage.h>
#include <supplierd/services/AuditLog.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

struct SUPPLIERD_API OrderAddress {
    std::optional<std::string> line1;
    std::optional<std::string> line2;
    std::optional<std::string> postalCode;
    std::optional<std::string> city;
    std::optional<std::string> country;
    Reserved reserved = {};

    bool isEmpty() const { return !line1 && !line2 && !postalCode && !city && !country; }
};

struct SUPPLIERD_API OrderCustomer {
    std::string companyName;
    std::optional<std::string> contactName;
    std::optional<std::string> email;
    std::optional<std::string> phone;
    std::optional<std::string> vatNumber;
    OrderAddress billing;
    OrderAddress shipping;
    Reserved reserved = {};
};

struct SUPPLIERD_API OrderTracking {
    std::optional<std::string> carrier;
    std::optional<std::string> number;
    std::optional<std::string> url;
    Reserved reserved = {};

    bool isEmpty() const { return !carrier && !number && !url; }
};

struct SUPPLIERD_API OrderItem {
    std::int64_t id = 0;
    std::int64_t productId = 0;
    std::optional<std::int64_t> variantId;
    std::optional<std::string> sku;
    std::string name;
    std::string unit;
    std::int64_t quantity = 0;
    Decimal unitPrice;
    Decimal vatRate; ///< in percent: 21
    Decimal lineTotal;
    Reserved reserved = {};
};

struct SUPPLIERD_API OrderStatusChange {
    std::optional<std::string> from;
    std::string to;
    std::optional<std::string> comment;
    /// "supplier" or "platform".
    std::string changedBy;
    std::string createdAt;
    Reserved reserved = {};
};

/// One supplier's part of an order, its order group, as lists show it. Times are ISO 8601 UTC.
struct SUPPLIERD_API OrderGroupSummary {
    /// The order group's.
    std::int64_t id = 0;
    std::int64_t supplierId = 0;
    std::string supplierName;
    std::string orderNumber;
    std::string status;   ///< in the words of the API: "processing"
    std::string currency; ///< ISO 4217: "EUR"
    Decimal subtotal;
    Decimal vatTotal;
    Decimal total;
    std::int64_t itemsCount = 0;
    std::string customerName;
    std::string createdAt;
    std::string updatedAt;
    /// The supplier's change that touched it last; only where the list is one of changes, else 0.
    std::int64_t changeSeq = 0;
    Reserved reserved = {};
};

/// One supplier's part of an order, with everything that its detail shows.
struct SUPPLIERD_API OrderGroup : OrderGroupSummary {
    std::int64_t orderId = 0;
    OrderCustomer customer;
    OrderTracking tracking;
    std::vector<OrderItem> items;
    std::vector<OrderStatusChange> history;
    /// The moves that whoever asked may make.
    std::vector<std::string> allowedStatuses;
    Reserved moreReserved = {};
};

struct SUPPLIERD_API PlacedOrder {
    std::int64_t id = 0;
    std::string orderNumber;
    /// False: the same order was placed before, and this is what became of it.
    bool isNew = true;
    std::vector<OrderGroup> groups;
    Reserved reserved = {};
};

/// What the API shows, as a value: to suppliers without `supplier: { id, name }`.
SUPPLIERD_API void writeJson(JsonWriter& json, const OrderTracking& tracking);
SUPPLIERD_API void writeJson(JsonWriter& json, const OrderGroupSummary& order, Audience audience = Audience::Operator);
SUPPLIERD_API void writeJson(JsonWriter& json, const OrderGroup& order, Audience audience = Audience::Operator);
SUPPLIERD_API void writeJson(JsonWriter& json, const PlacedOrder& order);

/// A service of the plugin `orders`: the operators' side of orders, and reading those of a supplier. Thread: any.
/// Since 1.0.
class SUPPLIERD_API Orders {
public:
    static constexpr std::string_view ID = "supplierd.orders/1";

    /// Takes in an order (the body of `POST /api/v1/platform/orders`): splits it into one order group per supplier and
    /// takes the quantities from stock, all or nothing. What sandboxes sell is in orders with `sandbox: true` only, and
    /// nothing else is in those. The same order_number with the same body again gives the first
    /// order, as it is now. Takes the locks of the suppliers' catalogs in ascending order (Transaction::change()).
    /// Throws ApiError (Validation) with every bad field and item.
    virtual PlacedOrder place(Transaction& transaction, const JsonObject& order, const Actor& actor) = 0;
    /// delivered → completed. Throws ApiError: NotFound, or Validation naming both states.
    virtual OrderGroup complete(Transaction& transaction, std::int64_t orderGroupId, const Actor& actor) = 0;
    /// What POST /orders/{id}/status does, in the supplier's name: `fields` are its body. Returns what the supplier
    /// sees then. Throws ApiError: NotFound, or Validation with every bad field, naming both states of a move that is
    /// not allowed.
    virtual OrderGroup changeStatus(Transaction& transaction, std::int64_t supplierId, std::int64_t orderGroupId,
                                    const JsonObject& fields, const Actor& actor) = 0;

    /// Order groups of every supplier, newest first; those of sandboxes when the query asks for them. `query`: that of
    /// `GET /api/v1/platform/order-groups`; what it does not know is left out of account. Throws ApiError (Validation)
    /// with every problem of the query.
    virtual Listed<OrderGroupSummary> list(Database& database, const QueryParameters& query) = 0;
    /// Nothing when there is no such order group. To be called in a snapshot.
    virtual std::optional<OrderGroup> find(SqlSession& snapshot, std::int64_t orderGroupId) = 0;
    /// As its supplier sees it; nothing when that supplier has no such order group. To be called in a snapshot.
    virtual std::optional<OrderGroup> findOwn(SqlSession& snapshot, std::int64_t supplierId,
                                              std::int64_t orderGroupId) = 0;

protected:
    ~Orders() = default;
};

} // namespace supplierd
