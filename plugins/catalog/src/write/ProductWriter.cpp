#include "ProductWriter.h"

#include "EntityTag.h"
#include "ProductReader.h"
#include "ProductUpdate.h"
#include "VariantWriter.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/services/ChangeLog.h>

#include <algorithm>
#include <string_view>

namespace supplierd::catalog {

namespace {

constexpr std::string_view SELECT_CURRENT = R"(
SELECT version, name, category_id, base_price, unit, type, description, sku, stock_qty, min_order_qty,
    color, stem_length, country_of_origin, vat_rate, is_active
FROM products FORCE INDEX (PRIMARY)
WHERE supplier_id = ? AND deleted = 0 AND id = ?
)";
constexpr std::string_view LOCKED = "FOR UPDATE";

constexpr std::size_t FIRST_FIELD = 1;

constexpr std::string_view INSERT_PRODUCT = R"(
INSERT INTO products (supplier_id, name, category_id, base_price, unit, type, description, sku, stock_qty,
    min_order_qty, color, stem_length, country_of_origin, vat_rate, is_of_sandbox, change_seq, version)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))";

// One text whatever a request names: a column that it does not name keeps its value. Each assignment looks at its own
// column only, so their order does not matter.
constexpr ProductUpdate CHANGE_PRODUCT{.set = R"(
    name = IF(?, ?, name), category_id = IF(?, ?, category_id), base_price = IF(?, ?, base_price),
    unit = IF(?, ?, unit), type = IF(?, ?, type), description = IF(?, ?, description), sku = IF(?, ?, sku),
    stock_qty = IF(?, ?, stock_qty), min_order_qty = IF(?, ?, min_order_qty), color = IF(?, ?, color),
    stem_length = IF(?, ?, stem_length), country_of_origin = IF(?, ?, country_of_origin),
    vat_rate = IF(?, ?, vat_rate), is_active = IF(?, ?, is_active))",
                                       .where = "supplier_id = ? AND deleted = 0 AND id = ?"};

constexpr ProductUpdate DELETE_PRODUCT{.set = "deleted = 1, deleted_at = NOW(6), primary_image = NULL",
                                       .where = "supplier_id = ? AND deleted = 0 AND id = ?"};

/// The two parameters of a column's assignment.
template <class T>
void append(std::vector<SqlParam>& params, const Field<T>& field) {
    params.emplace_back(field.present);
    params.emplace_back(field.value);
}

void findTooManyImages(std::size_t existing, std::size_t added, Details& details) {
    if (existing + added > ImageIngest::MAX_IMAGES)
        details.add("image_url", "too_many",
                    "The product has " + std::to_string(existing) + " images; with " + std::to_string(added) +
                        " more it would have more than " + std::to_string(ImageIngest::MAX_IMAGES));
}

ApiError noSuchProduct() {
    return ApiError::notFound("Product not found");
}

std::int64_t lastChange(SqlSession& session, std::int64_t supplierId) {
    static const std::string SQL = std::string("SELECT ").append(LAST_CHANGE);
    Rows& row = session.query(SQL, {supplierId});
    return row.next() ? row.integer(0) : 0;
}

/// What an update of a product is for those who follow its stock, its price or its images.
void note(Change& change, std::int64_t productId, const StoredProduct& before, const ProductInput& input) {
    const auto names = [&input](auto field) {
        return std::any_of(input.variants.begin(), input.variants.end(),
                           [&](const VariantInput& variant) { return variant.remove || (variant.*field).present; });
    };
    change.note(ChangeKind::PRODUCT_UPDATED, productId);
    if (input.stockQty.valueOr(before.stockQty) != before.stockQty || names(&VariantInput::stockQty))
        change.note(ChangeKind::STOCK_CHANGED, productId);
    if (input.basePrice.valueOr(before.basePrice) != before.basePrice || names(&VariantInput::basePrice))
        change.note(ChangeKind::PRICE_CHANGED, productId);
    if (!input.imageUrls.empty())
        change.note(ChangeKind::IMAGES_CHANGED, productId);
}

} // namespace

Response ProductWriter::create(Request& request) {
    Details details;
    const ProductInput input = ProductInput::read(request.body(), ProductInput::Purpose::Create, _images, details);
    if (!details.empty())
        request.database().withSession([&](SqlSession& session) { throwWithAllProblems(session, input, 0, details); });
    RequestedImages images(_images, input.imageUrls);
    if (!images.empty()) {
        refuseBeforeFetching(request.database(), input, 0);
        images.fetch(_supplierId);
    }
    return request.transact([&](Transaction& transaction) {
        const std::int64_t id = create(transaction, input, images);
        return answer(request, transaction, id, images, true);
    });
}

std::int64_t ProductWriter::create(Transaction& transaction, const JsonObject& fields) {
    Details details;
    const ProductInput input = ProductInput::read(fields, ProductInput::Purpose::Create, nullptr, details);
    if (!details.empty())
        throwWithAllProblems(transaction, input, 0, details);
    RequestedImages none(nullptr, input.imageUrls);
    return create(transaction, input, none);
}

