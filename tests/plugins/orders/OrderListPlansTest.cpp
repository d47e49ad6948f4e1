#include "ListStatement.h"
#include "OrdersFixture.h"
#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "tests/support/StatementPlan.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>

namespace supplierd::tests {

using orders::ListFilters;
using orders::ListStatement;

namespace {

constexpr const char* FROM = "2026-01-01T00:10:00Z";
constexpr const char* TO = "2026-01-01T01:00:00Z";
constexpr const char* MOVED = "2026-01-02T01:00:00Z";

} // namespace

/// MariaDB takes each list statement the way it is meant to, and reads no more rows than it has to.
class OrderListPlansTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        if (!_supplier) {
            _supplier = std::make_unique<OrdersClient>();
            fillWithGroups(_supplier->id(), 5'000);
        }
        _scope = _supplier->id();
        _session = std::make_unique<host::PooledSession>(host::openSession(fixture().database().sessionSettings()));
    }

protected:
    ListFilters read(const QueryParameters& parameters) const {
        Details details;
        QueryReader reader(parameters, details);
        return ListFilters::read(reader, _scope);
    }

    /// The same window of a list whose total is known.
    static ListWindow known(ListWindow window) {
        window.needsTotal = false;
        return window;
    }

    ListCursor middle() const {
        ListCursor cursor;
        cursor.lastId = fixture().database().integer(
            "SELECT id FROM order_groups WHERE supplier_id = " + std::to_string(_supplier->id()) +
            " ORDER BY id LIMIT 1 OFFSET 2500");
        return cursor;
    }

    void requireIndex(const ListFilters& query, std::int64_t offset, const std::string& index, bool sorts = false) {
        ListWindow window{20};
        window.offset = offset;
        const ListStatement statement = ListStatement::page(query, known(window));
        auto plan = explain(*_session, statement);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(statement.sql(), index, plan["x"].key);
        CPPUNIT_ASSERT_MESSAGE(plan["x"].extra, plan["x"].extra.find("Using index") != std::string::npos);
        if (!sorts)
            requireNoSort(plan["x"]);
        CPPUNIT_ASSERT_EQUAL(std::string("eq_ref"), plan["g"].type);
        CPPUNIT_ASSERT_EQUAL(std::string("PRIMARY"), plan["g"].key);
    }

    static void requireNoSort(const PlanStep& step) {
        CPPUNIT_ASSERT_MESSAGE(step.extra, step.extra.find("filesort") == std::string::npos);
    }

    /// One for all tests here: filling it is most of their time.
    static inline std::unique_ptr<OrdersClient> _supplier;
    std::optional<std::int64_t> _scope;
    std::unique_ptr<host::PooledSession> _session;
};

TEST(OrderListPlansTest, firstPageAndWalksReadTheirPageOnly) {
    for (const QueryParameters& filter : {QueryParameters{}, QueryParameters{{"status", "pending"}}}) {
        const ListFilters query = read(filter);
        const ListCursor cursor = middle();
        for (const auto* after : {static_cast<const ListCursor*>(nullptr), &cursor}) {
            ListWindow window{20};
            window.after = after;
            const ListStatement statement = ListStatement::page(query, window);
            auto plan = explain(*_session, statement);
            CPPUNIT_ASSERT_EQUAL(std::string("const"), plan["t"].type);
            CPPUNIT_ASSERT_EQUAL(std::string("range"), plan["g"].type);
            CPPUNIT_ASSERT_EQUAL(std::string(filter.empty() ? "PRIMARY" : "order_groups_status"), plan["g"].key);
            requireNoSort(plan["g"]);
            CPPUNIT_ASSERT(rowsRead(*_session, statement) < 60);
        }
    }
}

TEST(OrderListPlansTest, filteredListsAreAnsweredByTheirIndexAlone) {
    requireIndex(read({{"status", "pending"}}), 500, "order_groups_status");
    requireIndex(read({}), 500, "order_groups_ids");
    requireIndex(read({{"created_from", FROM}, {"created_to", TO}}), 0, "order_groups_created");
    requireIndex(read({{"created_from", FROM}, {"status", "pending"}}), 0, "order_groups_status");
    requireIndex(read({{"updated_since", MOVED}, {"created_to", TO}, {"status", "pending"}}), 0, "order_groups_updated",
                 true);
}

TEST(OrderListPlansTest, platformsListsHaveIndexesOfTheirOwn) {
    _scope = std::nullopt;
    requireIndex(read({}), 0, "order_groups_id");
    requireIndex(read({{"status", "pending"}}), 0, "order_groups_all_status");
    requireIndex(read({{"created_from", FROM}, {"created_to", TO}}), 0, "order_groups_all_created");
    requireIndex(read({{"updated_since", MOVED}}), 0, "order_groups_all_updated", true);
    const ListFilters query = read({});
    const ListStatement first = ListStatement::page(query, known({}));
    CPPUNIT_ASSERT_MESSAGE(first.sql(), rowsRead(*_session, first) < 150);
}

