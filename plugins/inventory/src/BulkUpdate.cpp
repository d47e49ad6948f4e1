#include "BulkUpdate.h"

#include "SetStatement.h"

#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <string>

namespace supplierd::inventory {

namespace {

/// Changes the target as the item says. Returns what is wrong instead, and leaves the target as it is; "" when nothing.
std::string applyStock(const BulkItem& item, Target& target) {
    const std::int64_t now = target.amount.value_or(0);
    if (item.expected && *item.expected != now)
        return stockChanged(now);
    const std::int64_t next = item.adjust ? now + *item.amount : *item.amount;
    if (next < 0 || next > MAX_STOCK)
        return std::string(WRONG_STOCK);
    target.amount = next;
    return {};
}

std::string applyPrice(const BulkItem& item, Target& target) {
    if (!item.amount && !target.isVariant())
        return std::string(WRONG_PRICE);
    target.amount = item.amount;
    return {};
}

/// The item's effect does not depend on what the stock was.
bool isPlain(const BulkItem& item) {
    return !item.adjust && !item.expected;
}

} // namespace

BulkUpdate::BulkUpdate(Request& request, Subject subject)
    : _request(request),
      _supplierId(request.principal().supplierId),
      _subject(subject),
      _input(BulkInput::read(request.body(), subject)) {}

Response BulkUpdate::answer() {
    if (_input.items.empty())
        return answer(_input.errors);
    return _request.transact([this](Transaction& transaction) { return run(transaction); });
}

Response BulkUpdate::run(Transaction& transaction) {
    Targets before(transaction, _supplierId, _subject, _input.items);
    const ItemErrors errors = apply(before);
    const TargetList products = before.changedProducts();
    if (products.empty())
        return answer(errors);

    // What can be done before everybody else waits is done now.
    const bool blind = isBlind(before);
    SetStatement statement = SetStatement::ofProducts(_supplierId, _subject, products, blind && before.haveSkus());
    Response response = answer(errors);

    const std::int64_t changeSeq = transaction.lockCatalogue(_supplierId);
    const bool isAsBefore = changeSeq == before.changeSeq() + 1;
    if (isAsBefore || blind) {
        const auto found = static_cast<std::size_t>(statement.execute(transaction, changeSeq));
        if (isAsBefore)
            SetStatement::ofVariants(_subject, before.changedVariants()).execute(transaction, changeSeq);
        if (isAsBefore || found == products.size())
            return response;
    }
    Targets now(transaction, _supplierId, _subject, _input.items);
    const ItemErrors errorsNow = apply(now);
    SetStatement::ofProducts(_supplierId, _subject, now.changedProducts(), false).execute(transaction, changeSeq);
    SetStatement::ofVariants(_subject, now.changedVariants()).execute(transaction, changeSeq);
    return answer(errorsNow);
}

bool BulkUpdate::isBlind(const Targets& targets) const {
    // A product that has its value already stays untouched; whether it still has it, only reading tells.
    return std::all_of(_input.items.begin(), _input.items.end(), isPlain) && targets.areChangedProducts();
}

ItemErrors BulkUpdate::apply(Targets& targets) const {
    ItemErrors errors = _input.errors;
    for (std::size_t place = 0; place < _input.items.size(); ++place) {
        const BulkItem& item = _input.items[place];
        Target* const target = targets.of(place);
        if (target == nullptr)
            errors.set(item.index, std::string(NOT_FOUND));
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

} // namespace supplierd::inventory
