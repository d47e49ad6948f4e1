#include "OperatorProductList.h"

#include "host/db/Connector.h"
#include "host/db/PooledSession.h"
#include "tests/support/OperatorClient.h"
#include "tests/support/Responses.h"
#include "tests/support/StatementPlan.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>

namespace supplierd::tests {

using catalog::OperatorListFilters;
using catalog::OperatorListStatement;
using Ids = std::vector<std::int64_t>;

class OperatorProductListTest : public CppUnit::TestFixture {
public:
    void setUp() override { _operator = std::make_unique<OperatorClient>(); }

    void tearDown() override { // an idle connection holds a thread of the server
        _session.reset();
        _many.reset();
        _operator.reset();
    }

protected:
    json list(const std::string& query, const std::string& path = "/products") {
        return dataOf(_operator->get(path + "?" + query));
    }

    static Ids column(const std::string& sql) {
        Ids ids;
        for (const TestRow& row : fixture().database().query(sql))
            ids.push_back(std::stoll(*row[0]));
        return ids;
    }

    /// By a statement of the test's own.
    static Ids wholeList(const std::string& filter, bool withSandboxes = false) {
        std::string sql = "SELECT id FROM products WHERE deleted = 0";
        if (!withSandboxes && filter.find("supplier_id=") == std::string::npos)
            sql += " AND supplier_id NOT IN (SELECT id FROM suppliers WHERE sandbox_of IS NOT NULL)";
        if (filter.find("status=pending") != std::string::npos)
            sql += " AND approval <> 1";
        if (const auto at = filter.find("supplier_id="); at != std::string::npos)
            sql += " AND supplier_id = " + std::to_string(std::stoll(filter.substr(at + 12)));
        return column(sql + " ORDER BY id DESC");
    }

    /// First, deep ones from either end, last and past it.
    static std::vector<std::size_t> pagesToTry(std::size_t total, std::size_t perPage) {
        const std::size_t last = (total + perPage - 1) / perPage;
        std::vector<std::size_t> pages{1, 2, last / 2, last - 1, last, last + 1, last * 9 / 10};
        std::erase_if(pages, [](std::size_t page) { return page == 0; });
        return pages;
    }