TEST(OrderListPlansTest, leavingSandboxesOutKeepsEveryListOnItsIndex) {
    _scope = std::nullopt;
    const auto leavingOut = [&](const QueryParameters& parameters) {
        ListFilters filters = read(parameters);
        filters.sandbox = SandboxFilter::without({1'000'001, 1'000'002, 1'000'003});
        return filters;
    };
    requireIndex(leavingOut({}), 0, "order_groups_id");
    requireIndex(leavingOut({{"status", "pending"}}), 0, "order_groups_all_status");
    requireIndex(leavingOut({{"created_from", FROM}, {"created_to", TO}}), 0, "order_groups_all_created");
    requireIndex(leavingOut({{"updated_since", MOVED}}), 0, "order_groups_all_updated", true);
    const ListFilters query = leavingOut({});
    const ListStatement first = ListStatement::page(query, known({}));
    CPPUNIT_ASSERT_MESSAGE(first.sql(), rowsRead(*_session, first) < 200);
    const ListStatement total = ListStatement::total(query);
    CPPUNIT_ASSERT(!explain(*_session, total).contains("x"));
}

TEST(OrderListPlansTest, walkByCreationStartsWhereItLeftOff) {
    ListCursor cursor = middle();
    cursor.lastKey = fixture().database().text("SELECT CAST(created_at AS CHAR(26)) FROM order_groups WHERE id = " +
                                               std::to_string(cursor.lastId));
    ListWindow window{20};
    window.after = &cursor;
    for (const bool platforms : {false, true}) {
        _scope = platforms ? std::nullopt : std::optional(_supplier->id());
        const ListFilters query = read({{"created_from", "2026-01-01T00:00:00Z"}});
        const ListStatement statement = ListStatement::page(query, known(window));
        CPPUNIT_ASSERT_MESSAGE(statement.sql(), rowsRead(*_session, statement) < 150);
    }
}

TEST(OrderListPlansTest, walkThroughManyChangesSortsNothing) {
    ListCursor cursor = middle();
    cursor.total = 20'000;
    ListWindow window{20};
    window.after = &cursor;
    for (const bool platforms : {false, true}) {
        _scope = platforms ? std::nullopt : std::optional(_supplier->id());
        const ListFilters query = read({{"updated_since", "2026-01-01T00:00:00Z"}});
        const ListStatement statement = ListStatement::page(query, known(window));
        requireNoSort(explain(*_session, statement)["x"]);
        CPPUNIT_ASSERT_MESSAGE(statement.sql(), rowsRead(*_session, statement) < 150);
    }
}

TEST(OrderListPlansTest, pagesNearTheEndAreReadFromThere) {
    ListWindow window{20};
    window.offset = 40;
    window.fromEnd = true;
    const ListFilters query = read({});
    const ListStatement statement = ListStatement::page(query, known(window));
    requireNoSort(explain(*_session, statement)["x"]);
    CPPUNIT_ASSERT_MESSAGE(statement.sql(), rowsRead(*_session, statement) < 200);
}

TEST(OrderListPlansTest, totalsReadNoOrderGroup) {
    for (const QueryParameters& filter : {QueryParameters{}, QueryParameters{{"status", "shipped"}}}) {
        const ListFilters query = read(filter);
        auto plan = explain(*_session, ListStatement::total(query));
        CPPUNIT_ASSERT_EQUAL(std::string("const"), plan["t"].type);
        CPPUNIT_ASSERT(!plan.contains("x"));
    }
}

// All of them are of one change, as what was there before numbers were kept.
TEST(OrderListPlansTest, aWalkThroughChangesReadsItsPageOnly) {
    const std::int64_t id = middle().lastId;
    for (const QueryParameters& filter : {QueryParameters{}, QueryParameters{{"status", "pending"}}}) {
        const ListFilters query = read(filter);
        for (const orders::ChangePosition& after :
             {orders::ChangePosition{0}, orders::ChangePosition{1, id}, orders::ChangePosition{1}}) {
            const ListStatement statement = ListStatement::changes(query, after, 21);
            auto plan = explain(*_session, statement);
            CPPUNIT_ASSERT_EQUAL(std::string("order_groups_change"), plan["x"].key);
            CPPUNIT_ASSERT_MESSAGE(plan["x"].extra, plan["x"].extra.find("Using index") != std::string::npos);
            requireNoSort(plan["x"]);
            CPPUNIT_ASSERT_MESSAGE(statement.sql(), rowsRead(*_session, statement) < 150);
        }
    }
}

} // namespace supplierd::tests
