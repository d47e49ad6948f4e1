#include "batch/BatchPlan.h"

#include "write/ProductChanges.h"

#include <supplierd/Validation.h>

#include <string_view>

namespace supplierd::catalog {

namespace {

using Outcome = BatchedProduct::Outcome;

constexpr std::size_t FEW_CATEGORIES = 2;

// One text for any number of products, [[product id or null, SKU's key or null], ...], through primary keys. `o` is
// the product of an id that is not the SKU's.
constexpr std::string_view SELECT_NAMED =
    "SELECT STRAIGHT_JOIN i.place, k.product_id, k.variant_id, o.id, o.sku, p.id, ";
constexpr std::string_view FROM_NAMES = R"(
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

namespace named {
enum : std::size_t { Place, SkuProduct, SkuVariant, IdProduct, IdSku, Product, FirstField };
}

Detail problem(std::string field, std::string code, std::string message) {
    return {.field = std::move(field), .code = std::move(code), .message = std::move(message)};
}

void fail(PlannedProduct& planned, Detail reason) {
    planned.result.outcome = Outcome::Failed;
    planned.result.details.push_back(std::move(reason));
}

} // namespace

void PlannedProduct::describe() {
    if (const std::string* name = write.stored.text(field::NAME))
        result.name = *name;
    ProductChanges changes;
    if (result.outcome == Outcome::Created)
        changes.created(write.input);
    else if (result.outcome == Outcome::Updated)
        changes.changed(write.stored, write.input);
    changes.complete(result);
}

std::vector<PlannedProduct> BatchPlan::make(std::span<const JsonObject> products) {
    std::vector<ProductName> names;
    std::vector<PlannedProduct> plan(products.size());
    for (std::size_t i = 0; i < products.size(); ++i) {
        Details details;
        names.push_back(ProductName::read(products[i], details));
        plan[i].result.details = details.entries();
    }
    const std::string list = jsonOf(names);
    static const std::string SQL =
        std::string(SELECT_NAMED).append(sqlOfFields(PRODUCT_FIELDS, "p.$")).append(FROM_NAMES);
    Rows& rows = _session.query(SQL, {list, _supplierId, _supplierId, _supplierId});
    while (rows.next()) {
        const auto i = static_cast<std::size_t>(rows.integer(named::Place)) - 1;
        if (plan[i].result.details.empty())
            planOne(products[i], names[i], rows, plan[i]);
    }
    findRepeated(names, plan);
    findUnknownCategories(plan);
    return plan;
}

void BatchPlan::planOne(const JsonObject& product, const ProductName& name, const Rows& row, PlannedProduct& planned) {
    if (name.sku && !row.isNull(named::SkuVariant) && row.integer(named::SkuVariant) != 0)
        return fail(planned, problem("sku", "unsupported",
                                     "sku is that of a variant of product " +
                                         std::to_string(row.integer(named::SkuProduct)) + ", and no product's"));
    if (!row.isNull(named::IdProduct))
        return fail(planned, skuMismatch(name, row.maybeText(named::IdSku), row.maybeInteger(named::SkuProduct)));
    if (!row.isNull(named::Product)) {
        planned.result.productId = row.integer(named::Product);
        planned.write.id = planned.result.productId;
        planned.write.stored = ProductValues::read(row, named::FirstField);
        return check(product, ProductInput::Purpose::Update, planned);
    }
    if (!name.sku)
        return fail(planned, problem("id", "unknown_reference", "id is none of a product, and there is no sku"));
    check(product, ProductInput::Purpose::Create, planned);
}

void BatchPlan::check(const JsonObject& product, ProductInput::Purpose purpose, PlannedProduct& planned) {
    const bool creates = purpose == ProductInput::Purpose::Create;
    Details details;
    for (const std::string_view name : {"variants", "image_url"})
        if (!product.get(name).isNull())
            details.add(std::string(name), "unsupported", std::string(name) + " is not taken of many products at once");
    if (details.empty())
        planned.write.input = ProductInput::read(product, purpose, nullptr, details);
    ProductValues& values = planned.write.input.values;
    if (!creates)
        values.clear(field::SKU);
    planned.result.details = details.entries();
    if (!details.empty())
        planned.result.outcome = Outcome::Failed;
    else if (creates)
        planned.result.outcome = Outcome::Created;
    else
        planned.result.outcome = values.changesAny(planned.write.stored) ? Outcome::Updated : Outcome::Unchanged;
}

/// Of a product that stands there twice nobody knows which is meant.
void BatchPlan::findRepeated(const std::vector<ProductName>& names, std::vector<PlannedProduct>& plan) const {
    std::set<std::string> keys;
    std::set<std::int64_t> ids;
    for (std::size_t i = 0; i < plan.size(); ++i) {
        const BatchedProduct& result = plan[i].result;
        const bool isNewKey = !names[i].sku || keys.insert(names[i].skuKey).second;
        const bool isNewId = result.productId == 0 || ids.insert(result.productId).second;
        if (!isNewKey || !isNewId)
            fail(plan[i], problem(names[i].sku ? "sku" : "id", "duplicate", "the product is named twice"));
    }
}

void BatchPlan::findUnknownCategories(std::vector<PlannedProduct>& plan) {
    std::set<std::int64_t> named;
    const auto categoryOf = [](const PlannedProduct& planned) {
        const bool isUnchanged = planned.result.outcome == Outcome::Unchanged;
        return isUnchanged ? nullptr : planned.write.input.values.find<std::int64_t>(field::CATEGORY_ID);
    };
    for (const PlannedProduct& planned : plan)
        if (const auto* id = categoryOf(planned); id != nullptr && !_isActive.contains(*id))
            named.insert(*id);
    readActive(named);
    for (PlannedProduct& planned : plan)
        if (const auto* id = categoryOf(planned); id != nullptr && !_isActive.at(*id))
            fail(planned, problem("category_id", "unknown_reference", "category_id is not an active category"));
}

/// One statement each for a few, and one in all for more.
void BatchPlan::readActive(const std::set<std::int64_t>& categories) {
    if (categories.size() <= FEW_CATEGORIES) {
        for (const std::int64_t id : categories)
            _isActive[id] = _categories.isActive(_session, id);
        return;
    }
    std::map<std::int64_t, CategoryRecord> all;
    for (CategoryRecord& category : _categories.all(_session))
        all.emplace(category.id, std::move(category));
    for (const std::int64_t id : categories) {
        auto category = all.find(id);
        while (category != all.end() && category->second.isActive && category->second.parentId)
            category = all.find(*category->second.parentId);
        _isActive[id] = category != all.end() && category->second.isActive;
    }
}

} // namespace supplierd::catalog
