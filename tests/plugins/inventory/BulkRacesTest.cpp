#include "InventoryFixture.h"
#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

json itemsOf(const std::vector<std::int64_t>& ids, std::int64_t quantity, bool adjust) {
    json items = json::array();
    for (const std::int64_t id : ids) {
        items.push_back({{"product_id", id}, {"stock_qty", quantity}});
        if (adjust)
            items.back()["adjust"] = true;
    }
    return items;
}

} // namespace

/// Bulk requests beside each other and beside updates of the same products: as if one came after the other.
class BulkRacesTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<InventoryClient>(); }

protected:
    /// Fails unless all products of the supplier have the same stock. Returns it.
    std::int64_t requireOneStock() {
        const auto rows = fixture().database().query("SELECT DISTINCT stock_qty FROM products WHERE supplier_id = " +
                                                     std::to_string(_supplier->id()));
        CPPUNIT_ASSERT_EQUAL_MESSAGE("different stocks", std::size_t{1}, rows.size());
        return std::stoll(*rows[0][0]);
    }

    std::unique_ptr<InventoryClient> _supplier;
};

TEST(BulkRacesTest, oppositeOrdersNeitherDeadlockNorMix) {
    const std::vector<std::int64_t> ids = _supplier->fill(60);
    const std::vector<std::int64_t> reversed(ids.rbegin(), ids.rend());
    for (int round = 0; round < 40; ++round) {
        const auto set = [&](const std::vector<std::int64_t>& order, std::int64_t quantity) {
            HttpClient client = _supplier->anotherClient();
            CPPUNIT_ASSERT_EQUAL(allUpdated(60), bulk(client, "/stock", itemsOf(order, quantity, false)));
        };
        together({[&] { set(ids, 2 * round + 1); }, [&] { set(reversed, 2 * round + 2); }});
        requireOneStock();
    }
}

TEST(BulkRacesTest, adjustmentsInOppositeOrdersAllCount) {
    const std::vector<std::int64_t> ids = _supplier->fill(50);
    const std::vector<std::int64_t> reversed(ids.rbegin(), ids.rend());
    std::vector<std::function<void()>> runners;
    for (int i = 0; i < 6; ++i)
        runners.emplace_back([this, &order = i % 2 == 0 ? ids : reversed] {
            HttpClient client = _supplier->anotherClient();
            for (int n = 0; n < 30; ++n)
                CPPUNIT_ASSERT_EQUAL(allUpdated(50), bulk(client, "/stock", itemsOf(order, 3, true)));
        });
    together(runners);
    CPPUNIT_ASSERT_EQUAL(std::int64_t{6 * 30 * 3}, requireOneStock());
    // Each was a change of its own.
    CPPUNIT_ASSERT_EQUAL(json(1 + 6 * 30), _supplier->read(ids.front())["version"]);
}

TEST(BulkRacesTest, setsBySkuAndByIdDoNotMix) {
    const std::vector<std::int64_t> ids = _supplier->fill(70);
    std::vector<std::function<void()>> runners;
    for (int i = 0; i < 6; ++i)
        runners.emplace_back([this, &ids, i] {
            HttpClient client = _supplier->anotherClient();
            for (int n = 1; n <= 20; ++n) {
                json items = itemsOf(ids, 100 * n + i, false);
                for (std::size_t k = 0; i % 2 == 0 && k < ids.size(); ++k)
                    items[k] = {{"sku", "f-" + std::to_string(k + 1)}, {"stock_qty", 100 * n + i}};
                CPPUNIT_ASSERT_EQUAL(allUpdated(70), bulk(client, "/stock", items));
            }
        });
    together(runners);
    requireOneStock();
    CPPUNIT_ASSERT_EQUAL(json(1 + 6 * 20), _supplier->read(ids.front())["version"]);
}

/// Both requests name products that have their values already. Whichever came last, all products are as it said.
TEST(BulkRacesTest, anUnchangedValueDoesNotHideAnothersRequest) {
    const std::vector<std::int64_t> ids = _supplier->fill(20);
    for (int round = 0; round < 60; ++round) {
        const auto set = [&](std::int64_t quantity) {
            HttpClient client = _supplier->anotherClient();
            bulk(client, "/stock", itemsOf(ids, quantity, false));
        };
        json mixed = itemsOf(ids, 1, false);
        for (std::size_t i = 0; i < mixed.size(); i += 2)
            mixed[i]["stock_qty"] = 2;
        _supplier->stock(mixed);
        together({[&] { set(1); }, [&] { set(2); }, [&] { set(3); }});
        requireOneStock();
    }
}

