#include "batch/VariantPlan.h"

#include <supplierd/JsonBody.h>
#include <supplierd/Sku.h>
#include <supplierd/Validation.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace supplierd::catalog {

namespace {

using Outcome = BatchedProduct::Outcome;

constexpr const char* DETAIL_PREFIX = "variant.";

constexpr std::string_view SELECT_PRODUCTS_OF_PLAN = R"(
SELECT STRAIGHT_JOIN i.place, k.variant_id, p.id, k.product_id, o.id, o.sku, p.name
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    place FOR ORDINALITY,
    product_id BIGINT PATH '$[0]',
    sku_key VARCHAR(192) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]')) i
LEFT JOIN product_skus k FORCE INDEX (PRIMARY) ON k.supplier_id = ? AND k.sku_key = i.sku_key AND k.tombstone = 0
LEFT JOIN products p FORCE INDEX (PRIMARY)
    ON p.supplier_id = ? AND p.deleted = 0 AND p.id = IF(i.sku_key IS NULL, i.product_id, k.product_id)
LEFT JOIN products o FORCE INDEX (PRIMARY)
    ON o.supplier_id = ? AND o.deleted = 0 AND o.id = IF(i.sku_key IS NULL, NULL, i.product_id)
        AND NOT (o.id <=> k.product_id))";

constexpr std::string_view VARIANTS_OF_PLAN = R"(
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
JOIN product_variants v FORCE INDEX (product_variants_product) ON v.product_id = t.id)";

constexpr std::string_view SELECT_SKU_HOLDERS = R"(
SELECT STRAIGHT_JOIN k.sku_key, k.product_id
FROM JSON_TABLE(?, '$[*]' COLUMNS (
    sku_key VARCHAR(192) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$')) t
JOIN product_skus k FORCE INDEX (PRIMARY) ON k.supplier_id = ? AND k.sku_key = t.sku_key AND k.tombstone = 0)";

void fail(PlannedVariant& planned, Detail reason) {
    planned.result.outcome = Outcome::Failed;
    planned.result.details.push_back(std::move(reason));
}

void fail(PlannedVariant& planned, std::string field, std::string code, std::string message) {
    fail(planned, {.field = std::move(field), .code = std::move(code), .message = std::move(message)});
}

bool isNew(const PlannedVariant& planned) {
    return planned.result.outcome == Outcome::Created;
}

} // namespace

std::vector<PlannedVariant> VariantPlan::make(std::span<const JsonObject> entries) {
    std::vector<ProductName> names;
    Plan plan(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        Details details;
        names.push_back(ProductName::read(entries[i], details));
        plan[i].result.details = details.entries();
    }
    findProducts(names, entries, plan);
    readStored(plan);
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (plan[i].result.details.empty())
            planOne(entries[i], plan[i]);
    findTakenSkus(plan);
    findTooMany(plan);
    return plan;
}

void VariantPlan::describe(Plan& plan) const {
    for (PlannedVariant& planned : plan) {
        const auto outcome = planned.result.outcome;
        ProductChanges changes;
        if (outcome == Outcome::Created)
            changes.variant(nullptr, planned.input.values);
        else if (outcome == Outcome::Updated)
            changes.variant(&_stored.at(planned.result.productId).at(planned.input.id.value()), planned.input.values);
        changes.complete(planned.result);
    }
}

void VariantPlan::findProducts(const std::vector<ProductName>& names, std::span<const JsonObject> entries, Plan& plan) {
    const std::string list = jsonOf(names);
    Rows& rows = _session.query(SELECT_PRODUCTS_OF_PLAN, {list, _supplierId, _supplierId, _supplierId});
    while (rows.next()) {
        const auto i = static_cast<std::size_t>(rows.integer(0)) - 1;
        PlannedVariant& planned = plan[i];
        if (!planned.result.details.empty())
            continue;
        const std::string field = names[i].sku ? "sku" : "id";
        if (names[i].sku && !rows.isNull(1) && rows.integer(1) != 0) {
            fail(planned, field, "unsupported", "sku is that of a variant, and no product's");
        } else if (!rows.isNull(4)) {
            fail(planned, skuMismatch(names[i], rows.maybeText(5), rows.maybeInteger(3)));
        } else if (!rows.isNull(2)) {
            planned.result.productId = rows.integer(2);
            planned.result.name = rows.text(6);
        } else if (const JsonValue expected = entries[i].get("is_new_product");
                   !expected.isBoolean() || !expected.boolean()) {
            fail(planned, field, "unknown_reference", "there is no product with this " + field);
        }
    }
}

void VariantPlan::readStored(const Plan& plan) {
    std::set<std::int64_t> ids;
    for (const PlannedVariant& planned : plan)
        if (planned.result.productId != 0)
            ids.insert(planned.result.productId);
    if (ids.empty())
        return;
    const std::string list = jsonArray(std::vector<std::int64_t>(ids.begin(), ids.end()));
    static const std::string SQL =
        "SELECT STRAIGHT_JOIN v.product_id, v.id, " + sqlOfFields(VARIANT_FIELDS, "v.$").append(VARIANTS_OF_PLAN);
    Rows& rows = _session.query(SQL, {list});
    while (rows.next())
        _stored[rows.integer(0)].emplace(rows.integer(1), VariantValues::read(rows, 2));
}

