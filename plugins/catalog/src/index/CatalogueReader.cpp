#include "index/CatalogueReader.h"

#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace supplierd::catalog {

namespace {

/// Of the statements below.
namespace numbers {
enum : std::size_t {
    Id,
    ChangeSeq,
    State,
    Type,
    CategoryId,
    BasePrice,
    StockQty,
    UpdatedAt,
    NameWeights,
    SkuWeights,
    SkuKey
};
}

// In pieces, so that no result is larger than some megabytes. In the order of the clustered index.
constexpr std::int64_t PIECE = 20'000;
constexpr std::string_view SELECT_PIECE = R"(
SELECT p.id, p.change_seq, p.state, p.type, p.category_id, p.base_price, p.stock_qty,
    TIMESTAMPDIFF(MICROSECOND, '1970-01-01', p.updated_at), WEIGHT_STRING(p.name), WEIGHT_STRING(p.sku), k.sku_key
FROM products p FORCE INDEX (PRIMARY)
    LEFT JOIN product_skus k FORCE INDEX (product_skus_owner) ON k.product_id = p.id AND k.variant_id = 0
WHERE p.supplier_id = ? AND p.deleted = ? AND p.id > ?
ORDER BY p.id LIMIT ?)";

constexpr std::string_view SELECT_OF_VARIANTS = R"(
SELECT product_id, sku_key, WEIGHT_STRING(sku COLLATE utf8mb4_unicode_520_ci)
FROM product_skus FORCE INDEX (PRIMARY)
WHERE supplier_id = ? AND variant_id <> 0)";

constexpr std::string_view SELECT_CHANGED = R"(
SELECT p.id, p.change_seq, p.state, p.type, p.category_id, p.base_price, p.stock_qty,
    TIMESTAMPDIFF(MICROSECOND, '1970-01-01', p.updated_at), WEIGHT_STRING(p.name), WEIGHT_STRING(p.sku), k.sku_key
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN products p FORCE INDEX (products_id) ON p.id = t.id
    LEFT JOIN product_skus k FORCE INDEX (product_skus_owner) ON k.product_id = p.id AND k.variant_id = 0
WHERE p.supplier_id = ?)";

constexpr std::string_view SELECT_CHANGED_NUMBERS = R"(
SELECT p.id, p.change_seq, p.state, p.type, p.category_id, p.base_price, p.stock_qty,
    TIMESTAMPDIFF(MICROSECOND, '1970-01-01', p.updated_at)
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN products p FORCE INDEX (products_id) ON p.id = t.id
WHERE p.supplier_id = ?)";

constexpr std::string_view SELECT_CHANGED_VARIANTS = R"(
SELECT s.product_id, s.sku_key, WEIGHT_STRING(s.sku COLLATE utf8mb4_unicode_520_ci)
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN product_skus s FORCE INDEX (product_skus_owner) ON s.product_id = t.id AND s.variant_id <> 0
WHERE s.supplier_id = ?)";

constexpr std::string_view SELECT_WEIGHTS =
    "SELECT WEIGHT_STRING(CONVERT(? USING utf8mb4) COLLATE utf8mb4_unicode_520_ci)";

/// More changed products than this and more than a part of all: loading is less work.
constexpr std::size_t MANY = 5'000;
constexpr std::size_t PART = 4;
constexpr std::size_t LOG_PIECE = 500;
constexpr std::size_t ENTRIES_AT_MOST = 20'000;

using SkusOfVariants = std::unordered_map<std::int64_t, std::vector<IndexedSku>>;

SkusOfVariants readVariants(Rows& rows) {
    SkusOfVariants skus;
    while (rows.next())
        skus[rows.integer(0)].push_back({std::string(rows.text(2)), hashOfSkuKey(rows.text(1))});
    return skus;
}

IndexedProduct readNumbers(const Rows& row) {
    IndexedProduct product;
    product.id = row.integer(numbers::Id);
    product.changeSeq = row.integer(numbers::ChangeSeq);
    product.state = static_cast<ProductState>(row.integer(numbers::State));
    product.type = row.integer(numbers::Type);
    product.categoryId = row.integer(numbers::CategoryId);
    product.basePrice = row.decimal(numbers::BasePrice).tenThousandths();
    product.stockQty = row.integer(numbers::StockQty);
    product.updatedAt = row.integer(numbers::UpdatedAt);
    return product;
}

