#include "index/CatalogueReader.h"

#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <iterator>
#include <limits>
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
constexpr std::size_t BATCH = 1'000;
constexpr std::string_view SELECT_PIECE = R"(
SELECT p.id, p.change_seq, p.state, p.type, p.category_id, p.base_price, p.stock_qty,
    TIMESTAMPDIFF(MICROSECOND, '1970-01-01', p.updated_at), WEIGHT_STRING(p.name), WEIGHT_STRING(p.sku)
FROM products p FORCE INDEX (PRIMARY)
WHERE p.supplier_id = ? AND p.deleted = ? AND p.id > ?
ORDER BY p.id LIMIT ?)";

// One pass over a supplier's SKUs: looking for each product's took the database twice as long as the products.
constexpr std::string_view SELECT_SKUS = R"(
SELECT product_id, sku_key, IF(variant_id = 0, NULL, WEIGHT_STRING(sku COLLATE utf8mb4_unicode_520_ci))
FROM product_skus FORCE INDEX (PRIMARY)
WHERE supplier_id = ? LIMIT ?)";

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

/// More changed products than this and more than a part of all: loading is less work.
constexpr std::size_t MANY = 5'000;
constexpr std::size_t PART = 4;
constexpr std::size_t LOG_PIECE = 500;
constexpr std::size_t ENTRIES_AT_MOST = 20'000;

/// One that has forgotten a larger part of its products is loaded anew: they take memory as if they were there.
constexpr std::size_t FORGOTTEN_PART = 8;

/// What a SKU adds to an index: its hash, its product, its mark and six characters; of shorter ones there are few.
constexpr std::size_t BYTES_OF_A_SKU_AT_LEAST = 16;

using SkusOfVariants = std::unordered_map<std::int64_t, std::vector<IndexedSku>>;

SkusOfVariants readVariants(Rows& rows) {
    SkusOfVariants skus;
    while (rows.next())
        skus[rows.integer(0)].push_back({std::string(rows.text(2)), hashOfSkuKey(rows.text(1))});
    return skus;
}

/// All SKUs of a supplier.
class SkusOfSupplier {
public:
    /// No more than so many are read.
    SkusOfSupplier(SqlSession& snapshot, std::int64_t supplierId, std::size_t limit) {
        Rows& rows = snapshot.query(SELECT_SKUS, {supplierId, limit});
        for (; rows.next(); ++_count) {
            const std::uint64_t hash = hashOfSkuKey(rows.text(1));
            if (rows.isNull(2))
                _own.push_back({rows.integer(0), hash});
            else
                _variants[rows.integer(0)].push_back({std::string(rows.text(2)), hash});
        }
        std::sort(_own.begin(), _own.end(), [](const Own& a, const Own& b) { return a.productId < b.productId; });
        _next = _own.begin();
    }

    std::size_t count() const { return _count; }
    const SkusOfVariants& ofVariants() const { return _variants; }
    /// Of the product's own SKU. Ids are asked for in ascending order, several times over.
    std::optional<std::uint64_t> hashOf(std::int64_t productId) {
        if (_next != _own.begin() && std::prev(_next)->productId >= productId)
            _next = _own.begin();
        while (_next != _own.end() && _next->productId < productId)
            ++_next;
        const bool isThere = _next != _own.end() && _next->productId == productId;
        return isThere ? std::optional(_next->hash) : std::nullopt;
    }

private:
    struct Own {
        std::int64_t productId;
        std::uint64_t hash;
    };

    std::size_t _count = 0;
    std::vector<Own> _own;
    std::vector<Own>::const_iterator _next;
    SkusOfVariants _variants;
};

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

/// One that waits for its SKU's key has no hash: it is searched, and no `sku` finds it.
template <class HashOfOwnSku>
IndexedProduct readProduct(const Rows& row, HashOfOwnSku hashOfOwnSku, const SkusOfVariants& variants) {
    IndexedProduct product = readNumbers(row);
    IndexedTexts& texts = product.texts.emplace();
    texts.nameWeights = row.text(numbers::NameWeights);
    if (!row.isNull(numbers::SkuWeights))
        texts.skus.push_back({std::string(row.text(numbers::SkuWeights)), hashOfOwnSku(product.id)});
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
    std::int64_t logBegin = 0;
    std::set<std::int64_t> whole;
    std::set<std::int64_t> numbers;
    std::set<std::int64_t> removed;

    std::size_t count() const { return whole.size() + numbers.size(); }
};

