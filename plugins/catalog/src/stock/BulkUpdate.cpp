#include "stock/BulkUpdate.h"

#include "stock/NamedProducts.h"
#include "stock/SetStatement.h"

#include <supplierd/services/ChangeLog.h>

#include <utility>

namespace supplierd::catalog {

namespace {

/// Changes the target as the item says. Returns what is wrong instead, and leaves the target as it is.
ItemResult applyStock(const BulkItem& item, Target& target) {
    const std::int64_t now = target.amount.value_or(0);
    if (item.expected && *item.expected != now)
        return {ItemProblem::Changed, now};
    const std::int64_t next = item.adjust ? now + *item.amount : *item.amount;
    if (next < 0 || next > ProductStock::MAX_STOCK)
        return {ItemProblem::OutOfRange};
    target.amount = next;
    return {};
}

ItemResult applyPrice(const BulkItem& item, Target& target) {
    if (!item.amount && !target.isVariant())
        return {ItemProblem::PriceRequired};
    target.amount = item.amount;
    return {};
}

} // namespace

BulkResult BulkUpdate::run() {
    if (_items.empty())
        return {};
    const NamedProducts named(_transaction, _supplierId, _items, _skus);
    return named.areAll() ? set(named) : change();
}

BulkResult BulkUpdate::set(const NamedProducts& named) {
    const TargetList products = named.products();
    // What can be done before everybody else waits is done now.
    SetStatement statement = SetStatement::ofNamed(_supplierId, _subject, products);
    BulkResult result{std::vector<ItemResult>(_items.size()), true};
    Change& change = _transaction.change(_supplierId);
    const auto found = static_cast<std::size_t>(statement.execute(_transaction, change.seq()));
    if (found != products.size()) {
        named.forgetSkus(_skus);
        return changeLocked(change, found > 0);
    }
    note(change, products);
    result.changeSeq = change.seq();
    return result;
}

BulkResult BulkUpdate::change() {
    Targets before(_transaction, _supplierId, _subject, _items);
    BulkResult result{apply(before)};
    result.changeSeq = before.changeSeq();
    const TargetList products = before.changedProducts();
    if (products.empty())
        return result;

    SetStatement statement = SetStatement::ofProducts(_supplierId, _subject, products);
    Change& change = _transaction.change(_supplierId);
    // The same: this transaction had the lock already.
    if (change.seq() > before.changeSeq() + 1)
        return changeLocked(change, false);
    statement.execute(_transaction, change.seq());
    SetStatement::ofVariants(_subject, before.changedVariants()).execute(_transaction, change.seq());
    note(change, products);
    result.written = true;
    result.changeSeq = change.seq();
    return result;
}

BulkResult BulkUpdate::changeLocked(Change& change, bool areSomeSet) {
    Targets now(_transaction, _supplierId, _subject, _items);
    BulkResult result{apply(now), areSomeSet};
    result.changeSeq = change.seq();
    const TargetList products = now.changedProducts();
    note(change, areSomeSet ? now.products() : products);
    if (products.empty())
        return result;
    SetStatement::ofProducts(_supplierId, _subject, products).execute(_transaction, change.seq());
    SetStatement::ofVariants(_subject, now.changedVariants()).execute(_transaction, change.seq());
    result.written = true;
    return result;
}

void BulkUpdate::note(Change& change, const TargetList& products) const {
    std::vector<std::int64_t> ids;
    ids.reserve(products.size());
    for (const Target* product : products)
        ids.push_back(product->productId);
    change.note(_subject == Subject::Stock ? ChangeKind::STOCK_CHANGED : ChangeKind::PRICE_CHANGED, ids);
}

std::vector<ItemResult> BulkUpdate::apply(Targets& targets) const {
    std::vector<ItemResult> results;
    results.reserve(_items.size());
    for (std::size_t place = 0; place < _items.size(); ++place) {
        Target* const target = targets.of(place);
        if (target == nullptr)
            results.push_back({ItemProblem::NotFound});
        else
            results.push_back(_subject == Subject::Stock ? applyStock(_items[place], *target)
                                                         : applyPrice(_items[place], *target));
    }
    return results;
}

} // namespace supplierd::catalog
