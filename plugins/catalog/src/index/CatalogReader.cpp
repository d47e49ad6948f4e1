#include "index/CatalogReader.h"

#include <supplierd/JsonWriter.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <span>
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
    Approval,
    NameWeights,
    SkuWeights,
    SkuKey
};
}

// In pieces, so that nothing that is read takes more than some megabytes. In the order of the clustered index.
constexpr std::int64_t PIECE = 5'000;
/// Tombstones have to be put among all others: fewer times.
constexpr std::size_t TOMBSTONES = 20'000;
constexpr std::string_view COUNT_PRODUCTS = "SELECT COUNT(*) FROM products FORCE INDEX (PRIMARY) WHERE supplier_id = ?";
constexpr std::string_view SELECT_PIECE = R"(
SELECT p.id, p.change_seq, p.state, p.type, p.category_id, p.base_price, p.stock_qty,
    TIMESTAMPDIFF(MICROSECOND, '1970-01-01', p.updated_at), p.approval, WEIGHT_STRING(p.name), WEIGHT_STRING(p.sku)
FROM products p FORCE INDEX (PRIMARY)
WHERE p.supplier_id = ? AND p.deleted = ? AND p.id > ?
ORDER BY p.id LIMIT ?)";

// One pass over a supplier's SKUs, for the keys of products' own: looking for each product's took the database twice as
// long as the products. Those of variants are read with their products, where there are any.
constexpr std::string_view SELECT_SKUS = R"(
SELECT product_id, IF(variant_id = 0, sku_key, NULL)
FROM product_skus FORCE INDEX (PRIMARY)
WHERE supplier_id = ?)";

constexpr std::string_view SELECT_CHANGED = R"(
SELECT p.id, p.change_seq, p.state, p.type, p.category_id, p.base_price, p.stock_qty,
    TIMESTAMPDIFF(MICROSECOND, '1970-01-01', p.updated_at), p.approval, WEIGHT_STRING(p.name), WEIGHT_STRING(p.sku), k.sku_key
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN products p FORCE INDEX (products_id) ON p.id = t.id
    LEFT JOIN product_skus k FORCE INDEX (product_skus_owner) ON k.product_id = p.id AND k.variant_id = 0
WHERE p.supplier_id = ?)";

constexpr std::string_view SELECT_CHANGED_NUMBERS = R"(
SELECT p.id, p.change_seq, p.state, p.type, p.category_id, p.base_price, p.stock_qty,
    TIMESTAMPDIFF(MICROSECOND, '1970-01-01', p.updated_at), p.approval
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN products p FORCE INDEX (products_id) ON p.id = t.id
WHERE p.supplier_id = ?)";

constexpr std::string_view SELECT_VARIANTS = R"(
SELECT s.product_id, s.sku_key, WEIGHT_STRING(s.sku COLLATE utf8mb4_unicode_520_ci)
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) t
    STRAIGHT_JOIN product_skus s FORCE INDEX (product_skus_owner) ON s.product_id = t.id AND s.variant_id <> 0
WHERE s.supplier_id = ?)";

constexpr std::string_view SELECT_TIME = R"(
SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', updated_at) FROM products FORCE INDEX (PRIMARY)
WHERE supplier_id = ? AND deleted = 0 AND id = ?)";

/// More changed products than this and more than a part of all: loading is less work.
constexpr std::size_t MANY = 5'000;
constexpr std::size_t PART = 4;
constexpr std::size_t LOG_PIECE = 500;
constexpr std::size_t ENTRIES_AT_MOST = 20'000;

/// One that has forgotten a larger part of its products is loaded again: they take memory as if they were there.
constexpr std::size_t FORGOTTEN_PART = 8;

/// What a SKU adds to an index: its hash, its product, its mark and six characters; of shorter ones there are few.
constexpr std::size_t BYTES_OF_A_SKU_AT_LEAST = 16;
/// So many SKUs are read between two looks at what they take.
constexpr std::size_t SKUS_AT_ONCE = 20'000;

using SkusOfVariants = std::unordered_map<std::int64_t, std::vector<IndexedSku>>;

SkusOfVariants readVariants(Rows& rows) {
    SkusOfVariants skus;
    while (rows.next())
        skus[rows.integer(0)].push_back({std::string(rows.text(2)), hashOfSkuKey(rows.text(1))});
    return skus;
}

/// The products' own SKUs of a supplier, and which products have variants with SKUs: 16 bytes a product, and 8 a
/// variant.
class SkusOfSupplier {
public:
    /// False: there is no room for them.
    bool read(SqlSession& snapshot, std::int64_t supplierId, std::size_t products, const CatalogReader::Take& take) {
        _own.reserve(products);
        Rows& rows = snapshot.query(SELECT_SKUS, {supplierId});
        for (std::size_t count = 0; rows.next(); ++count) {
            if (rows.isNull(1))
                _withVariants.push_back(rows.integer(0));
            else
                _own.push_back({rows.integer(0), hashOfSkuKey(rows.text(1))});
            if (count % SKUS_AT_ONCE == 0 && !take({count * BYTES_OF_A_SKU_AT_LEAST, bytes(), 0}))
                return false;
        }
        std::sort(_own.begin(), _own.end(), [](const Own& a, const Own& b) { return a.productId < b.productId; });
        std::sort(_withVariants.begin(), _withVariants.end());
        _next = _own.begin();
        return true;
    }