std::unique_ptr<CatalogueIndex> CatalogueReader::load(SqlSession& snapshot, std::int64_t supplierId,
                                                      std::size_t maxBytes) const {
    auto index = std::make_unique<CatalogueIndex>();
    const ChangePage log = _changes.after(snapshot, supplierId, std::numeric_limits<std::int64_t>::max(), 1);
    const std::size_t skusAtMost = maxBytes / BYTES_OF_A_SKU_AT_LEAST;
    SkusOfSupplier skus(snapshot, supplierId, skusAtMost + 1);
    if (skus.count() > skusAtMost)
        return nullptr;
    const auto hashOf = [&](std::int64_t id) { return skus.hashOf(id).value_or(hashOfSkuKey({})); };
    std::vector<IndexedProduct> batch;
    const auto apply = [&] {
        index->apply(batch, {}, log.committed, log.first);
        batch.clear();
    };
    for (const std::int64_t deleted : {0, 1}) {
        std::int64_t last = 0;
        std::int64_t read = 0;
        do {
            Rows& rows = snapshot.query(SELECT_PIECE, {supplierId, deleted, last, PIECE});
            for (read = 0; rows.next(); ++read) {
                batch.push_back(readProduct(rows, hashOf, skus.ofVariants()));
                last = batch.back().id;
                // While the database finds the next ones. Tombstones have to be put among all others: fewer times.
                if (deleted == 0 && batch.size() == BATCH)
                    apply();
            }
            apply();
            if (index->bytes() > maxBytes)
                return nullptr;
        } while (read == PIECE);
    }
    return index;
}

std::optional<std::size_t> CatalogueReader::refresh(SqlSession& snapshot, std::int64_t supplierId,
                                                    CatalogueIndex& index) const {
    Changed changed;
    if (!collect(snapshot, supplierId, index.changeSeq(), changed) ||
        changed.count() > std::max(MANY, index.products() / PART) ||
        index.forgotten() + changed.removed.size() > index.products() / FORGOTTEN_PART)
        return std::nullopt;
    std::vector<IndexedProduct> products;
    products.reserve(changed.count());
    std::set<std::int64_t> gone = changed.removed;
    gone.insert(changed.whole.begin(), changed.whole.end());
    if (!changed.whole.empty()) {
        const std::string ids = jsonArray(changed.whole);
        const SkusOfVariants variants = readVariants(snapshot.query(SELECT_CHANGED_VARIANTS, {ids, supplierId}));
        Rows& rows = snapshot.query(SELECT_CHANGED, {ids, supplierId});
        const auto hashOf = [&](std::int64_t) { return hashOfSkuKey(rows.text(numbers::SkuKey)); };
        while (rows.next()) {
            products.push_back(readProduct(rows, hashOf, variants));
            gone.erase(products.back().id);
        }
    }
    if (!changed.numbers.empty()) {
        const std::string ids = jsonArray(changed.numbers);
        Rows& rows = snapshot.query(SELECT_CHANGED_NUMBERS, {ids, supplierId});
        while (rows.next())
            products.push_back(readNumbers(rows));
    }
    index.apply(products, std::vector(gone.begin(), gone.end()), changed.committed, changed.logBegin);
    return products.size();
}

bool CatalogueReader::collect(SqlSession& snapshot, std::int64_t supplierId, std::int64_t after,
                              Changed& changed) const {
    std::size_t entries = 0;
    ChangePage page;
    do {
        page = _changes.after(snapshot, supplierId, after, LOG_PIECE);
        changed.committed = page.committed;
        changed.logBegin = page.first;
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
                auto& ids = objects.kind == ChangeKind::PRODUCT_REMOVED ? changed.removed
                            : isOfNumbers(objects.kind)                 ? changed.numbers
                                                                        : changed.whole;
                ids.insert(objects.ids.begin(), objects.ids.end());
            }
        }
    } while (page.entries.size() == LOG_PIECE);
    for (const std::int64_t id : changed.removed)
        changed.whole.erase(id);
    for (const std::set<std::int64_t>* const others : {&changed.whole, &changed.removed})
        for (const std::int64_t id : *others)
            changed.numbers.erase(id);
    return true;
}

} // namespace supplierd::catalog