std::int64_t ProductWriter::create(Transaction& transaction, const ProductInput& input, RequestedImages& images) {
    Change& change = transaction.change(_supplierId);
    Details problems;
    findProblems(transaction, input, 0, std::nullopt, problems);
    problems.throwIfAny();
    const std::int64_t id = insert(transaction, input, change.seq());
    change.note(ChangeKind::PRODUCT_CREATED, id);
    SkuRegister skus(transaction, _supplierId, 0);
    if (input.sku.hasValue())
        skus.claim(id, {"sku", *input.sku.value});
    VariantWriter variants(transaction, _supplierId, 0, input.variants);
    variants.apply(id, skus);
    ProductChanges changes;
    changes.created(input);
    variants.describe(changes);
    addImages(transaction, images, id, changes);
    record(transaction, changes, "create", id);
    return id;
}

Response ProductWriter::update(Request& request) {
    Details details;
    const ProductInput input = ProductInput::read(request.body(), ProductInput::Purpose::Update, _images, details);
    const std::int64_t id = request.pathInteger("id");
    if (!details.empty())
        request.database().withSession([&](SqlSession& session) { throwWithAllProblems(session, input, id, details); });
    RequestedImages images(_images, input.imageUrls);
    if (!images.empty()) {
        refuseBeforeFetching(request.database(), input, id);
        images.fetch(_supplierId);
    }
    return request.transact([&](Transaction& transaction) {
        if (input.isEmpty() && images.count() == 0) {
            lock(transaction, id);
            // As of this number: nobody changes the product until the end of the transaction.
            const std::int64_t present = lastChange(transaction, _supplierId);
            Response unchanged = answer(request, transaction, id, images, false);
            unchanged.header(std::string(CHANGE_SEQ_HEADER), std::to_string(present));
            return unchanged;
        }
        update(transaction, id, input, images);
        return answer(request, transaction, id, images, false);
    });
}

void ProductWriter::update(Transaction& transaction, std::int64_t productId, const JsonObject& fields) {
    Details details;
    const ProductInput input = ProductInput::read(fields, ProductInput::Purpose::Update, nullptr, details);
    if (!details.empty())
        throwWithAllProblems(transaction, input, productId, details);
    update(transaction, productId, input);
}

void ProductWriter::update(Transaction& transaction, std::int64_t productId, const ProductInput& input) {
    RequestedImages none(nullptr, input.imageUrls);
    if (input.isEmpty())
        lock(transaction, productId); // changes nothing, but a product that is not there is told
    else
        update(transaction, productId, input, none);
}

void ProductWriter::update(Transaction& transaction, std::int64_t productId, const ProductInput& input,
                           RequestedImages& images) {
    Change& noted = transaction.change(_supplierId);
    const Current current = lock(transaction, productId);
    Details problems;
    findProblems(transaction, input, productId, current.fields.sku, problems);
    problems.throwIfAny();
    change(transaction, input, productId, noted.seq());
    note(noted, productId, current.fields, input);
    SkuRegister skus(transaction, _supplierId, productId);
    const bool otherSku = input.sku.present && input.sku.value != current.fields.sku;
    if (otherSku && current.fields.sku)
        skus.release(SkuClaim::PRODUCT);
    VariantWriter variants(transaction, _supplierId, productId, input.variants);
    variants.apply(productId, skus);
    if (otherSku && input.sku.hasValue())
        skus.claim(productId, {"sku", *input.sku.value});
    ProductChanges changes;
    changes.changed(current.fields, input);
    variants.describe(changes);
    addImages(transaction, images, productId, changes);
    record(transaction, changes, "update", productId);
}

Response ProductWriter::remove(Request& request) {
    const std::int64_t id = request.pathInteger("id");
    std::vector<std::string> imageFiles;
    Response response = request.transact([&](Transaction& transaction) {
        imageFiles = remove(transaction, id);
        Response deletion = request.reply();
        JsonWriter(deletion.data).beginObject().field("id", id).field("deleted", true).endObject();
        return deletion;
    });
    if (!imageFiles.empty())
        _images->removeFiles(imageFiles);
    return response;
}

std::vector<std::string> ProductWriter::remove(Transaction& transaction, std::int64_t productId) {
    std::vector<std::string> imageFiles;
    Change& change = transaction.change(_supplierId);
    const Current current = lock(transaction, productId);
    if (_images != nullptr)
        imageFiles = _images->removeAll(transaction, productId);
    static const std::string SQL = DELETE_PRODUCT.sql();
    transaction.execute(SQL, {change.seq(), _supplierId, productId});
    change.note(ChangeKind::PRODUCT_DELETED, productId);
    SkuRegister(transaction, _supplierId, productId).giveUpAll();
    ProductChanges changes;
    changes.deleted(current.fields);
    record(transaction, changes, "delete", productId);
    return imageFiles;
}

ProductWriter::Current ProductWriter::look(SqlSession& session, std::int64_t productId) const {
    return currentOf(session.query(SELECT_CURRENT, {_supplierId, productId}));
}

