#include "index/CatalogIndex.h"
#include "list/Cursor.h"
#include "tests/plugins/catalog/CatalogFixture.h"
#include "tests/support/Test.h"

#include <supplierd/Sku.h>
#include <supplierd/internal/ChangePlace.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace supplierd::tests {

using namespace catalog;
using Ids = std::vector<std::int64_t>;

/// GET /products answers as an index does that was loaded from the same rows.
class ListAgreementTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _supplier = std::make_unique<SupplierClient>();
        fill(600);
        load();
    }

protected:
    struct Query {
        std::string filters; ///< without sort
        std::string text;
        IndexFilter filter;
        IndexOrder order;
    };

    static constexpr std::int64_t LAST = std::numeric_limits<std::int64_t>::max();

    static TestDatabase& database() { return fixture().database(); }
    std::int64_t number(std::int64_t from, std::int64_t to) {
        return std::uniform_int_distribution<std::int64_t>(from, to)(_random);
    }

    void fill(int count) {
        static constexpr std::array<const char*, 6> WORDS{"Rosa", "róża ", "Żółta", "ROSA 💐", "tulipa", "夏 Rosa"};
        const std::string supplier = std::to_string(_supplier->id());
        std::string products;
        for (int i = 0; i < count; ++i)
            products += std::string(i == 0 ? "" : ", ") + "(" + supplier + ", " + (number(0, 9) == 0 ? "1" : "0") +
                        ", '" + WORDS[static_cast<std::size_t>(number(0, 5))] +
                        WORDS[static_cast<std::size_t>(number(0, 5))] + "', " +
                        (number(0, 3) == 0 ? "NULL" : "'K-" + std::to_string(i) + "'") + ", " +
                        std::to_string(number(0, 1)) + ", " + std::to_string(someCategory()) + ", " +
                        std::to_string(number(0, 9)) + ".25, 1, " + std::to_string(number(0, 9)) + ", " +
                        std::to_string(number(0, 1)) + ", " + std::to_string(number(0, 2)) + ", " +
                        std::to_string(number(1, 40)) + ", '2026-01-0" + std::to_string(number(1, 9)) + " 12:00:00')";
        database().exec("INSERT INTO products (supplier_id, deleted, name, sku, type, category_id, base_price, unit, "
                        "stock_qty, is_active, approval, change_seq, updated_at) VALUES " +
                        products);
        database().exec("UPDATE products SET deleted_at = updated_at WHERE deleted = 1 AND supplier_id = " + supplier);
        database().exec("INSERT INTO product_skus (supplier_id, sku_key, sku, product_id, tombstone) SELECT "
                        "supplier_id, LOWER(sku), sku, id, IF(deleted = 1, id, 0) FROM products WHERE sku IS NOT NULL "
                        "AND supplier_id = " +
                        supplier);
        database().exec("UPDATE supplier_state SET change_seq = 40 WHERE supplier_id = " + supplier +
                        "; INSERT INTO changes (supplier_id, change_seq, kind, ids, actor, follows) VALUES (" +
                        supplier + ", 40, 'product.created', x'00', 'test', 0)");
    }

    void load() {
        const std::string supplier = std::to_string(_supplier->id());
        std::vector<IndexedProduct> products;
        for (const TestRow& row : database().query(
                 "SELECT id, change_seq, state, type, category_id, CAST(base_price * 10000 AS SIGNED), stock_qty, "
                 "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', updated_at), HEX(WEIGHT_STRING(name)), "
                 "HEX(WEIGHT_STRING(sku)), sku, approval = 2 FROM products WHERE supplier_id = " +
                 supplier + " ORDER BY id")) {
            const auto integer = [&](std::size_t column) { return std::stoll(*row[column]); };
            IndexedProduct product{integer(0), integer(1), static_cast<ProductState>(integer(2)),
                                   integer(3), integer(4), integer(5),
                                   integer(6), integer(7), integer(11) == 1};
            product.texts = {bytes(*row[8]), {}};
            if (row[10])
                product.texts->skus.push_back({bytes(*row[9]), hashOfSkuKey(skuKey(*row[10]))});
            products.push_back(product);
        }
        _index = std::make_unique<CatalogIndex>();
        _index->apply(products, {},
                      database().integer("SELECT change_seq FROM supplier_state WHERE supplier_id = " + supplier));
    }

    void changeSome() {
        const Ids live = _supplier->ids("sort=id&per_page=100");
        for (int i = 0; i < 4; ++i)
            _supplier->update(live[static_cast<std::size_t>(number(0, 90))],
                              {{"stock_qty", number(0, 9)}, {"base_price", number(1, 9)}});
        _supplier->remove(live[static_cast<std::size_t>(number(91, 95))]);
        _supplier->create({{"name", "Rosa nova"}});
        load();
    }

    Query someQuery() {
        Query query;
        const auto add = [&](const std::string& name, const std::string& value) {
            query.filters += "&" + name + "=" + value;
        };
        if (number(0, 3) == 0) {
            query.filter.state = static_cast<ProductState>(number(0, 2));
            add("status", std::string(STATUSES[static_cast<std::size_t>(*query.filter.state)]));
        }
        if (!query.filter.state && number(0, 3) == 0) {
            query.filter.approval = static_cast<Approval>(number(0, 2));
            add("approval", std::string(APPROVALS[static_cast<std::size_t>(*query.filter.approval)]));
        }
        if (number(0, 4) == 0) {
            query.filter.type = number(0, 1);
            add("type", std::string(TYPES[static_cast<std::size_t>(*query.filter.type)]));
        }
        if (number(0, 4) == 0) {
            query.filter.categoryId = someCategory();
            add("category_id", std::to_string(*query.filter.categoryId));
        }
        if (number(0, 4) == 0) {
            const std::int64_t day = number(1, 9);
            query.filter.updatedSince = (1'767'225'600 + (day - 1) * 86'400 + 43'200) * 1'000'000;
            add("updated_since", "2026-01-0" + std::to_string(day) + "T12:00:00Z");
        }
        if (number(0, 3) == 0) {
            static constexpr std::array<const char*, 7> TERMS{"ros", "zolt", "RÓŻA", "💐", "K-1", "夏", "a t"};
            const std::string term = TERMS[static_cast<std::size_t>(number(0, 6))];
            query.filter.searchWeights = {weightsOf(term)};
            add("search", escaped(term));
        }
        if (number(0, 7) == 0) {
            query.filter.skuHashes = {hashOfSkuKey("k-7"), hashOfSkuKey("k-8"), hashOfSkuKey("k-19"),
                                      hashOfSkuKey("x")};
            add("sku", "K-7,k-8,K-19,x");
        }
        if (number(0, 2) == 0) {
            query.filter.includeDeleted = true;
            add("include_deleted", "true");
        }
        const auto sort = ListSort::fromNumber(static_cast<std::size_t>(number(0, 9)));
        query.order = {static_cast<OrderBy>(sort.key), sort.descending};
        query.text = query.filters + "&sort=" + std::string(SORT_NAMES[sort.number()]);
        return query;
    }

    static void requireSame(const std::string& text, const IndexedPage& expected, const json& data) {
        CPPUNIT_ASSERT_MESSAGE(text, idsOf(expected) == idsOf(data["products"]));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(text, expected.total, data["pagination"]["total_items"].get<std::int64_t>());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(text, expected.hasMore, data["pagination"]["next_cursor"].is_string());
    }

    /// A page of changed_after, with the rules of changes that do not fit; last.number is where to go on.
    IndexedPage changesAfter(const IndexFilter& filter, std::int64_t after, std::size_t limit) {
        IndexPosition position{after, {}, LAST};
        if (const auto place = ChangePlace::decode(after))
            position = {place->seq,
                        {},
                        _index->positionBeforeRest(filter, place->seq, place->seq, place->rest)
                            .value_or(catalog::ChangePosition{})
                            .id};
        const IndexOrder inOrder{OrderBy::ChangeSeq, false};
        IndexedPage page = _index->pageAfter(filter, inOrder, position, limit);
        if (!page.hasMore) {
            page.last.number = page.changeSeq;
            return page;
        }
        const std::int64_t cut = page.items.back().changeSeq;
        const auto next = _index->pageAfter(filter, inOrder, page.last, 1).items.front();
        if (next.changeSeq == cut && page.items.front().changeSeq != cut)
            std::erase_if(page.items, [&](const auto& item) { return item.changeSeq == cut; });
        page.last.number = page.items.back().changeSeq;
        if (next.changeSeq == page.last.number)
            page.last.number =
                *ChangePlace{cut, _index->countChanges(filter, {cut, page.items.back().id}, cut)}.encode();
        return page;
    }

    std::int64_t someCategory() {
        static const std::int64_t ribbons = fixture().server().createCategory("Ribbons", "supply");
        return number(0, 1) == 0 ? fixture().category() : ribbons;
    }

    static std::string weightsOf(const std::string& text) {
        return bytes(database().text("SELECT HEX(WEIGHT_STRING(CONVERT(" + database().quote(text) +
                                     " USING utf8mb4) COLLATE utf8mb4_unicode_520_ci))"));
    }

    static std::string bytes(const std::string& hex) {
        std::string bytes;
        for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
            bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
        return bytes;
    }

    static Ids idsOf(const IndexedPage& page) {
        Ids ids;
        for (const auto& item : page.items)
            ids.push_back(item.id);
        return ids;
    }
    static Ids idsOf(const json& products) { return tests::idsOf(products); }

    std::mt19937_64 _random{17};
    std::unique_ptr<SupplierClient> _supplier;
    std::unique_ptr<CatalogIndex> _index;
};