    std::size_t bytes() const {
        return _own.capacity() * sizeof(Own) + _withVariants.capacity() * sizeof(std::int64_t);
    }
    bool hasVariants(std::int64_t productId) const {
        return std::binary_search(_withVariants.begin(), _withVariants.end(), productId);
    }
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

    std::vector<Own> _own;
    std::vector<Own>::const_iterator _next;
    std::vector<std::int64_t> _withVariants;
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
    product.isRejected = static_cast<Approval>(row.integer(numbers::Approval)) == Approval::Rejected;
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

/// To products in the order of their ids.
void addVariants(SqlSession& snapshot, std::int64_t supplierId, std::span<const std::int64_t> ids,
                 std::span<IndexedProduct> products) {
    const std::string wanted = jsonArray(ids);
    Rows& rows = snapshot.query(SELECT_VARIANTS, {wanted, supplierId});
    while (rows.next()) {
        const std::int64_t id = rows.integer(0);
        const auto product = std::lower_bound(products.begin(), products.end(), id,
                                              [](const IndexedProduct& one, std::int64_t to) { return one.id < to; });
        if (product != products.end() && product->id == id)
            product->texts->skus.push_back({std::string(rows.text(2)), hashOfSkuKey(rows.text(1))});
    }
}

/// Whether the change left names, SKUs, state, type and category as they were.
bool isOfNumbers(std::string_view kind) {
    return kind == ChangeKind::STOCK_CHANGED || kind == ChangeKind::PRICE_CHANGED || kind == ChangeKind::IMAGES_CHANGED;
}

} // namespace

struct CatalogReader::Changed {
    std::int64_t committed = 0;
    std::int64_t logBegin = 0;
    std::set<std::int64_t> whole;
    std::set<std::int64_t> numbers;
    std::set<std::int64_t> removed;
    std::size_t removedAtMost = 0;

    std::size_t count() const { return whole.size() + numbers.size(); }
};

std::unique_ptr<CatalogIndex> CatalogReader::load(SqlSession& snapshot, std::int64_t supplierId, std::size_t bytesEach,
                                                  const Take& take) const {
    auto index = std::make_unique<CatalogIndex>();
    const ChangePage log = _changes.after(snapshot, supplierId, std::numeric_limits<std::int64_t>::max(), 1);
    Rows& count = snapshot.query(COUNT_PRODUCTS, {supplierId});
    const auto products = static_cast<std::size_t>(count.next() ? count.integer(0) : 0);
    SkusOfSupplier skus;
    if (!take({products * bytesEach, 0, 0}) || !skus.read(snapshot, supplierId, products, take))
        return nullptr;
    index->reserve(products);
    const auto hashOf = [&](std::int64_t id) { return skus.hashOf(id).value_or(hashOfSkuKey({})); };
    std::vector<IndexedProduct> batch;
    std::vector<std::int64_t> withVariants;
    for (const std::int64_t deleted : {0, 1}) {
        std::int64_t last = 0;
        std::int64_t read = PIECE;
        while (read == PIECE) {
            const std::size_t before = batch.size();
            withVariants.clear();
            Rows& rows = snapshot.query(SELECT_PIECE, {supplierId, deleted, last, PIECE});
            for (read = 0; rows.next(); ++read) {
                batch.push_back(readProduct(rows, hashOf, {}));
                last = batch.back().id;
                if (skus.hasVariants(last))
                    withVariants.push_back(last);
            }
            if (!withVariants.empty())
                addVariants(snapshot, supplierId, withVariants, std::span(batch).subspan(before));
            if (deleted == 0 || batch.size() >= TOMBSTONES || read < PIECE) {
                index->apply(batch, {}, log.committed, log.removedUpTo);
                batch.clear();
            }
            if (!take({index->bytes(), skus.bytes(), index->products()}))
                return nullptr;
        }
    }
    return index;
}

std::optional<std::size_t> CatalogReader::refresh(SqlSession& snapshot, std::int64_t supplierId,
                                                  CatalogIndex& index) const {
    Changed changed;
    const std::size_t forgottenAtMost = index.products() / FORGOTTEN_PART;
    changed.removedAtMost = forgottenAtMost - std::min(forgottenAtMost, index.forgotten());
    // An older snapshot is another server's of the database, or one that has lost commits: the index is not its.
    if (!collect(snapshot, supplierId, index.changeSeq(), changed) || changed.committed < index.changeSeq() ||
        changed.count() > std::max(MANY, index.products() / PART))
        return std::nullopt;
    std::vector<IndexedProduct> products;
    products.reserve(changed.count());
    std::set<std::int64_t> gone = changed.removed;
    gone.insert(changed.whole.begin(), changed.whole.end());
    if (!changed.whole.empty()) {
        const std::string ids = jsonArray(changed.whole);
        const SkusOfVariants variants = readVariants(snapshot.query(SELECT_VARIANTS, {ids, supplierId}));
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

std::optional<std::int64_t> CatalogReader::updatedAt(SqlSession& session, std::int64_t supplierId,
                                                     std::int64_t productId) {
    Rows& row = session.query(SELECT_TIME, {supplierId, productId});
    return row.next() ? std::optional(row.integer(0)) : std::nullopt;
}

bool CatalogReader::collect(SqlSession& snapshot, std::int64_t supplierId, std::int64_t after, Changed& changed) const {
    std::size_t entries = 0;
    ChangePage page;
    do {
        page = _changes.after(snapshot, supplierId, after, LOG_PIECE);
        changed.committed = page.committed;
        changed.logBegin = page.removedUpTo;
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
                if (changed.removed.size() > changed.removedAtMost)
                    return false;
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
