#include "imports/ChangedRow.h"

#include <supplierd/Decimal.h>
#include <supplierd/JsonBody.h>

#include <optional>
#include <utility>

namespace supplierd::csv {

namespace {

constexpr std::int64_t FAR_TIMES = 3;

std::optional<std::int64_t> priceOf(const JsonObject& fields) {
    const JsonValue price = fields.get("base_price");
    if (!price.isNumber())
        return std::nullopt;
    const auto decimal = Decimal::parse(price.number());
    return decimal ? std::optional(decimal->tenThousandths()) : std::nullopt;
}

bool isFar(const JsonObject& before, const JsonObject& after) {
    const auto was = priceOf(before);
    const auto is = priceOf(after);
    return was && is && *was > 0 && (*is >= FAR_TIMES * *was || *is * FAR_TIMES <= *was);
}

bool hasFarPrice(const std::string& before, const std::string& after) {
    if (before.empty() || after.empty())
        return false;
    const JsonDocument documents[]{parseJson(before), parseJson(after)};
    const JsonObject was = documents[0].object();
    const JsonObject is = documents[1].object();
    const JsonValue variantWas = was.get("variant");
    const JsonValue variantIs = is.get("variant");
    return isFar(was, is) ||
           (variantWas.isObject() && variantIs.isObject() && isFar(variantWas.object(), variantIs.object()));
}

} // namespace

ChangedRow ChangedRow::of(const ProductRow& row, BatchedProduct change) {
    return {.row = row.row,
            .sku = row.sku,
            .name = std::move(change.name),
            .isNew = change.outcome == BatchedProduct::Outcome::Created,
            .isFarPrice = hasFarPrice(change.before, change.after),
            .before = std::move(change.before),
            .after = std::move(change.after)};
}

} // namespace supplierd::csv
