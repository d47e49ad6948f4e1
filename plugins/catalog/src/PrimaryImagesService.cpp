#include "PrimaryImagesService.h"

#include "ProductUpdate.h"

#include <supplierd/JsonWriter.h>
#include <supplierd/services/ChangeLog.h>

#include <string>
#include <string_view>

namespace supplierd::catalog {

namespace {

constexpr std::string_view IS_LIVE = R"(
SELECT 1 FROM products FORCE INDEX (PRIMARY) WHERE supplier_id = ? AND deleted = 0 AND id = ?)";

constexpr std::string_view SELECT_LIVE = R"(
SELECT STRAIGHT_JOIN p.id
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    JOIN products p FORCE INDEX (products_id) ON p.id = t.id AND p.deleted = 0)";

constexpr ProductUpdate STAMP_PRODUCT{.where = "supplier_id = ? AND deleted = 0 AND id = ?"};

constexpr std::string_view SET_PRIMARY_IMAGE = "UPDATE products SET primary_image = ? WHERE id = ?";

constexpr std::string_view SELECT_PRIMARY_IMAGES = R"(
SELECT id, supplier_id, deleted, primary_image FROM products FORCE INDEX (products_id) WHERE id > ?
ORDER BY id LIMIT ?)";

} // namespace

bool PrimaryImagesService::isLive(SqlSession& session, std::int64_t supplierId, std::int64_t productId) {
    return session.query(IS_LIVE, {supplierId, productId}).next();
}

std::set<std::int64_t> PrimaryImagesService::deletedOf(SqlSession& session, std::span<const std::int64_t> productIds) {
    std::set<std::int64_t> deleted(productIds.begin(), productIds.end());
    std::string ids;
    JsonWriter json(ids);
    json.beginArray();
    for (const std::int64_t id : deleted)
        json.value(id);
    json.endArray();
    Rows& live = session.query(SELECT_LIVE, {ids});
    while (live.next())
        deleted.erase(live.integer(0));
    return deleted;
}

bool PrimaryImagesService::stamp(Transaction& transaction, std::int64_t supplierId, std::int64_t productId) {
    static const std::string SQL = STAMP_PRODUCT.sql();
    Change& change = transaction.change(supplierId);
    if (transaction.execute(SQL, {change.seq(), supplierId, productId}) == 0)
        return false;
    change.note(ChangeKind::IMAGES_CHANGED, productId);
    return true;
}

void PrimaryImagesService::set(Transaction& transaction, std::int64_t productId,
                               const std::optional<std::string>& path) {
    transaction.execute(SET_PRIMARY_IMAGE, {path, productId});
}

std::vector<PrimaryImage> PrimaryImagesService::after(SqlSession& session, std::int64_t productId, std::size_t limit) {
    std::vector<PrimaryImage> images;
    Rows& rows = session.query(SELECT_PRIMARY_IMAGES, {productId, limit});
    while (rows.next())
        images.push_back({rows.integer(0), rows.integer(1), rows.boolean(2), rows.maybeText(3)});
    return images;
}

} // namespace supplierd::catalog
