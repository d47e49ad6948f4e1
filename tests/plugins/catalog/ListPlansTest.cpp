#include "CatalogWorld.h"
#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "list/ListStatement.h"

#include <cppunit/extensions/HelperMacros.h>

#include <limits>
#include <map>
#include <memory>
#include <string>

namespace supplierd::tests {

using catalog::Cursor;
using catalog::ListQuery;
using catalog::ListStatement;
using catalog::ListWindow;
using catalog::SORT_NAMES;
using catalog::SortKey;
using catalog::Totals;

namespace {

/// The columns of EXPLAIN that matter, of one table of a statement.
struct PlanStep {
    std::string type;
    std::string key;
    std::string extra;
};

constexpr std::int64_t LAST = std::numeric_limits<std::int64_t>::max();
constexpr const char* SORT_INDEXES[] = {"products_live", "products_name", "products_price", "products_stock",
                                        "products_updated"};
constexpr const char* MIDDLE_KEYS[] = {"", "Tulipa 002500", "4", "2", ""};

} // namespace

/// MariaDB takes each statement the way it was measured at a million products of one supplier. Without the indexes that
/// the statements force, or with other shapes of the conditions, single pages took seconds there.
class ListPlansTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(ListPlansTest);
    CPPUNIT_TEST(testFirstPageWalksTheTableItself);
    CPPUNIT_TEST(testStatusWalksItsIndex);
    CPPUNIT_TEST(testSortsFindTheirIdsInTheirIndexAlone);
    CPPUNIT_TEST(testFiltersAreAnsweredByTheIndex);
    CPPUNIT_TEST(testTombstonesAreMergedFromTwoRanges);
    CPPUNIT_TEST(testSearchIsOnePassOverAnIndex);
    CPPUNIT_TEST(testSkusAreLookedUp);
    CPPUNIT_TEST(testChangesAreARangeOfTheirIndex);
    CPPUNIT_TEST(testWalksReadOnlyTheirPage);
    CPPUNIT_TEST(testLastPagesAreReadFromTheEnd);
    CPPUNIT_TEST(testTotalsOfFilteredListsReadNoProduct);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override {
        _shop = std::make_unique<Shop>();
        _ids = _shop->fill(5'000);
        _session = std::make_unique<host::PooledSession>(
            host::openSession(CatalogWorld::instance().database().sessionSettings()));
    }

    void testFirstPageWalksTheTableItself() {
        for (const char* sort : {"id", "-id"}) {
            const ListQuery query = read({{"sort", sort}});
            Cursor cursor = middle(query);
            for (const Cursor* after : {static_cast<const Cursor*>(nullptr), static_cast<const Cursor*>(&cursor)}) {
                auto plan = explain(page(query, after));
                requireStep(plan["p"], "range", "PRIMARY", "Using where");
                requireStep(plan["c"], "eq_ref", "PRIMARY", "");
                requireStep(plan["s"], "const", "PRIMARY", "");
                CPPUNIT_ASSERT_EQUAL(std::size_t{3}, plan.size());
            }
        }
    }

    void testStatusWalksItsIndex() {
        const ListQuery query = read({{"status", "pending"}});
        Cursor cursor = middle(query);
        for (const Cursor* after : {static_cast<const Cursor*>(nullptr), static_cast<const Cursor*>(&cursor)}) {
            const PlanStep step = explain(page(query, after))["p"];
            CPPUNIT_ASSERT_EQUAL(std::string("range"), step.type);
            CPPUNIT_ASSERT_EQUAL(std::string("products_state"), step.key);
            CPPUNIT_ASSERT_MESSAGE(step.extra, step.extra.find("filesort") == std::string::npos);
            CPPUNIT_ASSERT(rowsRead(page(query, after)) < 100);
        }
    }

    void testSortsFindTheirIdsInTheirIndexAlone() {
        for (std::size_t sort = 2; sort < SORT_NAMES.size(); ++sort) {
            const ListQuery query = read({{"sort", std::string(SORT_NAMES[sort])}});
            Cursor cursor = middle(query);
            auto plan = explain(page(query));
            requireStep(plan["x"], "ref", SORT_INDEXES[sort / 2], "Using where; Using index");
            plan = explain(page(query, &cursor));
            requireStep(plan["x"], "range", SORT_INDEXES[sort / 2], "Using where; Using index");
            requireStep(plan["p"], "eq_ref", "PRIMARY", "");
            requireStep(plan["c"], "eq_ref", "PRIMARY", "");
            requireStep(plan["s"], "const", "PRIMARY", "");
        }
    }

    void testFiltersAreAnsweredByTheIndex() {
        const std::string category = std::to_string(CatalogWorld::instance().flowers());
        for (std::size_t sort = 0; sort < SORT_NAMES.size(); ++sort) {
            const QueryParameters filter{{"sort", std::string(SORT_NAMES[sort])},
                                         {"category_id", category},
                                         {"type", "flower"},
                                         {"status", "pending"}};
            const ListQuery query = read(filter);
            Cursor cursor = middle(query);
            const std::string index = sort < 2 ? "products_category" : SORT_INDEXES[sort / 2];
            for (const Cursor* after : {static_cast<const Cursor*>(nullptr), static_cast<const Cursor*>(&cursor)})
                requireStep(explain(page(query, after))["x"], after ? "range" : "ref", index,
                            "Using where; Using index");
        }
    }

    void testTombstonesAreMergedFromTwoRanges() {
        for (std::size_t sort = 0; sort < SORT_NAMES.size(); ++sort) {
            const ListQuery query = read({{"sort", std::string(SORT_NAMES[sort])}, {"include_deleted", "true"}});
            Cursor cursor = middle(query);
            requireStep(explain(page(query, &cursor))["x"], "range", SORT_INDEXES[sort / 2],
                        "Using where; Using index");
        }
    }

    void testSearchIsOnePassOverAnIndex() {
        const ListQuery query = read({{"search", "ulip"}, {"status", "pending"}});
        const ListStatement statement = ListStatement::page(_shop->id(), query, {20}, Totals::Window);
        const PlanStep step = explain(statement)["x"];
        CPPUNIT_ASSERT_EQUAL(std::string("products_name"), step.key);
        CPPUNIT_ASSERT_MESSAGE(step.extra, step.extra.find("Using index") != std::string::npos);
        // Each index entry of the supplier once, the matches through the sort and the count.
        const std::int64_t reads = rowsRead(statement);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(reads), reads < 5'000 * 8);
    }

    void testSkusAreLookedUp() {
        const ListQuery query = read({{"sku", "a,b,c"}});
        auto plan = explain(ListStatement::page(_shop->id(), query, {20}, Totals::Window));
        CPPUNIT_ASSERT_EQUAL(std::string("PRIMARY"), plan["k"].key);
        CPPUNIT_ASSERT_EQUAL(std::string("range"), plan["k"].type);
        CPPUNIT_ASSERT(rowsRead(ListStatement::changes(_shop->id(), query, {21, 0, LAST, LAST}, Totals::Known)) < 50);
    }

    void testChangesAreARangeOfTheirIndex() {
        for (const char* deleted : {"true", "false"}) {
            const ListQuery query = read({{"include_deleted", deleted}, {"status", "pending"}, {"type", "flower"}});
            const ListStatement statement =
                ListStatement::changes(_shop->id(), query, {21, 2'500, 17, LAST}, Totals::Known);
            requireStep(explain(statement)["x"], "range", "products_change", "Using where; Using index");
            CPPUNIT_ASSERT(rowsRead(statement) < 300);
        }
    }

    void testWalksReadOnlyTheirPage() {
        for (std::size_t sort = 0; sort < SORT_NAMES.size(); ++sort)
            for (const char* deleted : {"true", "false"}) {
                const ListQuery query = read({{"sort", std::string(SORT_NAMES[sort])}, {"include_deleted", deleted}});
                Cursor cursor = middle(query);
                CPPUNIT_ASSERT_MESSAGE(std::string(SORT_NAMES[sort]), rowsRead(page(query, &cursor)) < 300);
            }
    }

    void testLastPagesAreReadFromTheEnd() {
        for (const char* sort : {"-id", "id", "name", "-stock_qty"}) {
            const ListQuery query = read({{"sort", sort}});
            CPPUNIT_ASSERT_MESSAGE(
                sort, rowsRead(ListStatement::page(_shop->id(), query, {20, 40, true}, Totals::Counters)) < 300);
        }
    }

    void testTotalsOfFilteredListsReadNoProduct() {
        const ListQuery query = read({{"status", "pending"}, {"type", "flower"}});
        CPPUNIT_ASSERT(rowsRead(ListStatement::head(_shop->id(), query, Totals::Counters)) < 20);
    }

private:
    /// Of values that need no escape.
    ListQuery read(const QueryParameters& parameters) const {
        std::string raw;
        for (const auto& [name, value] : parameters)
            raw += name + "=" + value + "&";
        return ListQuery::read(parameters, raw, _shop->id());
    }

    ListStatement page(const ListQuery& query, const Cursor* after = nullptr) const {
        ListWindow window{21};
        window.after = after;
        return ListStatement::page(_shop->id(), query, window, Totals::Counters);
    }

    /// In the middle of the 5,000 products, amid a run of equal keys where there are such.
    Cursor middle(const ListQuery& query) const {
        Cursor cursor;
        cursor.sort = query.sort;
        cursor.lastId = _ids[2'499];
        cursor.lastKey = MIDDLE_KEYS[static_cast<std::size_t>(query.sort.key)];
        if (query.sort.key == SortKey::UpdatedAt)
            cursor.lastKey = CatalogWorld::instance().database().text(
                "SELECT CAST(updated_at AS CHAR(26)) FROM products WHERE id = " + std::to_string(cursor.lastId));
        return cursor;
    }

    std::map<std::string, PlanStep> explain(const ListStatement& statement) {
        std::map<std::string, PlanStep> plan;
        Rows& rows = _session->query("EXPLAIN " + statement.sql(), statement.params());
        while (rows.next()) {
            const std::string table(rows.text(2));
            if (!table.empty() && table.front() != '<')
                plan[table] = {std::string(rows.text(3)), std::string(rows.text(5)), std::string(rows.text(9))};
        }
        return plan;
    }

    static void requireStep(const PlanStep& step, const std::string& type, const std::string& key,
                            const std::string& extra) {
        CPPUNIT_ASSERT_EQUAL(type, step.type);
        CPPUNIT_ASSERT_EQUAL(key, step.key);
        CPPUNIT_ASSERT_EQUAL(extra, step.extra);
    }

    std::int64_t handlerReads() {
        Rows& rows = _session->query("SHOW SESSION STATUS LIKE 'Handler_read%'", SqlParams());
        std::int64_t reads = 0;
        while (rows.next())
            reads += std::stoll(std::string(rows.text(1)));
        return reads;
    }

    std::int64_t rowsRead(const ListStatement& statement) {
        const std::int64_t before = handlerReads();
        Rows& rows = _session->query(statement.sql(), statement.params());
        while (rows.next()) {
        }
        return handlerReads() - before;
    }

    std::unique_ptr<Shop> _shop;
    std::vector<std::int64_t> _ids;
    std::unique_ptr<host::PooledSession> _session;
};

CPPUNIT_TEST_SUITE_REGISTRATION(ListPlansTest);

} // namespace supplierd::tests