    void prepareManyProducts() {
        _many = std::make_unique<SupplierClient>(_operator->createSupplier());
        _many->fill(5'000);
        _session = std::make_unique<host::PooledSession>(host::openSession(fixture().database().sessionSettings()));
    }

    /// A sandbox whose products are the newest of all: one is created, and many are as if they had been.
    SupplierClient fillSandbox() {
        const SupplierClient live = _operator->createSupplier();
        const json made = dataOf(_operator->postEmpty(live.path("/sandbox")), 201)["supplier"];
        const json key =
            dataOf(_operator->post("/suppliers/" + made["id"].dump() + "/keys", json::object()), 201)["key"];
        SupplierClient sandbox(fixture(), idOf(made), made["name"], key["secret"]);
        sandbox.create();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, fixture().database().integer("SELECT MIN(is_of_sandbox) FROM products "
                                                                           "WHERE supplier_id = " +
                                                                           made["id"].dump()));
        fillSandbox(sandbox, 5'000);
        return sandbox;
    }

    static void fillSandbox(SupplierClient& sandbox, int count) {
        sandbox.fill(count);
        fixture().database().exec("UPDATE products SET is_of_sandbox = 1 WHERE supplier_id = " +
                                  std::to_string(sandbox.id()));
    }

    OperatorListFilters query(const std::string& filters) const {
        OperatorListFilters query;
        if (filters.find("state") != std::string::npos)
            query.state = 0;
        if (filters.find("approval") != std::string::npos)
            query.approval = 0;
        query.oldestFirst = filters.find("oldest") != std::string::npos;
        if (filters.find("supplier") != std::string::npos)
            query.supplierId = _many->id();
        return query;
    }

    /// The first page, one in the middle of a walk, and one by number.
    std::vector<ListWindow> windows() {
        _middle.lastId = fixture().database().integer("SELECT MAX(id) - 2500 FROM products WHERE deleted = 0");
        return {{20, 0, false, nullptr, false}, {21, 0, false, &_middle, false}, {21, 40, false, nullptr, false}};
    }

    ListCursor _middle;
    std::unique_ptr<OperatorClient> _operator;
    std::unique_ptr<SupplierClient> _many;
    std::unique_ptr<host::PooledSession> _session;
};

TEST(OperatorProductListTest, theQueueIsReadFromItsFrontWhateverComesBehind) {
    SupplierClient first = _operator->createSupplier();
    first.create();
    SupplierClient other = _operator->createSupplier();
    other.fill(120);
    const json page = list("approval=pending&per_page=50");
    const Ids all = column("SELECT id FROM products WHERE deleted = 0 AND approval = 0 AND is_of_sandbox = 0 "
                           "ORDER BY id LIMIT 100");
    CPPUNIT_ASSERT(idsOf(page["products"]) == Ids(all.begin(), all.begin() + 50));
    const std::string cursor = page["pagination"]["next_cursor"];
    requireStatus(200, _operator->postEmpty("/products/" + std::to_string(all[0]) + "/approve"));
    other.fill(10);
    CPPUNIT_ASSERT(idsOf(list("approval=pending&per_page=50&cursor=" + cursor)["products"]) ==
                   Ids(all.begin() + 50, all.end()));
    requireProblems(_operator->get("/products?sort=-id&approval=pending&per_page=50&cursor=" + cursor),
                    {"cursor:not_in_set"});
}

TEST(OperatorProductListTest, suppliersWithWaitingProductsAreListedWithTheirNumber) {
    SupplierClient early = _operator->createSupplier({{"name", "Early"}});
    SupplierClient late = _operator->createSupplier({{"name", "Late"}});
    early.fill(2);
    late.fill(70);
    early.fill(1);
    const auto rejected = idOf(late.create());
    requireStatus(200, _operator->post("/products/" + std::to_string(rejected) + "/reject", {{"reason", "Blurred"}}));
    json found = json::array();
    json all = json::array();
    for (int page = 1;; ++page) {
        const json data = list("per_page=100&page=" + std::to_string(page), "/products/waiting");
        if (data["suppliers"].empty())
            break;
        for (const json& one : data["suppliers"]) {
            if (one["id"] == early.id() || one["id"] == late.id())
                found.push_back(one);
            all.push_back(one);
        }
        CPPUNIT_ASSERT(page * 100 >= static_cast<int>(all.size()));
    }
    CPPUNIT_ASSERT_EQUAL(json({{{"id", early.id()}, {"name", "Early"}, {"products", 3}},
                               {{"id", late.id()}, {"name", "Late"}, {"products", 70}}}),
                         found);
    CPPUNIT_ASSERT_EQUAL(json(all.size()), list("per_page=1", "/products/waiting")["pagination"]["total_items"]);
}

TEST(OperatorProductListTest, everyPageByNumberIsTheSameAsACutOfTheWhole) {
    SupplierClient supplier = _operator->createSupplier();
    supplier.fill(1'300); // beyond what is found from the front
    const std::string ours = "supplier_id=" + std::to_string(supplier.id());
    for (const std::string& filter : {ours, ours + "&status=pending", std::string("status=pending"), std::string()}) {
        const Ids whole = wholeList(filter);
        for (const std::size_t perPage : {std::size_t{7}, std::size_t{100}})
            for (const std::size_t page : pagesToTry(whole.size(), perPage)) {
                const std::string query =
                    filter + "&per_page=" + std::to_string(perPage) + "&page=" + std::to_string(page);
                const std::size_t begin = std::min(whole.size(), (page - 1) * perPage);
                const std::size_t end = std::min(whole.size(), page * perPage);
                const json data = list(query);
                CPPUNIT_ASSERT_MESSAGE(query, idsOf(data["products"]) ==
                                                  Ids(whole.begin() + static_cast<std::ptrdiff_t>(begin),
                                                      whole.begin() + static_cast<std::ptrdiff_t>(end)));
                CPPUNIT_ASSERT_EQUAL_MESSAGE(query, json(whole.size()), data["pagination"]["total_items"]);
                CPPUNIT_ASSERT_EQUAL_MESSAGE(query, json((whole.size() + perPage - 1) / perPage),
                                             data["pagination"]["total_pages"]);
                CPPUNIT_ASSERT_EQUAL_MESSAGE(query, end < whole.size() && begin < end,
                                             !data["pagination"]["next_cursor"].is_null());
            }
    }
    CPPUNIT_ASSERT_EQUAL(json::array(), list("page=9223372036854775807")["products"]);
}

TEST(OperatorProductListTest, pagesAreFoundInAnIndexAlone) {
    const std::map<std::string, std::string> indexes{{"", "products_listed"},
                                                     {"state", "products_listed_by_state"},
                                                     {"approval", "products_listed_by_approval"},
                                                     {"approval oldest", "products_listed_by_approval"},
                                                     {"supplier", "PRIMARY"},
                                                     {"supplier state", "PRIMARY"},
                                                     {"supplier approval oldest", "PRIMARY"}};
    prepareManyProducts();
    for (const auto& [filters, index] : indexes)
        for (const auto& window : windows()) {
            auto plan = explain(*_session, OperatorListStatement::page(query(filters), window));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(filters, index, plan["x"].key);
            if (index != "PRIMARY")
                CPPUNIT_ASSERT_EQUAL_MESSAGE(filters, std::string("Using where; Using index"), plan["x"].extra);
            for (const char* table : {"p", "c"}) {
                CPPUNIT_ASSERT_EQUAL_MESSAGE(filters, std::string("PRIMARY"), plan[table].key);
                CPPUNIT_ASSERT_EQUAL_MESSAGE(filters, std::string("eq_ref"), plan[table].type);
            }
        }
}

TEST(OperatorProductListTest, aPageReadsOnlyItsRowsWhereverItLies) {
    prepareManyProducts();
    for (const char* filters : {"", "state", "approval", "approval oldest", "supplier", "supplier state"})
        for (const auto& window : windows()) {
            const auto reads = rowsRead(*_session, OperatorListStatement::page(query(filters), window), 20);
            CPPUNIT_ASSERT_MESSAGE(std::string(filters) + ": " + std::to_string(reads), reads < 200);
        }
}

TEST(OperatorProductListTest, totalsAreCountedToALimitInAnIndexAlone) {
    prepareManyProducts();
    _many->fill(5'010);
    const std::string ours = "per_page=100&supplier_id=" + std::to_string(_many->id());
    for (const std::string& filter : {ours, ours + "&status=pending", std::string("per_page=100&status=pending")}) {
        json data = list(filter + "&page=100");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(filter, json(true), data["pagination"]["total_capped"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(filter, json(10'000), data["pagination"]["total_items"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(filter, json(100), data["pagination"]["total_pages"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(filter, std::size_t{100}, data["products"].size());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(filter, json::array(), list(filter + "&page=101")["products"]);
        data = list(filter + "&cursor=" + data["pagination"]["next_cursor"].get<std::string>());
        CPPUNIT_ASSERT_MESSAGE(filter, data["products"].size() >= 10);
    }
    for (const char* filters : {"", "state", "approval"}) {
        const auto statement = OperatorListStatement::total(query(filters));
        CPPUNIT_ASSERT_MESSAGE(filters,
                               explain(*_session, statement)["x"].extra.find("Using index") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(filters,
                               rowsRead(*_session, statement, 1) < 20'100); // those, and the table of the subquery
    }
    CPPUNIT_ASSERT_EQUAL(
        json(false),
        list("supplier_id=" + std::to_string(_operator->createSupplier().id()))["pagination"]["total_capped"]);
}

TEST(OperatorProductListTest, aSearchFindsNamesAndSkusOfAllSuppliers) {
    SupplierClient first = _operator->createSupplier();
    SupplierClient other = _operator->createSupplier();
    const auto named = idOf(first.create({{"name", "Käthe Sackheim 100%"}, {"sku", "S-1"}}));
    const auto other1 = idOf(other.create({{"name", "Something else"}, {"sku", "kathe-2"}}));
    const auto found = [this](const std::string& query) { return idsOf(list(query)["products"]); };
    CPPUNIT_ASSERT((found("search=kathe") == Ids{other1, named}));
    CPPUNIT_ASSERT((found("search=kathe&sort=id&supplier_id=" + std::to_string(other.id())) == Ids{other1}));
    CPPUNIT_ASSERT((found("search=kathe&sandbox=true") == Ids{other1, named}));
    CPPUNIT_ASSERT((found("search=kathe&per_page=1&page=2") == Ids{named}));
    CPPUNIT_ASSERT((found("search=kathe&supplier_id=" + std::to_string(first.id())) == Ids{named}));
    CPPUNIT_ASSERT((found("search=100%25&status=pending") == Ids{named}));
    CPPUNIT_ASSERT(found("search=kathe&status=inactive").empty());
    const json pagination = list("search=kathe&per_page=1")["pagination"];
    CPPUNIT_ASSERT_EQUAL(json(2), pagination["total_items"]);
    CPPUNIT_ASSERT(!pagination.contains("next_cursor"));
    requireProblems(_operator->get("/products?search=" + std::string(101, 'x')), {"search:too_long"});
}

TEST(OperatorProductListTest, someAreAskedForByTheirIds) {
    SupplierClient supplier = _operator->createSupplier();
    const auto one = idOf(supplier.create());
    const auto other = idOf(supplier.create());
    const auto found = [this](const std::string& query) { return idsOf(list(query)["products"]); };
    const auto parameter = [](const Ids& ids) {
        std::string text;
        for (const std::int64_t id : ids)
            text += (text.empty() ? "" : ",") + std::to_string(id);
        return "ids=" + text;
    };
    CPPUNIT_ASSERT((found(parameter({one, other, 4'000'000'000, one})) == Ids{other, one}));
    CPPUNIT_ASSERT((found(parameter({one, other}) + "&sort=id") == Ids{one, other}));
    CPPUNIT_ASSERT_EQUAL(std::int64_t{2},
                         list(parameter({one, other}))["pagination"]["total_items"].get<std::int64_t>());
    for (const char* wrong : {"7,", "7;8", "-1", "0", "x", "99999999999999999999"})
        requireProblems(_operator->get("/products?ids=" + std::string(wrong)), {"ids:type"});
    requireProblems(_operator->get("/products?status=active&ids=7"), {"ids:unsupported"});
    Ids many(101);
    std::iota(many.begin(), many.end(), 1);
    requireProblems(_operator->get("/products?" + parameter(many)), {"ids:too_many"});
}

TEST(OperatorProductListTest, aSearchLooksAtABoundedNumberOfProducts) {
    prepareManyProducts();
    OperatorListFilters filters;
    filters.search = "%no such name%";
    auto plan = explain(*_session, OperatorListStatement::page(filters, {20, 0, false, nullptr, false}));
    CPPUNIT_ASSERT_EQUAL(std::string("PRIMARY"), plan["named"].key);
    CPPUNIT_ASSERT_EQUAL(std::string("eq_ref"), plan["named"].type);
    const auto reads = rowsRead(*_session, OperatorListStatement::page(filters, {20, 0, false, nullptr, false}));
    // Of each a row, an entry of the index, and the table of the subquery, which is written and read.
    CPPUNIT_ASSERT_MESSAGE(std::to_string(reads), reads <= 5 * OperatorListFilters::MOST_SEARCHED);
    CPPUNIT_ASSERT_MESSAGE(std::to_string(reads), reads >= 5'000);
}

TEST(OperatorProductListTest, productsOfSandboxesCostTheListsWithoutThemNothing) {
    prepareManyProducts();
    SupplierClient sandbox = fillSandbox();
    for (const char* filters : {"", "state"}) {
        const auto page = OperatorListStatement::page(query(filters), {20, 0, false, nullptr, false});
        const auto reads = rowsRead(*_session, page, 20);
        CPPUNIT_ASSERT_MESSAGE(std::string(filters) + ": " + std::to_string(reads), reads < 200);
        const auto total = OperatorListStatement::total(query(filters));
        CPPUNIT_ASSERT_MESSAGE(filters, explain(*_session, total)["x"].extra.find("Using index") != std::string::npos);
    }
    const json newest = list("")["products"].at(0);
    CPPUNIT_ASSERT_EQUAL(json(_many->id()), newest["supplier"]["id"]);
    CPPUNIT_ASSERT_EQUAL(json(sandbox.id()), list("sandbox=true")["products"].at(0)["supplier"]["id"]);
}

TEST(OperatorProductListTest, aListWithSandboxesHasBothInOneOrder) {
    prepareManyProducts();
    SupplierClient sandbox = fillSandbox();
    _many->fill(30);
    fillSandbox(sandbox, 30);
    for (const std::string& status : {std::string(), std::string("&status=pending")}) {
        const std::string filter = "sandbox=true" + status;
        const Ids whole = wholeList(filter, true);
        const json first = list(filter + "&per_page=100");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(filter, json(std::min<std::size_t>(whole.size(), 10'000)),
                                     first["pagination"]["total_items"]);
        for (const std::size_t page : {std::size_t{1}, std::size_t{2}, std::size_t{40}}) {
            const json data = list(filter + "&per_page=100&page=" + std::to_string(page));
            const auto begin = whole.begin() + static_cast<std::ptrdiff_t>((page - 1) * 100);
            CPPUNIT_ASSERT_MESSAGE(filter, idsOf(data["products"]) == Ids(begin, begin + 100));
        }
        const std::string cursor = first["pagination"]["next_cursor"];
        CPPUNIT_ASSERT_MESSAGE(filter, idsOf(list(filter + "&per_page=100&cursor=" + cursor)["products"]) ==
                                           Ids(whole.begin() + 100, whole.begin() + 200));
        auto both = query(status.empty() ? "" : "state");
        both.withSandboxes = true;
        for (const auto& window : windows()) {
            const auto reads = rowsRead(*_session, OperatorListStatement::page(both, window), 20);
            CPPUNIT_ASSERT_MESSAGE(filter + ": " + std::to_string(reads), reads < 500);
        }
    }
    CPPUNIT_ASSERT_EQUAL(json::array(), list("sandbox=true&page=9223372036854775807")["products"]);
}

} // namespace supplierd::tests
