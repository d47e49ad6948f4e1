#include "stock/BulkUpdate.h"

#include "stock/BulkStatement.h"
#include "stock/NamedProducts.h"

#include <supplierd/services/ChangeLog.h>

#include <algorithm>
#include <utility>

namespace supplierd::catalog {

namespace {

/// Changes the target as the item says. Returns what is wrong instead, and leaves the target as it is.
ItemResult applyStock(const BulkItem& item, Target& target) {
    const std::int64_t now = target.amount.value_or(0);
    if (item.expected && *item.expected != now)
        return {ItemProblem::Changed, now};
    const std::int64_t next = item.adjust ? now + *item.amount : *item.amount;
    if (next < 0 || next > Stock::MAX_STOCK)
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

std::vector<std::int64_t> idsOf(const TargetList& products) {
    std::vector<std::int64_t> ids;
    ids.reserve(products.size());
    for (const Target* product : products)
        ids.push_back(product->productId);
    return ids;
}

} // namespace

BulkResult BulkUpdate::run() {
    if (_items.empty())
        return {};
    const NamedProducts named(_transaction, _supplierId, _items, _hints.skus);
    return named.areAll() ? set(named) : change();
}

BulkResult BulkUpdate::set(const NamedProducts& named) {
    constexpr std::int64_t NO_STAMP = 0;
    const TargetList products = named.products();
    BulkResult result{std::vector<ItemResult>(_items.size())};
    if (_hints.unchanged.areLikely(_supplierId)) {
        const Look look = lookAt(products, NO_STAMP);
        result.changeSeq = look.changeSeq;
        if (look.same == products.size())
            return result;
    }
    // What can be done before everybody else waits is done now.
    BulkStatement statement = BulkStatement::setNamed(_supplierId, _subject, products);
    Change& change = _transaction.change(_supplierId);
    const auto changed = static_cast<std::size_t>(statement.execute(_transaction, change.seq()));
    _hints.unchanged.note(_supplierId, products.size(), changed);
    if (changed == products.size()) {
        finish(result, change, idsOf(products));
        return result;
    }
    Look look = lookAt(products, change.seq());
    if (look.present == products.size()) {
        finish(result, change, look.stamped);
        return result;
    }
    named.forgetSkus(_hints.skus);
    return changeLocked(change, std::move(look.stamped));
}

BulkResult BulkUpdate::change() {
    Targets before(_transaction, _supplierId, _subject, _items);
    BulkResult result{apply(before)};
    result.changeSeq = before.changeSeq();
    const TargetList products = before.changedProducts();
    if (products.empty())
        return result;

    BulkStatement statement = BulkStatement::setProducts(_supplierId, _subject, products);
    Change& change = _transaction.change(_supplierId);
    // The same: this transaction had the lock already.
    if (change.seq() > before.changeSeq() + 1)
        return changeLocked(change, {});
    statement.execute(_transaction, change.seq());
    BulkStatement::setVariants(_subject, before.changedVariants()).execute(_transaction, change.seq());
    finish(result, change, idsOf(products));
    return result;
}

BulkResult BulkUpdate::changeLocked(Change& change, Ids set) {
    Targets now(_transaction, _supplierId, _subject, _items);
    BulkResult result{apply(now)};
    const TargetList products = now.changedProducts();
    if (!products.empty()) {
        BulkStatement::setProducts(_supplierId, _subject, products).execute(_transaction, change.seq());
        BulkStatement::setVariants(_subject, now.changedVariants()).execute(_transaction, change.seq());
    }
    const Ids changed = idsOf(products);
    set.insert(set.end(), changed.begin(), changed.end());
    finish(result, change, set);
    return result;
}

BulkUpdate::Look BulkUpdate::lookAt(const TargetList& products, std::int64_t stamp) const {
    Look look;
    BulkStatement statement = BulkStatement::readProducts(_supplierId, _subject, products);
    for (Rows& rows = statement.query(_transaction); rows.next();) {
        look.changeSeq = rows.integer(BulkStatement::SUPPLIERS_CHANGE_SEQ);
        const std::int64_t id = rows.integer(BulkStatement::ID);
        const auto product =
            std::lower_bound(products.begin(), products.end(), id,
                             [](const Target* target, std::int64_t wanted) { return target->id() < wanted; });
        if (product == products.end() || (*product)->id() != id)
            continue;
        if (rows.integer(BulkStatement::CHANGE_SEQ) == stamp)
            look.stamped.push_back(id);
        const Target& target = **product;
        if (!target.sku.empty() && target.sku != rows.text(BulkStatement::SKU))
            continue;
        ++look.present;
        if (amountIn(rows, BulkStatement::AMOUNT, _subject) == target.amount)
            ++look.same;
    }
    return look;
}

void BulkUpdate::finish(BulkResult& result, Change& change, const Ids& changed) const {
    result.written = !changed.empty();
    if (changed.empty()) {
        result.changeSeq = change.withdraw();
        return;
    }
    result.changeSeq = change.seq();
    change.note(_subject == Subject::Stock ? ChangeKind::STOCK_CHANGED : ChangeKind::PRICE_CHANGED, changed);
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