void VariantPlan::planOne(const JsonObject& entry, PlannedVariant& planned) {
    const JsonValue value = entry.get("variant");
    if (!value.isObject())
        return fail(planned, "variant", "type", "variant must be an object");
    const JsonObject variant = value.object();
    const std::int64_t productId = planned.result.productId;
    Details details;
    const std::optional<std::int64_t> id = find(variant, productId, details);
    if (details.empty())
        planned.input = VariantInput::read(variant, DETAIL_PREFIX, id, details);
    planned.result.details = details.entries();
    if (!details.empty())
        return;
    if (!id) {
        planned.result.outcome = Outcome::Created;
    } else {
        VariantValues& values = planned.input.values;
        values.clear(variant::SKU); // it keeps its own
        planned.result.outcome =
            values.changesAny(_stored.at(productId).at(*id)) ? Outcome::Updated : Outcome::Unchanged;
    }
    const bool hasNewSku = planned.input.values.text(variant::SKU) != nullptr;
    const std::string* newName = planned.input.values.text(variant::NAME);
    const std::string name = std::to_string(productId) + '/' +
                             (id                                ? std::to_string(*id)
                              : hasNewSku || newName == nullptr ? "="
                                                                : '=' + *newName);
    const bool isFirst = hasNewSku || productId == 0 || _seen.insert(name).second;
    if (!isFirst)
        fail(planned, "variant", "duplicate", "the variant is named twice");
}

std::optional<std::int64_t> VariantPlan::find(const JsonObject& variant, std::int64_t productId,
                                              Details& details) const {
    Details ignored; // what is wrong with a field is reported once it is read for good
    ObjectReader reader(variant, ignored, DETAIL_PREFIX);
    const std::optional<std::string> sku = readSku(reader).value;
    const std::optional<std::int64_t> id = reader.integer("id", {1}).value;
    const std::optional<std::string> name = reader.text("name", {MAX_NAME}).value;
    const auto product = _stored.find(productId);
    static const StoredVariants NONE;
    const StoredVariants& stored = product == _stored.end() ? NONE : product->second;
    if (!sku && id) {
        if (!stored.contains(*id))
            details.add("variant.id", "unknown_reference", "variant.id is not a variant of this product");
        return id;
    }
    if (!sku && !name && ignored.empty())
        details.add("variant.sku", "required", "variant.sku or variant.name is required");
    const std::string key = sku ? skuKey(*sku) : "";
    if (const auto named = sku && id ? stored.find(*id) : stored.end(); named != stored.end()) { // as skuMismatch()
        const std::string* its = named->second.text(variant::SKU);
        const std::string variantText = "the variant with the id " + std::to_string(*id);
        if (its == nullptr)
            details.add("variant.sku", "unsupported",
                        variantText + " has no SKU: clear it here to change that variant, or clear variant.id");
        else if (skuKey(*its) != key)
            details.add("variant.sku", "unsupported",
                        variantText + " has the SKU " + *its + ": restore it, or clear variant.id");
    }
    std::optional<std::int64_t> found;
    for (const auto& [variantId, known] : stored) {
        const std::string* its = known.text(sku ? variant::SKU : variant::NAME);
        const bool isIt = its != nullptr && (sku ? skuKey(*its) == key : *its == name);
        if (isIt && found) {
            details.add("variant.name", "unknown_reference",
                        "several variants have that name: give variant.sku instead");
            break;
        }
        if (isIt)
            found = variantId;
    }
    return found;
}

/// A new variant's SKU may be in use by any product, and by another one of the batch.
void VariantPlan::findTakenSkus(Plan& plan) {
    std::map<std::string, std::vector<PlannedVariant*>> claims;
    for (PlannedVariant& planned : plan)
        if (const std::string* sku = planned.input.values.text(variant::SKU); sku != nullptr && isNew(planned))
            claims[skuKey(*sku)].push_back(&planned);
    if (claims.empty())
        return;
    std::vector<std::string> keys;
    for (const auto& [key, claimants] : claims) {
        keys.push_back(key);
        for (std::size_t i = 1; i < claimants.size(); ++i)
            fail(*claimants[i], "variant.sku", "duplicate", "variant.sku is that of two variants of this batch");
    }
    const std::string list = jsonArray(keys);
    Rows& rows = _session.query(SELECT_SKU_HOLDERS, {list, _supplierId});
    while (rows.next())
        for (PlannedVariant* const planned : claims.at(std::string(rows.text(0))))
            fail(*planned, "variant.sku", "duplicate",
                 "variant.sku is already used by product " + std::to_string(rows.integer(1)));
}

void VariantPlan::findTooMany(Plan& plan) const {
    std::map<std::int64_t, std::size_t> counts;
    for (const auto& [productId, stored] : _stored)
        counts.emplace(productId, stored.size());
    for (PlannedVariant& planned : plan)
        if (isNew(planned) && planned.result.productId != 0 && ++counts[planned.result.productId] > MAX_VARIANTS)
            fail(planned, "variant", "too_many", "a product has at most 100 variants");
}

} // namespace supplierd::catalog