TEST(ListAgreementTest, pagesByNumber) {
    int found = 0;
    for (int i = 0; i < 400; ++i) {
        const Query query = someQuery();
        const std::int64_t perPage = number(1, 40);
        const std::int64_t page = number(0, 3) == 0 ? number(1, 30) : number(1, 3);
        const std::string text = query.text + "&per_page=" + std::to_string(perPage) + "&page=" + std::to_string(page);
        const json data = _supplier->list(text);
        const IndexedPage expected =
            _index->page(query.filter, query.order, static_cast<std::size_t>((page - 1) * perPage),
                         static_cast<std::size_t>(perPage));
        requireSame(text, expected, data);
        found += static_cast<int>(expected.items.size());
    }
    CPPUNIT_ASSERT(found > 400);
}

TEST(ListAgreementTest, walksWithChangesMeanwhile) {
    int late = 0;
    for (int walk = 0; walk < 25; ++walk) {
        const Query query = someQuery();
        const std::int64_t perPage = number(5, 60);
        const std::string text = query.text + "&per_page=" + std::to_string(perPage);
        json data = _supplier->list(text);
        for (int i = 0; i < 8 && data["pagination"]["next_cursor"].is_string(); ++i) {
            if (i % 3 == 1)
                changeSome();
            const std::string cursor = data["pagination"]["next_cursor"];
            data = _supplier->list(std::string(text).append("&cursor=").append(cursor));
            const auto from = Cursor::decode(cursor);
            const auto limit = static_cast<std::size_t>(perPage);
            if (from->phase == Cursor::Phase::LateChanges) {
                const auto expected =
                    _index->changedSince(query.filter, from->startSeq, from->last.id, from->endId, limit);
                CPPUNIT_ASSERT_MESSAGE(text, idsOf(expected) == idsOf(data["products"]));
                CPPUNIT_ASSERT_EQUAL(expected.hasMore, data["pagination"]["next_cursor"].is_string());
                late += static_cast<int>(expected.items.size());
            } else {
                const auto expected = _index->pageAfter(query.filter, query.order, from->last, limit);
                CPPUNIT_ASSERT_MESSAGE(text, idsOf(expected) == idsOf(data["products"]));
                if (!expected.hasMore && data["pagination"]["next_cursor"].is_string())
                    CPPUNIT_ASSERT_EQUAL(_index->greatestId(),
                                         Cursor::decode(data["pagination"]["next_cursor"].get<std::string>())->endId);
            }
        }
    }
    CPPUNIT_ASSERT(late > 0);
}

TEST(ListAgreementTest, changesInTheirOrder) {
    for (int i = 0; i < 100; ++i) {
        Query query = someQuery();
        const std::int64_t perPage = number(1, 30);
        std::int64_t after = number(0, _index->changeSeq());
        for (int page = 0; page < 4; ++page) {
            const std::string text =
                query.filters + "&per_page=" + std::to_string(perPage) + "&changed_after=" + std::to_string(after);
            const json data = _supplier->list(text);
            IndexedPage expected = changesAfter(query.filter, after, static_cast<std::size_t>(perPage));
            CPPUNIT_ASSERT_MESSAGE(text, idsOf(expected) == idsOf(data["products"]));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(text, expected.total, data["pagination"]["total_items"].get<std::int64_t>());
            CPPUNIT_ASSERT_EQUAL_MESSAGE(text, expected.hasMore, data["pagination"]["has_more"].get<bool>());
            CPPUNIT_ASSERT_EQUAL_MESSAGE(text, expected.last.number,
                                         data["pagination"]["last_change_seq"].get<std::int64_t>());
            after = expected.last.number;
        }
    }
}

} // namespace supplierd::tests
