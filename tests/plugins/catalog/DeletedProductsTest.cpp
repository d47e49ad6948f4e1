#include "CatalogFixture.h"
#include "tests/support/ChangesOf.h"
#include "tests/support/ChangesWalk.h"
#include "tests/support/Test.h"

#include <supplierd/internal/ChangePlace.h>

#include <array>
#include <functional>
#include <memory>
#include <string>

namespace supplierd::tests {

using Ids = std::vector<std::int64_t>;

namespace {

/// The supplier of these tests does not fit into this one's memory.
ServerProcess& smallServer() {
    static ServerProcess server(fixture().database(), {.configuration = "[server]\nmemory = \"1MiB\"\n"});
    return server;
}

} // namespace

/// What was deleted goes for good, and whoever was to learn of it is told so.
class DeletedProductsTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
    static constexpr int MANY = 4'000;

    static Ids sorted(Ids ids) {
        std::sort(ids.begin(), ids.end());
        return ids;
    }

    static std::string delta(std::int64_t number) {
        return "/products?include_deleted=true&changed_after=" + std::to_string(number);
    }

    /// As the server does it by and by.
    void trimLog(std::int64_t upTo) {
        fixture().database().exec("DELETE FROM changes WHERE supplier_id = " + std::to_string(_supplier->id()) +
                                  " AND change_seq <= " + std::to_string(upTo));
    }

