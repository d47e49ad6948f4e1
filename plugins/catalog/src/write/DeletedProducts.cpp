#include "DeletedProducts.h"

#include <supplierd/JsonWriter.h>

#include <array>
#include <limits>
#include <string_view>

namespace supplierd::catalog {

namespace {

/// So many in one transaction: their supplier's other writers wait for it. Fewer than the change log keeps ids of.
constexpr std::int64_t PIECE = 500;

// By the primary key, of which it reads the end of each supplier's part.
constexpr std::string_view SELECT_SUPPLIERS = R"(
SELECT supplier_id FROM products FORCE INDEX (PRIMARY) GROUP BY supplier_id HAVING MAX(deleted) = 1)";

constexpr std::string_view SELECT_PIECE = R"(
SELECT id FROM products FORCE INDEX (PRIMARY)
WHERE supplier_id = ? AND deleted = 1 AND id > ? AND change_seq <= ?
ORDER BY id LIMIT ?)";

constexpr std::string_view SELECT_THERE = R"(
SELECT p.id
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN products p FORCE INDEX (PRIMARY) ON p.supplier_id = ? AND p.deleted = 1 AND p.id = t.id
WHERE p.change_seq <= ?)";

/// What hangs on products, and themselves last. By primary keys or those that begin with the product.
constexpr std::array<std::string_view, 4> DELETES{R"(
DELETE k FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN skus_without_key k FORCE INDEX (PRIMARY) ON k.product_id = t.id)",
                                                  R"(
DELETE k FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN product_skus k FORCE INDEX (product_skus_owner) ON k.product_id = t.id)",
                                                  R"(
DELETE v FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN product_variants v FORCE INDEX (product_variants_product) ON v.product_id = t.id)",
                                                  R"(
DELETE p FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN products p FORCE INDEX (products_id) ON p.id = t.id)"};

std::vector<std::int64_t> readIds(Rows& rows) {
    std::vector<std::int64_t> ids;
    while (rows.next())
        ids.push_back(rows.integer(0));
    return ids;
}

} // namespace

void DeletedProducts::remove(JobRun& run) {
    const Ids suppliers =
        _dependencies.database.read([](SqlSession& session) { return readIds(session.query(SELECT_SUPPLIERS)); });
    Result result;
    for (const std::int64_t supplierId : suppliers)
        removeOf(run, supplierId, result);
    run.report("removed " + std::to_string(result.removed) + " deleted products" +
               (result.held == 0 ? "" : ", " + std::to_string(result.held) + " are still in use"));
    if (result.held > 0)
        _dependencies.log.warning("deleted products stay, since rows of a table beyond the catalog point at them",
                                  {{"products", std::to_string(result.held)}});
}

/// The log only ever loses its oldest entries: where it begins now is no later than where anybody sees it begin who
/// sees the products gone.
void DeletedProducts::removeOf(JobRun& run, std::int64_t supplierId, Result& result) {
    const std::int64_t logBegin = _dependencies.database.read([&](SqlSession& session) {
        return _dependencies.changes.after(session, supplierId, std::numeric_limits<std::int64_t>::max(), 1)
            .removedUpTo;
    });
    Ids ids;
    std::int64_t last = 0;
    do {
        run.throwIfStopped();
        // Without the supplier's lock, which is taken only where there is something to remove: it gives a number.
        ids = _dependencies.database.read([&](SqlSession& session) {
            return readIds(session.query(SELECT_PIECE, {supplierId, last, logBegin, PIECE}));
        });
        if (ids.empty())
            return;
        last = ids.back();
        removePiece(run, supplierId, logBegin, ids, result);
    } while (ids.size() == static_cast<std::size_t>(PIECE));
}

void DeletedProducts::removePiece(JobRun& run, std::int64_t supplierId, std::int64_t logBegin,
                                  std::span<const std::int64_t> ids, Result& result) {
    std::vector<std::string> imageFiles;
    std::int64_t removed = 0;
    try {
        run.withTransaction([&](Transaction& transaction) {
            removed = removeWithin(transaction, supplierId, logBegin, ids, imageFiles);
        });
    } catch (const DatabaseError& error) {
        if (!error.isForeignKey())
            throw;
        if (ids.size() == 1) {
            ++result.held;
            return;
        }
        const std::size_t half = ids.size() / 2;
        removePiece(run, supplierId, logBegin, ids.first(half), result);
        removePiece(run, supplierId, logBegin, ids.subspan(half), result);
        return;
    }
    result.removed += removed;
    if (!imageFiles.empty())
        _images->removeFiles(imageFiles);
}

std::int64_t DeletedProducts::removeWithin(Transaction& transaction, std::int64_t supplierId, std::int64_t logBegin,
                                           std::span<const std::int64_t> ids,
                                           std::vector<std::string>& imageFiles) const {
    imageFiles.clear();
    Change& change = transaction.change(supplierId);
    const Ids there = readIds(transaction.query(SELECT_THERE, {jsonArray(ids), supplierId, logBegin}));
    if (there.empty()) {
        change.withdraw();
        return 0;
    }
    // A delete takes the images along, but where nobody offered any at that time.
    if (_images != nullptr) {
        const auto images = _images->imagesOfAll(transaction, there);
        for (std::size_t i = 0; i < there.size(); ++i)
            if (!images[i].empty()) {
                const auto files = _images->removeAll(transaction, there[i]);
                imageFiles.insert(imageFiles.end(), files.begin(), files.end());
            }
    }
    const std::string all = jsonArray(there);
    for (const std::string_view statement : DELETES)
        transaction.execute(statement, {all});
    change.note(ChangeKind::PRODUCT_REMOVED, there);
    return static_cast<std::int64_t>(there.size());
}

} // namespace supplierd::catalog
