#pragma once

#include "Money.h"
#include "OrderInput.h"
#include "OrderServices.h"

#include <supplierd/services/Orders.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::orders {

using SuppliersById = std::map<std::int64_t, Supplier>;

/// Takes one order in (Orders::place): all of it, or nothing. The order's row comes first, so that orders with the
/// same number queue at it; then the catalogs of all suppliers are locked in ascending order, and what the checks
/// find is what the stock is. Made per transaction.
class OrderIntake {
public:
    OrderIntake(Transaction& transaction, const OrderServices& services, const Actor& actor)
        : _transaction(transaction), _services(services), _actor(actor) {}

    /// Throws ApiError (Validation) with every bad field and item.
    PlacedOrder place(const JsonObject& body);

private:
    /// What a line comes to.
    struct Priced {
        Decimal unitPrice;
        Decimal total;
    };
    struct GroupDraft {
        LineSums lines;
        std::int64_t count = 0;
        Sums sums;
    };
    using Drafts = std::map<std::int64_t, GroupDraft>; ///< by supplier

    /// The new order's id; nothing when there is one with that number.
    std::optional<std::int64_t> insertOrder(const OrderInput& input);
    /// Throws ApiError (Validation) when it was placed with another body.
    PlacedOrder knownOrder(const OrderInput& input);
    /// Until the end of the transaction nobody moves one of the order's groups.
    void lockGroups(std::int64_t orderId);

    /// One for each line.
    std::vector<ProductOffer> offersFor(const OrderInput& input);
    /// Those of the offers.
    SuppliersById suppliersOf(const std::vector<ProductOffer>& offers);
    /// By supplier.
    using Changes = std::map<std::int64_t, Change*>;
    Changes lockCatalogs(const std::vector<ProductOffer>& offers);
    Drafts draftGroups(const OrderInput& input, const std::vector<ProductOffer>& offers, std::vector<Priced>& prices,
                       Details& details) const;
    void takeStock(const OrderInput& input, const std::vector<ProductOffer>& offers);
    void insertGroups(std::int64_t orderId, const OrderInput& input, const Drafts& drafts, const Changes& changes);
    void insertItems(std::int64_t orderId, const OrderInput& input, const std::vector<ProductOffer>& offers,
                     const std::vector<Priced>& prices);
    void record(const PlacedOrder& order, const std::string& currency);

    Transaction& _transaction;
    const OrderServices& _services;
    const Actor& _actor;
};

/// Adds to `details` every line that cannot be sold: what it refers to is not there or not on sale, or there is not
/// enough of it. Lines of the same product or variant add up. What a sandbox sells is on sale in its orders only.
void findLineProblems(const OrderInput& order, const std::vector<ProductOffer>& offers, const SuppliersById& suppliers,
                      Details& details);

} // namespace supplierd::orders