ProductWriter::Current ProductWriter::lock(Transaction& transaction, std::int64_t productId) const {
    static const std::string SQL = std::string(SELECT_CURRENT).append(LOCKED);
    return currentOf(transaction.query(SQL, {_supplierId, productId}));
}

ProductWriter::Current ProductWriter::currentOf(Rows& row) const {
    if (!row.next())
        throw noSuchProduct();
    Current current;
    current.version = row.integer(0);
    current.fields = StoredProduct::read(row, FIRST_FIELD);
    if (_ifMatch && !namesVersion(*_ifMatch, current.version))
        throw ApiError::preconditionFailed("The product has changed: its version is now " +
                                           std::to_string(current.version));
    return current;
}

void ProductWriter::findProblems(SqlSession& session, const ProductInput& input, std::int64_t productId,
                                 const std::optional<std::string>& currentSku, Details& details) const {
    if (input.categoryId.hasValue() && !_categories.isActive(session, *input.categoryId.value))
        details.add("category_id", "unknown_reference", "category_id is not an active category");
    const VariantWriter variants(session, _supplierId, productId, input.variants);
    if (productId != 0)
        variants.findProblems(details);
    std::vector<SkuClaim> claims;
    std::set<std::int64_t> released;
    if (input.sku.hasValue())
        claims.push_back({"sku", *input.sku.value});
    if (input.sku.present && input.sku.value != currentSku)
        released.insert(SkuClaim::PRODUCT);
    variants.collectSkus(claims, released);
    SkuRegister(session, _supplierId, productId).findDuplicates(claims, released, details);
}

void ProductWriter::throwWithAllProblems(SqlSession& session, const ProductInput& input, std::int64_t productId,
                                         const Details& details) const {
    if (productId != 0)
        look(session, productId); // a product that is not there is 404, whatever the body says
    Details all = details;
    findProblems(session, input, productId, std::nullopt, all);
    all.throwIfAny();
}

void ProductWriter::refuseBeforeFetching(Database& database, const ProductInput& input, std::int64_t productId) const {
    Details problems;
    database.withSession([&](SqlSession& session) {
        problems = {};
        std::optional<std::string> currentSku;
        if (productId != 0) {
            currentSku = look(session, productId).fields.sku;
            findTooManyImages(_images->imagesOf(session, productId).size(), RequestedImages::countOf(input.imageUrls),
                              problems);
        }
        findProblems(session, input, productId, currentSku, problems);
    });
    problems.throwIfAny();
}

std::int64_t ProductWriter::insert(Transaction& transaction, const ProductInput& input, std::int64_t seq) const {
    const bool isOfSandbox = _sandboxes.contains(transaction, _supplierId);
    transaction.execute(INSERT_PRODUCT,
                        {_supplierId, input.name.value, input.categoryId.value, input.basePrice.value, input.unit.value,
                         input.type.value, input.description.value, input.sku.value, input.stockQty.value,
                         input.minOrderQty.value, input.color.value, input.stemLength.value,
                         input.countryOfOrigin.value, input.vatRate.value, isOfSandbox, seq, firstVersion(seq)});
    return transaction.lastInsertId();
}

/// Sets only what the request names.
void ProductWriter::change(Transaction& transaction, const ProductInput& input, std::int64_t productId,
                           std::int64_t seq) const {
    std::vector<SqlParam> params{seq};
    params.reserve(31);
    append(params, input.name);
    append(params, input.categoryId);
    append(params, input.basePrice);
    append(params, input.unit);
    append(params, input.type);
    append(params, input.description);
    append(params, input.sku);
    append(params, input.stockQty);
    append(params, input.minOrderQty);
    append(params, input.color);
    append(params, input.stemLength);
    append(params, input.countryOfOrigin);
    append(params, input.vatRate);
    append(params, input.isActive);
    params.emplace_back(_supplierId);
    params.emplace_back(productId);
    static const std::string SQL = CHANGE_PRODUCT.sql();
    transaction.execute(SQL, params);
}

void ProductWriter::addImages(Transaction& transaction, RequestedImages& images, std::int64_t productId,
                              ProductChanges& changes) const {
    if (images.count() == 0)
        return;
    const std::vector<ProductImage> before = _images->imagesOf(transaction, productId);
    images.addTo(transaction, productId);
    changes.images(before, _images->imagesOf(transaction, productId));
}

void ProductWriter::record(Transaction& transaction, ProductChanges& changes, std::string_view verb,
                           std::int64_t productId) const {
    changes.record(transaction, _audit, auditEntry(_actor, "product", verb, productId, _supplierId));
}

Response ProductWriter::answer(Request& request, SqlSession& session, std::int64_t productId,
                               const RequestedImages& images, bool created) const {
    Response response = request.reply(created ? 201 : 200);
    JsonWriter json(response.data);
    json.beginObject();
    const auto written = writeProduct(session, _images, _supplierId, productId, json);
    if (!written)
        throw noSuchProduct();
    if (created || !images.empty())
        images.writeErrors(json.key("image_errors"));
    json.endObject();
    response.header("ETag", written->shown.entityTag());
    if (created)
        response.header("Location", std::string(request.path()) + '/' + std::to_string(productId));
    return response;
}

} // namespace supplierd::catalog