TEST(BulkRacesTest, updatesOfTheSameProductsLoseNothing) {
    const std::vector<std::int64_t> ids = _supplier->fill(10);
    constexpr int UPDATES = 100;
    const auto adjust = [&] {
        HttpClient client = _supplier->anotherClient();
        for (int n = 0; n < UPDATES; ++n)
            CPPUNIT_ASSERT_EQUAL(allUpdated(10), bulk(client, "/stock", itemsOf(ids, 1, true)));
    };
    const auto rename = [&] {
        HttpClient client = _supplier->anotherClient();
        for (int n = 1; n <= UPDATES; ++n)
            requireStatus(200, client.post("/products/" + std::to_string(ids[n % 10]),
                                           {{"name", "Name " + std::to_string(n)}, {"color", "red"}}));
    };
    const auto price = [&] {
        HttpClient client = _supplier->anotherClient();
        for (int n = 1; n <= UPDATES; ++n) {
            json items = json::array();
            for (const std::int64_t id : ids)
                items.push_back({{"product_id", id}, {"base_price", n + 1}});
            CPPUNIT_ASSERT_EQUAL(allUpdated(10), bulk(client, "/prices", items));
        }
    };
    together({adjust, rename, price, adjust});
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const json product = _supplier->read(ids[i]);
        CPPUNIT_ASSERT_EQUAL(json(2 * UPDATES), product["stock_qty"]);
        CPPUNIT_ASSERT_EQUAL(json(UPDATES + 1), product["base_price"]);
        CPPUNIT_ASSERT_EQUAL(json("Name " + std::to_string(i == 0 ? UPDATES : UPDATES - 10 + i)), product["name"]);
        CPPUNIT_ASSERT_EQUAL(json(1 + 3 * UPDATES + UPDATES / 10), product["version"]);
    }
    _supplier->requireTrueTotals();
}

TEST(BulkRacesTest, onlyOneOfRacingExpectationsIsMet) {
    const std::vector<std::int64_t> ids = _supplier->fill(3);
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> met{0};
        const auto expect = [&] {
            HttpClient client = _supplier->anotherClient();
            json items = itemsOf(ids, round + 1, false);
            for (json& item : items)
                item["expected_stock_qty"] = round;
            const json data = bulk(client, "/stock", items);
            // All three or none: the request is one step.
            if (data == allUpdated(3))
                ++met;
            else
                CPPUNIT_ASSERT_EQUAL(json(3), data["failed"]);
            for (const json& error : data["errors"])
                CPPUNIT_ASSERT_EQUAL(changed(error["index"], error["sku"], round + 1), error);
        };
        together({expect, expect, expect});
        CPPUNIT_ASSERT_EQUAL(1, met.load());
    }
}

TEST(BulkRacesTest, aSkuThatMovesNamesTheOneThatHasIt) {
    const std::int64_t a = _supplier->create({{"sku", "MOVES"}})["id"];
    const std::int64_t b = _supplier->create()["id"];
    _supplier->create({{"sku", "OTHER"}});
    const auto move = [&] {
        HttpClient client = _supplier->anotherClient();
        for (int n = 0; n < 60; ++n) {
            const std::int64_t from = n % 2 == 0 ? a : b;
            const std::int64_t to = n % 2 == 0 ? b : a;
            client.post("/products/" + std::to_string(from), {{"sku", nullptr}, {"stock_qty", 0}});
            client.post("/products/" + std::to_string(to), {{"sku", "MOVES"}, {"stock_qty", 0}});
        }
    };
    // Whoever has not the SKU has stock 0: it had it when it lost the SKU, and nothing came after.
    const auto set = [&] {
        HttpClient client = _supplier->anotherClient();
        for (int n = 1; n <= 200; ++n)
            bulk(client, "/stock", {{{"sku", "moves"}, {"stock_qty", n}}, {{"sku", "OTHER"}, {"stock_qty", n}}});
    };
    together({move, set, set});
    CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _supplier->stockOf(b));
    CPPUNIT_ASSERT_EQUAL(json("MOVES"), _supplier->read(a)["sku"]);
}

TEST(BulkRacesTest, aDeletedProductIsNeverWritten) {
    for (int round = 0; round < 20; ++round) {
        const std::int64_t kept = _supplier->create()["id"];
        const std::int64_t gone = _supplier->create({{"sku", "GONE"}})["id"];
        std::atomic<bool> deleted{false};
        const auto remove = [&] {
            HttpClient client = _supplier->anotherClient();
            requireStatus(200, client.postEmpty("/products/" + std::to_string(gone) + "/delete"));
            deleted = true;
        };
        const auto set = [&] {
            HttpClient client = _supplier->anotherClient();
            for (int n = 1; n <= 5; ++n) {
                const bool wasDeleted = deleted;
                const json data =
                    bulk(client, "/stock",
                         {{{"product_id", gone}, {"stock_qty", n}}, {{"product_id", kept}, {"stock_qty", n}}});
                if (wasDeleted)
                    CPPUNIT_ASSERT_EQUAL(outcome(1, {failure(0, "", "Product not found")}), data);
            }
        };
        together({set, remove, set});
        CPPUNIT_ASSERT_EQUAL(std::int64_t{5}, _supplier->stockOf(kept));
        TestDatabase& database = fixture().database();
        const std::string where = " FROM products WHERE id = " + std::to_string(gone);
        CPPUNIT_ASSERT_EQUAL_MESSAGE("the tombstone was written to", database.text("SELECT deleted_at" + where),
                                     database.text("SELECT updated_at" + where));
    }
    _supplier->requireTrueTotals();
}

} // namespace supplierd::tests
