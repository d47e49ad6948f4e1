#include "BulkUpdate.h"

#include "NamedProducts.h"
#include "SetStatement.h"

#include <supplierd/JsonWriter.h>

#include <string>
#include <utility>

namespace supplierd::inventory {

namespace {

/// Changes the target as the item says. Returns what is wrong instead, and leaves the target as it is.
Problem applyStock(const BulkItem& item, Target& target) {
    const std::int64_t now = target.amount.value_or(0);
    if (item.expected && *item.expected != now)
        return stockChanged(now);
    const std::int64_t next = item.adjust ? now + *item.amount : *item.amount;
    if (next < 0 || next > MAX_STOCK)
        return ItemError{code::OUT_OF_RANGE, std::string(WRONG_STOCK)};
    target.amount = next;
    return std::nullopt;
}

Problem applyPrice(const BulkItem& item, Target& target) {
    if (!item.amount && !target.isVariant())
        return ItemError{code::REQUIRED, std::string(WRONG_PRICE)};
    target.amount = item.amount;
    return std::nullopt;
}

} // namespace

BulkUpdate::BulkUpdate(Request& request, Subject subject, AuditLog& audit)
    : _request(request),
      _supplierId(request.principal().supplierId),
      _subject(subject),
      _audit(audit),
      _input(BulkInput::read(request.body(), subject)) {}

Response BulkUpdate::answer() {
    if (_input.items.empty())
        return answer(_input.errors);
    return _request.transact([this](Transaction& transaction) { return run(transaction); });
}

Response BulkUpdate::run(Transaction& transaction) {
    const NamedProducts named(transaction, _supplierId, _input.items);
    return named.areAll() ? set(transaction, named) : change(transaction);
}

Response BulkUpdate::set(Transaction& transaction, const NamedProducts& named) {
    const TargetList products = named.products();
    // What can be done before everybody else waits is done now.
    SetStatement statement = SetStatement::ofNamed(_supplierId, _subject, products);
    Response response = answer(_input.errors);
    const std::int64_t changeSeq = transaction.lockCatalogue(_supplierId);
    const auto found = static_cast<std::size_t>(statement.execute(transaction, changeSeq));
    if (found != products.size())
        return changeLocked(transaction, changeSeq);
    record(transaction, _input.errors);
    return response;
}

Response BulkUpdate::change(Transaction& transaction) {
    Targets before(transaction, _supplierId, _subject, _input.items);
    const ItemErrors errors = apply(before);
    const TargetList products = before.changedProducts();
    if (products.empty())
        return answer(errors);

    SetStatement statement = SetStatement::ofProducts(_supplierId, _subject, products);
    Response response = answer(errors);
    const std::int64_t changeSeq = transaction.lockCatalogue(_supplierId);
    if (changeSeq != before.changeSeq() + 1)
        return changeLocked(transaction, changeSeq);
    statement.execute(transaction, changeSeq);
    SetStatement::ofVariants(_subject, before.changedVariants()).execute(transaction, changeSeq);
    record(transaction, errors);
    return response;
}

Response BulkUpdate::changeLocked(Transaction& transaction, std::int64_t changeSeq) {
    Targets now(transaction, _supplierId, _subject, _input.items);
    const ItemErrors errors = apply(now);
    const TargetList products = now.changedProducts();
    if (products.empty())
        return answer(errors);
    SetStatement::ofProducts(_supplierId, _subject, products).execute(transaction, changeSeq);
    SetStatement::ofVariants(_subject, now.changedVariants()).execute(transaction, changeSeq);
    record(transaction, errors);
    return answer(errors);
}

ItemErrors BulkUpdate::apply(Targets& targets) const {
    ItemErrors errors = _input.errors;
    for (std::size_t place = 0; place < _input.items.size(); ++place) {
        const BulkItem& item = _input.items[place];
        Target* const target = targets.of(place);
        if (target == nullptr)
            errors.set(item.index, notFound());
        else
            errors.set(item.index, _subject == Subject::Stock ? applyStock(item, *target) : applyPrice(item, *target));
    }
    return errors;
}

Response BulkUpdate::answer(const ItemErrors& errors) const {
    Response response = _request.reply();
    JsonWriter json(response.data);
    errors.write(json);
    return response;
}

void BulkUpdate::record(Transaction& transaction, const ItemErrors& errors) const {
    const std::string_view object = _subject == Subject::Stock ? "stock" : "price";
    AuditEntry entry = auditEntry(_request, object, "update", _supplierId, _supplierId);
    JsonWriter(entry.after)
        .beginObject()
        .field("items", errors.items())
        .field("updated", errors.items() - errors.failed())
        .field("failed", errors.failed())
        .endObject();
    _audit.record(transaction, entry);
}

} // namespace supplierd::inventory
