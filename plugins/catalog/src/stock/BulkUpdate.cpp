#include "stock/BulkUpdate.h"

#include "index/CatalogCache.h"
#include "stock/BulkStatement.h"
#include "stock/PlainItems.h"

#include <supplierd/services/ChangeLog.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace supplierd::catalog {

namespace {

/// Changes what the item resolves to as it says. Returns what is wrong instead, and changes nothing then.
ItemResult applyStock(const BulkItem& item, ResolvedItem& resolved) {
    const std::int64_t now = resolved.amount.value_or(0);
    if (item.expected && *item.expected != now)
        return {ItemProblem::Changed, now};
    const std::int64_t next = item.isAdjustment ? now + *item.amount : *item.amount;
    if (next < 0 || next > Stock::MAX_STOCK)
        return {ItemProblem::OutOfRange};
    resolved.amount = next;
    return {};
}

ItemResult applyPrice(const BulkItem& item, ResolvedItem& resolved) {
    if (!item.amount && !resolved.isVariant())
        return {ItemProblem::PriceRequired};
    resolved.amount = item.amount;
    return {};
}

std::vector<std::int64_t> idsOf(const ResolvedList& products) {
    std::vector<std::int64_t> ids;
    ids.reserve(products.size());
    for (const ResolvedItem* product : products)
        ids.push_back(product->productId);
    return ids;
}

ResolvedList having(std::vector<std::int64_t> ids, const ResolvedList& products) {
    std::sort(ids.begin(), ids.end());
    ResolvedList those;
    std::copy_if(products.begin(), products.end(), std::back_inserter(those), [&](const ResolvedItem* product) {
        return std::binary_search(ids.begin(), ids.end(), product->productId);
    });
    return those;
}

} // namespace

BulkResult BulkUpdate::run() {
    if (_items.empty())
        return {};
    const PlainItems plain(_transaction, _supplierId, _items, _hints.skus);
    return plain.areAll() ? set(plain) : change();
}

BulkResult BulkUpdate::set(const PlainItems& plain) {
    constexpr std::int64_t NO_STAMP = 0;
    const ResolvedList products = plain.products();
    BulkResult result{std::vector<ItemResult>(_items.size())};
    if (_hints.unchanged.areLikely(_supplierId)) {
        const Comparison compared = compare(products, NO_STAMP);
        result.changeSeq = compared.changeSeq;
        if (compared.same == products.size())
            return result;
    }
    // What can be done before everybody else waits is done now.
    BulkStatement statement = BulkStatement::setPlain(_supplierId, _subject, products);
    Change& change = _transaction.change(_supplierId);
    const auto changed = static_cast<std::size_t>(statement.execute(_transaction, change.seq()));
    _hints.unchanged.note(_supplierId, products.size(), changed);
    if (changed == products.size()) {
        finish(result, change, products);
        return result;
    }
    Comparison compared = compare(products, change.seq());
    if (compared.present == products.size()) {
        finish(result, change, having(std::move(compared.stamped), products));
        return result;
    }
    plain.forgetSkus(_hints.skus);
    return changeLocked(change, std::move(compared.stamped));
}

BulkResult BulkUpdate::change() {
    ResolvedItems before(_transaction, _supplierId, _subject, _items);
    BulkResult result{apply(before)};
    result.changeSeq = before.changeSeq();
    const ResolvedList products = before.changedProducts();
    if (products.empty())
        return result;

    BulkStatement statement = BulkStatement::setProducts(_supplierId, _subject, products);
    Change& change = _transaction.change(_supplierId);
    // The same: this transaction had the lock already.
    if (change.seq() > before.changeSeq() + 1)
        return changeLocked(change, {});
    statement.execute(_transaction, change.seq());
    BulkStatement::setVariants(_subject, before.changedVariants()).execute(_transaction, change.seq());
    finish(result, change, products);
    return result;
}

BulkResult BulkUpdate::changeLocked(Change& change, Ids set) {
    ResolvedItems now(_transaction, _supplierId, _subject, _items);
    BulkResult result{apply(now)};
    const ResolvedList products = now.changedProducts();
    if (!products.empty()) {
        BulkStatement::setProducts(_supplierId, _subject, products).execute(_transaction, change.seq());
        BulkStatement::setVariants(_subject, now.changedVariants()).execute(_transaction, change.seq());
    }
    const Ids changed = idsOf(products);
    set.insert(set.end(), changed.begin(), changed.end());
    finish(result, change, set);
    return result;
}

BulkUpdate::Comparison BulkUpdate::compare(const ResolvedList& products, std::int64_t stamp) const {
    Comparison compared;
    BulkStatement statement = BulkStatement::readProducts(_supplierId, _subject, products);
    for (Rows& rows = statement.query(_transaction); rows.next();) {
        compared.changeSeq = rows.integer(BulkStatement::SUPPLIERS_CHANGE_SEQ);
        const std::int64_t id = rows.integer(BulkStatement::ID);
        const auto product =
            std::lower_bound(products.begin(), products.end(), id,
                             [](const ResolvedItem* resolved, std::int64_t wanted) { return resolved->id() < wanted; });
        if (product == products.end() || (*product)->id() != id)
            continue;
        if (rows.integer(BulkStatement::CHANGE_SEQ) == stamp)
            compared.stamped.push_back(id);
        const ResolvedItem& resolved = **product;
        if (!resolved.sku.empty() && resolved.sku != rows.text(BulkStatement::SKU))
            continue;
        ++compared.present;
        if (amountIn(rows, BulkStatement::AMOUNT, _subject) == resolved.amount)
            ++compared.same;
    }
    return compared;
}

void BulkUpdate::finish(BulkResult& result, Change& change, const Ids& changed) const {
    if (isChange(result, change, changed.size()))
        change.note(kind(), changed);
}

void BulkUpdate::finish(BulkResult& result, Change& change, const ResolvedList& changed) const {
    if (_indexes == nullptr)
        return finish(result, change, idsOf(changed));
    if (!isChange(result, change, changed.size()))
        return;
    std::vector<ChangedNumbers> numbers;
    numbers.reserve(changed.size());
    for (const ResolvedItem* product : changed) {
        ChangedNumbers& one = numbers.emplace_back(ChangedNumbers{product->productId});
        (_subject == Subject::Stock ? one.stockQty : one.basePrice) = product->amount;
    }
    _indexes->note(_transaction, change, _supplierId, kind(), std::move(numbers));
}

bool BulkUpdate::isChange(BulkResult& result, Change& change, std::size_t changed) {
    result.isWritten = changed > 0;
    result.changeSeq = result.isWritten ? change.seq() : change.withdraw();
    return result.isWritten;
}

std::string_view BulkUpdate::kind() const {
    return _subject == Subject::Stock ? ChangeKind::STOCK_CHANGED : ChangeKind::PRICE_CHANGED;
}

std::vector<ItemResult> BulkUpdate::apply(ResolvedItems& resolved) const {
    std::vector<ItemResult> results;
    results.reserve(_items.size());
    for (std::size_t place = 0; place < _items.size(); ++place) {
        ResolvedItem* const item = resolved.of(place);
        if (item == nullptr)
            results.push_back({ItemProblem::NotFound});
        else
            results.push_back(_subject == Subject::Stock ? applyStock(_items[place], *item)
                                                         : applyPrice(_items[place], *item));
    }
    return results;
}

} // namespace supplierd::catalog
