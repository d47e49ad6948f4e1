#include "ProductEditor.h"

#include "EntityTag.h"
#include "ProductApproval.h"
#include "ProductChanges.h"
#include "ProductReader.h"
#include "ProductUpdate.h"
#include "SkuRegister.h"
#include "VariantWriter.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/internal/LastChange.h>
#include <supplierd/services/ChangeLog.h>

#include <array>
#include <string_view>

namespace supplierd::catalog {

namespace {

constexpr std::string_view OF_PRODUCT = R"(
FROM products FORCE INDEX (PRIMARY)
WHERE supplier_id = ? AND deleted = 0 AND id = ?)";

constexpr std::size_t FIRST_FIELD = 2; // behind the version and the approval

constexpr ProductUpdate DELETE_PRODUCT{.set = "deleted = 1, deleted_at = NOW(6), primary_image = NULL",
                                       .where = "supplier_id = ? AND deleted = 0 AND id = ?"};

std::string selectCurrent() {
    return std::string("SELECT version, approval, ").append(sqlOfFields(PRODUCT_FIELDS, "$")).append(OF_PRODUCT);
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

} // namespace

Response ProductEditor::create(Request& request) {
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
        ProductWrite product{.input = input, .stored = {}, .images = &images};
        create(transaction, product);
        return answer(request, transaction, product.id, images, true);
    });
}

void ProductEditor::create(Transaction& transaction, ProductWrite& product) {
    transaction.change(_supplierId);
    Details problems;
    findProblems(transaction, product.input, 0, {}, problems);
    problems.throwIfAny();
    write(transaction, product);
}

Response ProductEditor::update(Request& request) {
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
            unchanged.addHeader(std::string(CHANGE_SEQ_HEADER), std::to_string(present));
            return unchanged;
        }
        ProductWrite product{.id = id, .input = input, .stored = {}, .images = &images};
        update(transaction, product);
        return answer(request, transaction, id, images, false);
    });
}

void ProductEditor::update(Transaction& transaction, ProductWrite& product) {
    transaction.change(_supplierId);
    product.stored = lock(transaction, product.id).fields;
    Details problems;
    findProblems(transaction, product.input, product.id, product.stored, problems);
    problems.throwIfAny();
    write(transaction, product);
}

Response ProductEditor::submit(Request& request) {
    const std::int64_t id = request.pathInteger("id");
    return request.transact([&](Transaction& transaction) {
        Change& change = transaction.change(_supplierId);
        const bool isRejected = lock(transaction, id).approval == Approval::Rejected;
        if (isRejected)
            submitProduct(transaction, _audit, id, _actor);
        Response response = answer(request, transaction, id, RequestedImages(_images, {}), false);
        if (!isRejected)
            response.addHeader(std::string(CHANGE_SEQ_HEADER), std::to_string(change.withdraw()));
        return response;
    });
}

Response ProductEditor::remove(Request& request) {
    const std::int64_t id = request.pathInteger("id");
    return request.transact([&](Transaction& transaction) {
        remove(transaction, id);
        Response deletion = request.reply();
        JsonWriter(deletion.data).beginObject().field("id", id).field("deleted", true).endObject();
        return deletion;
    });
}

void ProductEditor::remove(Transaction& transaction, std::int64_t productId) {
    std::vector<std::string> imageFiles;
    Change& change = transaction.change(_supplierId);
    const Current current = lock(transaction, productId);
    if (_images != nullptr)
        imageFiles = _images->removeAll(transaction, productId);
    static const std::string SQL = DELETE_PRODUCT.sql();
    transaction.execute(SQL, {change.seq(), _supplierId, productId});
    change.note(ChangeKind::PRODUCT_DELETED, std::span(&productId, 1),
                [images = _images, files = std::move(imageFiles)](bool) {
                    if (!files.empty())
                        images->removeFiles(files);
                });
    SkuRegister(transaction, _supplierId, productId).giveUpAll();
    ProductChanges changes;
    changes.deleted(current.fields);
    changes.record(transaction, _audit, auditEntry(_actor, "product", "delete", productId, _supplierId));
}

ProductEditor::Current ProductEditor::read(SqlSession& session, std::int64_t productId) const {
    static const std::string SQL = selectCurrent();
    return currentOf(session.query(SQL, {_supplierId, productId}));
}

ProductEditor::Current ProductEditor::lock(Transaction& transaction, std::int64_t productId) const {
    static const std::string SQL = selectCurrent() + " FOR UPDATE";
    return currentOf(transaction.query(SQL, {_supplierId, productId}));
}

ProductEditor::Current ProductEditor::currentOf(Rows& row) const {
    if (!row.next())
        throw noSuchProduct();
    Current current;
    current.version = row.integer(0);
    current.approval = static_cast<Approval>(row.integer(1));
    current.fields = ProductValues::read(row, FIRST_FIELD);
    if (_ifMatch && !namesVersion(*_ifMatch, current.version))
        throw ApiError::preconditionFailed("The product has changed: its version is now " +
                                           std::to_string(current.version));
    return current;
}

void ProductEditor::findProblems(SqlSession& session, const ProductInput& input, std::int64_t productId,
                                 const ProductValues& current, Details& details) const {
    const auto* category = input.values.find<std::int64_t>(field::CATEGORY_ID);
    if (category != nullptr && !_categories.isActive(session, *category))
        details.add("category_id", "unknown_reference", "category_id is not an active category");
    const VariantWriter variants(session, _supplierId, productId, input.variants);
    if (productId != 0)
        variants.findProblems(details);
    std::vector<SkuClaim> claims;
    std::set<std::int64_t> released;
    if (const auto* sku = input.values.text(field::SKU))
        claims.push_back({"sku", *sku});
    if (input.values.changes(field::SKU, current))
        released.insert(SkuClaim::PRODUCT);
    variants.collectSkus(claims, released);
    SkuRegister(session, _supplierId, productId).findDuplicates(claims, released, details);
}

void ProductEditor::throwWithAllProblems(SqlSession& session, const ProductInput& input, std::int64_t productId,
                                         const Details& details) const {
    if (productId != 0)
        read(session, productId); // a product that is not there is 404, whatever the body says
    Details all = details;
    findProblems(session, input, productId, {}, all);
    all.throwIfAny();
}

void ProductEditor::refuseBeforeFetching(Database& database, const ProductInput& input, std::int64_t productId) const {
    Details problems;
    database.withSession([&](SqlSession& session) {
        problems = {};
        ProductValues current;
        if (productId != 0) {
            current = read(session, productId).fields;
            findTooManyImages(_images->imagesOf(session, productId).size(), RequestedImages::countOf(input.imageUrls),
                              problems);
        }
        findProblems(session, input, productId, current, problems);
    });
    problems.throwIfAny();
}

void ProductEditor::write(Transaction& transaction, ProductWrite& product) const {
    const std::array products{&product};
    ProductWriter(transaction, {_images, _audit, _sandboxes}, _supplierId, _actor).write(products);
}

Response ProductEditor::answer(Request& request, SqlSession& session, std::int64_t productId,
                               const RequestedImages& images, bool created) const {
    Response response = request.reply(created ? 201 : 200);
    JsonWriter json(response.data);
    json.beginObject().key("product");
    const auto written = writeProduct(session, _images, _supplierId, productId, json);
    if (!written)
        throw noSuchProduct();
    if (created || !images.empty())
        images.writeErrors(json.key("image_errors"));
    json.endObject();
    response.addHeader("ETag", written->shown.entityTag());
    if (created)
        response.addHeader("Location", std::string(request.path()) + '/' + std::to_string(productId));
    return response;
}

} // namespace supplierd::catalog