    static std::string removeDeleted() {
        const auto run =
            runCommand({.arguments = {ServerProcess::controlProgram(), "--config", fixture().server().configFile(),
                                      "job", "run", "catalog", "remove-deleted"}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(run.output + run.errors, 0, run.exitCode);
        return run.output;
    }

    static std::int64_t count(const std::string& rows) {
        return fixture().database().integer("SELECT COUNT(*) FROM " + rows);
    }

    /// One change of all of them.
    void change(const std::string& set, std::int64_t first, std::int64_t last) {
        const std::string supplier = std::to_string(_supplier->id());
        const std::string seq = std::to_string(_supplier->changeSeq() + 1);
        fixture().database().exec("UPDATE products SET change_seq = " + seq + set + " WHERE id BETWEEN " +
                                  std::to_string(first) + " AND " + std::to_string(last));
        fixture().database().exec("UPDATE supplier_state SET change_seq = " + seq + " WHERE supplier_id = " + supplier);
        fixture().database().exec("INSERT INTO changes (supplier_id, change_seq, kind, ids, actor) VALUES (" +
                                  supplier + ", " + seq + ", 'product.updated', x'00', 'test')");
    }
    void changeTogether(std::int64_t first, std::int64_t last) { change("", first, last); }
    void deleteInDatabase(std::int64_t first, std::int64_t last) {
        change(", deleted = 1, deleted_at = NOW(6)", first, last);
    }

    /// Makes the supplier larger than the small server's memory.
    void outgrow() {
        _supplier->fill(MANY);
        fixture().database().exec(
            "UPDATE products SET name = CONCAT('Tulipa ', id, REPEAT('t', 230)) WHERE supplier_id = " +
            std::to_string(_supplier->id()));
        smallServer().client(_supplier->key()).get("/products?sort=name&per_page=1");
        CPPUNIT_ASSERT(smallServer().metric("supplierd_catalog_index_too_large_suppliers") > 0);
    }

    void onBoth(const std::function<void(HttpClient&)>& use) const {
        for (ServerProcess* const server : {&fixture().server(), &smallServer()}) {
            HttpClient http = server->client(_supplier->key());
            use(http);
        }
    }

    std::unique_ptr<SupplierClient> _supplier;
    const ChangesWalk _changes{"products", [this](const std::string& query) { return _supplier->list(query); }};
};

TEST(DeletedProductsTest, aDeletedProductGoesWithTheLog) {
    SupplierClient other;
    const std::int64_t ofOther = other.create()["id"];
    other.remove(ofOther);
    const std::int64_t live = _supplier->create()["id"];
    const std::int64_t gone = _supplier->create(
        {{"sku", "G"}, {"variants", {{{"name", "Long"}, {"sku", "G-1"}}, {{"name", "Short"}}}}})["id"];
    _supplier->remove(gone);
    const std::int64_t deleted = _supplier->changeSeq();
    const std::int64_t later = _supplier->create()["id"];
    trimLog(deleted - 1);
    removeDeleted();
    CPPUNIT_ASSERT((Ids{live, gone, later}) == sorted(_supplier->ids("include_deleted=true")));
    CPPUNIT_ASSERT_EQUAL(deleted + 1, _supplier->changeSeq()); // nothing to do takes no number
    trimLog(deleted);
    removeDeleted();
    CPPUNIT_ASSERT((Ids{live, later}) == sorted(_supplier->ids("include_deleted=true")));
    CPPUNIT_ASSERT(_supplier->ids("include_deleted=true&sku=G").empty());
    for (const char* table :
         {"products WHERE id", "product_variants WHERE product_id", "product_skus WHERE product_id"})
        CPPUNIT_ASSERT_EQUAL_MESSAGE(table, std::int64_t{0}, count(std::string(table) + " = " + std::to_string(gone)));
    CPPUNIT_ASSERT_EQUAL(404, _supplier->get("/products/" + std::to_string(gone)).status);
    CPPUNIT_ASSERT((std::vector<std::string>{"product.removed " + std::to_string(gone)}) ==
                   changesOf(fixture().database(), _supplier->id(), deleted + 1));
    CPPUNIT_ASSERT_EQUAL(std::string("job:catalog.remove-deleted "),
                         originOfLastChange(fixture().database(), _supplier->id()));
    CPPUNIT_ASSERT((Ids{ofOther}) == other.ids("include_deleted=true"));
    // Its SKUs are as free as they were.
    CPPUNIT_ASSERT(_supplier->create({{"sku", "G"}})["id"] > later);
    removeDeleted();
}

TEST(DeletedProductsTest, itLeavesMemory) {
    const Ids all = _supplier->fill(3'000);
    const auto bytes = [&] {
        _supplier->list("include_deleted=true&sort=name&per_page=1");
        return fixture().server().metric("supplierd_catalog_index_bytes");
    };
    const double before = bytes();
    deleteInDatabase(all.front(), all[2'799]);
    const double loads = fixture().server().metric("supplierd_catalog_index_loads_total");
    CPPUNIT_ASSERT(bytes() > before * 0.9);
    trimLog(_supplier->changeSeq());
    removeDeleted();
    CPPUNIT_ASSERT_EQUAL(json(200), _supplier->list("include_deleted=true&per_page=1")["pagination"]["total_items"]);
    const double after = bytes();
    CPPUNIT_ASSERT_MESSAGE(std::to_string(before) + " -> " + std::to_string(after), after < before / 3);
    // Once for what the test deleted past the log, once for all pieces together.
    CPPUNIT_ASSERT(fixture().server().metric("supplierd_catalog_index_loads_total") - loads <= 2);
    // Few that go are forgotten, and nothing is loaded for them.
    const double then = fixture().server().metric("supplierd_catalog_index_loads_total");
    _supplier->remove(all[2'900]);
    CPPUNIT_ASSERT_EQUAL(json(200), _supplier->list("include_deleted=true&per_page=1")["pagination"]["total_items"]);
    trimLog(_supplier->changeSeq());
    removeDeleted();
    CPPUNIT_ASSERT_EQUAL(json(199), _supplier->list("include_deleted=true&per_page=1")["pagination"]["total_items"]);
    CPPUNIT_ASSERT_EQUAL(then, fixture().server().metric("supplierd_catalog_index_loads_total"));
}

TEST(DeletedProductsTest, aDeltaFromBeforeTheLogIsRefused) {
    const std::int64_t a = _supplier->create()["id"];
    const std::int64_t b = _supplier->create()["id"];
    const std::int64_t c = _supplier->create()["id"];
    const std::int64_t old = _supplier->changeSeq();
    _supplier->remove(a);
    const std::int64_t begin = _supplier->changeSeq();
    _supplier->remove(b);
    trimLog(begin);
    const auto requireThese = [&] {
        onBoth([&](HttpClient& http) {
            for (const std::int64_t number : {std::int64_t{1}, old, begin - 1}) {
                requireProblems(http.get(delta(number)), {"changed_after:too_old"});
                requireProblems(http.get("/products?changed_after=" + std::to_string(number)),
                                {"changed_after:too_old"});
            }
            CPPUNIT_ASSERT((Ids{b}) == idsOf(dataOf(http.get(delta(begin)))["products"]));
            CPPUNIT_ASSERT(idsOf(dataOf(http.get(delta(_supplier->changeSeq())))["products"]).empty());
            CPPUNIT_ASSERT(idsOf(dataOf(http.get(delta(_supplier->changeSeq() + 9)))["products"]).empty());
        });
    };
    removeDeleted();
    requireThese();
    CPPUNIT_ASSERT((Ids{b, c}) == sorted(_supplier->ids("include_deleted=true&changed_after=0")));
    outgrow();
    onBoth([&](HttpClient& http) {
        requireProblems(http.get(delta(begin - 1)), {"changed_after:too_old"});
        CPPUNIT_ASSERT_EQUAL(b, idsOf(dataOf(http.get(delta(begin)))["products"]).front());
        CPPUNIT_ASSERT(idsOf(dataOf(http.get(delta(_supplier->changeSeq())))["products"]).empty());
    });
}

TEST(DeletedProductsTest, aPlaceInAChangeBeforeTheLogIsRefused) {
    const Ids all = _supplier->fill(30);
    const std::int64_t since = _supplier->changeSeq();
    // One change of many, which a page cuts.
    changeTogether(all.front(), all.back());
    const std::int64_t cut = _supplier->changeSeq();
    _supplier->create();
    const json page = _supplier->list("per_page=10&changed_after=" + std::to_string(since));
    const json number = page["pagination"]["last_change_seq"];
    const std::string cursor = page["pagination"]["next_cursor"];
    CPPUNIT_ASSERT_EQUAL(cut, ChangePlace::decode(number.get<std::int64_t>()).value().seq);
    const auto places = {"changed_after=" + number.dump(), "cursor=" + cursor};
    trimLog(cut - 1);
    _supplier->create();
    for (const std::string& place : places)
        CPPUNIT_ASSERT_EQUAL(all[10], _supplier->ids(place).front());
    trimLog(cut);
    _supplier->create();
    requireProblems(_supplier->get("/products?changed_after=" + number.dump()), {"changed_after:too_old"});
    requireProblems(_supplier->get("/products?cursor=" + cursor), {"cursor:too_old"});
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _supplier->ids("changed_after=" + std::to_string(cut + 1)).size());
}

TEST(DeletedProductsTest, aCopyOfOldProductsComesToItsEnd) {
    const Ids all = _supplier->fill(57);
    changeTogether(all[10], all[39]);
    Ids expected(all.begin(), all.begin() + 10);
    expected.insert(expected.end(), all.begin() + 40, all.end());
    expected.insert(expected.end(), all.begin() + 10, all.begin() + 40);
    trimLog(_supplier->changeSeq());
    const std::int64_t last = _supplier->create()["id"];
    expected.push_back(last);
    for (const char* filter : {"", "include_deleted=true", "search=tulipa"}) {
        if (*filter == 's')
            expected.pop_back();
        for (const int perPage : {1, 7, 10, 30, 57, 100})
            CPPUNIT_ASSERT_MESSAGE(filter + std::to_string(perPage), _changes.sync(filter, perPage) == expected);
    }
}

/// Beside both servers in turn, by cursors and by numbers.
TEST(DeletedProductsTest, aCopyTellsWhatIsDeletedMeanwhile) {
    const Ids all = _supplier->fill(60);
    outgrow();
    trimLog(_supplier->changeSeq());
    for (const bool byCursor : {true, false}) {
        const std::int64_t told = all[byCursor ? 3 : 4];
        const std::int64_t notTold = all[byCursor ? 45 : 46];
        bool isSmall = false;
        int pages = 0;
        const ChangesWalk changes{"products", [&](const std::string& query) {
                                      if (++pages == 3) {
                                          _supplier->remove(told);
                                          _supplier->remove(notTold);
                                      }
                                      isSmall = !isSmall;
                                      HttpClient http =
                                          (isSmall ? smallServer() : fixture().server()).client(_supplier->key());
                                      return dataOf(http.get("/products?" + query));
                                  }};
        const json first = _supplier->list("include_deleted=true&per_page=10&changed_after=0");
        Ids ids = idsOf(first["products"]);
        const Ids rest = changes.follow("include_deleted=true", 10, first, byCursor);
        ids.insert(ids.end(), rest.begin(), rest.end());
        CPPUNIT_ASSERT((Ids{told, notTold}) == Ids(ids.end() - 2, ids.end()));
        for (const std::int64_t id : all) // each at least once
            CPPUNIT_ASSERT(std::find(ids.begin(), ids.end(), id) != ids.end());
        CPPUNIT_ASSERT(ids.size() < 60 + MANY + 20);
    }
}

TEST(DeletedProductsTest, aCopyThatRestedTooLongIsRefused) {
    const Ids all = _supplier->fill(30);
    trimLog(_supplier->changeSeq());
    _supplier->update(all[29], {{"stock_qty", 77}});
    const json page = _supplier->list("include_deleted=true&per_page=10&changed_after=0")["pagination"];
    const std::string number = page["last_change_seq"].dump();
    const std::string cursor = page["next_cursor"];
    _supplier->remove(all[3]);
    const std::int64_t deleted = _supplier->changeSeq();
    _supplier->update(all[29], {{"stock_qty", 78}});
    trimLog(deleted - 1);
    CPPUNIT_ASSERT_EQUAL(200, _supplier->get("/products?include_deleted=true&changed_after=" + number).status);
    CPPUNIT_ASSERT_EQUAL(200, _supplier->get("/products?include_deleted=true&cursor=" + cursor).status);
    trimLog(deleted);
    removeDeleted();
    requireProblems(_supplier->get("/products?include_deleted=true&changed_after=" + number),
                    {"changed_after:too_old"});
    requireProblems(_supplier->get("/products?include_deleted=true&cursor=" + cursor), {"cursor:too_old"});
}

TEST(DeletedProductsTest, aWalkThatRestedTooLongIsRefused) {
    const Ids all = _supplier->fill(30);
    const std::string cursor = _supplier->list("include_deleted=true&per_page=10")["pagination"]["next_cursor"];
    const std::string ofLive = _supplier->list("per_page=10")["pagination"]["next_cursor"];
    trimLog(_supplier->changeSeq());
    CPPUNIT_ASSERT_EQUAL(200, _supplier->get("/products?include_deleted=true&cursor=" + cursor).status);
    _supplier->remove(all[29]);
    trimLog(_supplier->changeSeq());
    removeDeleted();
    requireProblems(_supplier->get("/products?include_deleted=true&cursor=" + cursor), {"cursor:too_old"});
    CPPUNIT_ASSERT_EQUAL(200, _supplier->get("/products?cursor=" + ofLive).status);
}

TEST(DeletedProductsTest, anEmptyLogBeginsAtThePresentNumber) {
    _supplier->create();
    const std::int64_t before = _supplier->changeSeq();
    _supplier->remove(_supplier->create()["id"]);
    const std::int64_t present = _supplier->changeSeq();
    trimLog(present);
    CPPUNIT_ASSERT_EQUAL(200, _supplier->get(delta(present)).status);
    removeDeleted();
    requireProblems(_supplier->get(delta(before)), {"changed_after:too_old"});
    CPPUNIT_ASSERT(_supplier->ids(delta(present).substr(10)).empty());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _supplier->ids("include_deleted=true&changed_after=0").size());
}

TEST(DeletedProductsTest, manyGoInPieces) {
    const Ids all = _supplier->fill(1'203);
    deleteInDatabase(all.front(), all[1'200]);
    trimLog(_supplier->changeSeq());
    const std::int64_t before = _supplier->changeSeq();
    const std::string report = removeDeleted();
    CPPUNIT_ASSERT_MESSAGE(report, report.find("removed 1201 deleted products") != std::string::npos);
    CPPUNIT_ASSERT_EQUAL(before + 3, _supplier->changeSeq());
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, changesOf(fixture().database(), _supplier->id(), before).size());
    CPPUNIT_ASSERT((Ids{all[1'201], all[1'202]}) == sorted(_supplier->ids("include_deleted=true")));
}

TEST(DeletedProductsTest, whatAnotherTablePointsAtStays) {
    const Ids all = _supplier->fill(20);
    fixture().database().exec("CREATE TABLE pointers (product_id BIGINT NOT NULL PRIMARY KEY, FOREIGN KEY "
                              "(product_id) REFERENCES products "
                              "(id)); INSERT INTO pointers VALUES (" +
                              std::to_string(all[7]) + ")");
    deleteInDatabase(all.front(), all[18]);
    trimLog(_supplier->changeSeq());
    const std::string report = removeDeleted();
    CPPUNIT_ASSERT_MESSAGE(report, report.find("removed 18 deleted products, 1 are still in use") != std::string::npos);
    CPPUNIT_ASSERT((Ids{all[7], all[19]}) == sorted(_supplier->ids("include_deleted=true")));
    fixture().database().exec("DROP TABLE pointers");
    removeDeleted();
    CPPUNIT_ASSERT((Ids{all[19]}) == _supplier->ids("include_deleted=true"));
}

} // namespace supplierd::tests