IndexedProduct readProduct(const Rows& row, const SkusOfVariants& variants) {
    IndexedProduct product = readNumbers(row);
    IndexedTexts& texts = product.texts.emplace();
    texts.nameWeights = row.text(numbers::NameWeights);
    if (!row.isNull(numbers::SkuWeights)) // one that waits for its key has none: it is searched, and no `sku` finds it
        texts.skus.push_back({std::string(row.text(numbers::SkuWeights)), hashOfSkuKey(row.text(numbers::SkuKey))});
    if (const auto found = variants.find(product.id); found != variants.end())
        texts.skus.insert(texts.skus.end(), found->second.begin(), found->second.end());
    return product;
}

/// Whether the change left names, SKUs, state, type and category as they were.
bool isOfNumbers(std::string_view kind) {
    return kind == ChangeKind::STOCK_CHANGED || kind == ChangeKind::PRICE_CHANGED || kind == ChangeKind::IMAGES_CHANGED;
}

} // namespace

struct CatalogueReader::Changed {
    std::int64_t committed = 0;
    std::set<std::int64_t> whole;
    std::set<std::int64_t> numbers;

    std::size_t count() const { return whole.size() + numbers.size(); }
};

std::unique_ptr<CatalogueIndex> CatalogueReader::load(SqlSession& snapshot, std::int64_t supplierId,
                                                      std::size_t maxBytes) const {
    auto index = std::make_unique<CatalogueIndex>();
    const std::int64_t committed = _changes.committed(snapshot, supplierId);
    const SkusOfVariants variants = readVariants(snapshot.query(SELECT_OF_VARIANTS, {supplierId}));
    std::vector<IndexedProduct> piece;
    for (const std::int64_t deleted : {0, 1}) {
        std::int64_t last = 0;
        do {
            piece.clear();
            Rows& rows = snapshot.query(SELECT_PIECE, {supplierId, deleted, last, PIECE});
            while (rows.next())
                piece.push_back(readProduct(rows, variants));
            index->apply(piece, {}, committed);
            if (index->bytes() > maxBytes)
                return nullptr;
            last = piece.empty() ? 0 : piece.back().id;
        } while (piece.size() == static_cast<std::size_t>(PIECE));
    }
    return index;
}

std::optional<std::size_t> CatalogueReader::refresh(SqlSession& snapshot, std::int64_t supplierId,
                                                    CatalogueIndex& index) const {
    Changed changed;
    if (!collect(snapshot, supplierId, index.changeSeq(), changed) ||
        changed.count() > std::max(MANY, index.products() / PART))
        return std::nullopt;
    std::vector<IndexedProduct> products;
    products.reserve(changed.count());
    std::set<std::int64_t> gone = changed.whole;
    if (!changed.whole.empty()) {
        const std::string ids = jsonArray(changed.whole);
        const SkusOfVariants variants = readVariants(snapshot.query(SELECT_CHANGED_VARIANTS, {ids, supplierId}));
        Rows& rows = snapshot.query(SELECT_CHANGED, {ids, supplierId});
        while (rows.next()) {
            products.push_back(readProduct(rows, variants));
            gone.erase(products.back().id);
        }
    }
    if (!changed.numbers.empty()) {
        const std::string ids = jsonArray(changed.numbers);
        Rows& rows = snapshot.query(SELECT_CHANGED_NUMBERS, {ids, supplierId});
        while (rows.next())
            products.push_back(readNumbers(rows));
    }
    index.apply(products, std::vector(gone.begin(), gone.end()), changed.committed);
    return products.size();
}

bool CatalogueReader::collect(SqlSession& snapshot, std::int64_t supplierId, std::int64_t after,
                              Changed& changed) const {
    std::size_t entries = 0;
    ChangePage page;
    do {
        page = _changes.after(snapshot, supplierId, after, LOG_PIECE);
        changed.committed = page.committed;
        entries += page.entries.size();
        if (!page.isComplete || entries > ENTRIES_AT_MOST)
            return false;
        for (const ChangeEntry& entry : page.entries) {
            after = entry.seq;
            for (const ChangedObjects& objects : entry.objects) {
                if (!std::string_view(objects.kind).starts_with("product."))
                    continue;
                if (objects.areAll)
                    return false;
                auto& ids = isOfNumbers(objects.kind) ? changed.numbers : changed.whole;
                ids.insert(objects.ids.begin(), objects.ids.end());
            }
        }
    } while (page.entries.size() == LOG_PIECE);
    for (const std::int64_t id : changed.whole)
        changed.numbers.erase(id);
    return true;
}

std::string weightsOf(SqlSession& session, std::string_view text) {
    Rows& row = session.query(SELECT_WEIGHTS, {text});
    return row.next() ? std::string(row.text(0)) : std::string();
}

} // namespace supplierd::catalog
