#include "ItemErrors.h"

#include <algorithm>

namespace supplierd::inventory {

ItemError notFound() {
    return {code::NOT_FOUND, std::string(NOT_FOUND)};
}

Problem problemOf(const ItemResult& result) {
    switch (result.problem) {
    case ItemProblem::None:
        break;
    case ItemProblem::NotFound:
        return notFound();
    case ItemProblem::Changed:
        return ItemError{code::CHANGED, "Stock changed, now " + std::to_string(result.stock), result.stock};
    case ItemProblem::OutOfRange:
        return ItemError{code::OUT_OF_RANGE, std::string(WRONG_STOCK)};
    case ItemProblem::PriceRequired:
        return ItemError{code::REQUIRED, std::string(WRONG_PRICE)};
    }
    return std::nullopt;
}

std::size_t ItemErrors::failed() const {
    return static_cast<std::size_t>(
        std::count_if(_errors.begin(), _errors.end(), [](const Problem& error) { return error.has_value(); }));
}

void ItemErrors::write(JsonWriter& json) const {
    const auto updated =
        std::count_if(_errors.begin(), _errors.end(), [](const Problem& error) { return !error.has_value(); });
    json.beginObject();
    json.field("updated", updated);
    json.field("failed", static_cast<std::ptrdiff_t>(_errors.size()) - updated);
    json.key("errors").beginArray();
    for (std::size_t index = 0; index < _errors.size(); ++index) {
        const Problem& error = _errors[index];
        if (!error)
            continue;
        json.beginObject();
        json.field("index", index).field("sku", _skus[index]).field("error", error->text).field("code", error->code);
        if (error->stockQty)
            json.field("stock_qty", *error->stockQty);
        json.endObject();
    }
    json.endArray().endObject();
}

} // namespace supplierd::inventory
