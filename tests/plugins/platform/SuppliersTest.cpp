#include "PlatformWorld.h"

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;

class SuppliersTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(SuppliersTest);
    CPPUNIT_TEST(testANewSupplierIsUnverifiedAndCanBeRead);
    CPPUNIT_TEST(testANewSupplierCanWorkAtOnce);
    CPPUNIT_TEST(testEveryProblemOfANewSupplierIsNamed);
    CPPUNIT_TEST(testTextIsTrimmedAndKept);
    CPPUNIT_TEST(testTheListIsNewestFirstInPages);
    CPPUNIT_TEST(testTheListFiltersByStatusAndSearch);
    CPPUNIT_TEST(testEveryProblemOfTheQueryIsNamed);
    CPPUNIT_TEST(testVerifyingLetsASupplierIn);
    CPPUNIT_TEST(testSuspendingKeepsASupplierOut);
    CPPUNIT_TEST(testAStatusThatIsSoAlreadyIsNoChange);
    CPPUNIT_TEST(testTwoRacingSuspensionsAreOneChange);
    CPPUNIT_TEST(testARepeatedCreateMakesOneSupplier);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _operator = std::make_unique<Operator>(); }

    void tearDown() override { // an idle connection holds a thread of the server
        _operator.reset();
    }

    void testANewSupplierIsUnverifiedAndCanBeRead() {
        const HttpResponse response = op().http().post("/suppliers", {{"name", "Tulip Trade"}});
        requireStatus(201, response);
        const json supplier = response.data().at("supplier");
        const std::string path = "/suppliers/" + std::to_string(idOf(supplier));
        CPPUNIT_ASSERT_EQUAL("/api/v1/platform" + path, response.header("Location"));
        CPPUNIT_ASSERT_EQUAL(json("Tulip Trade"), supplier["name"]);
        CPPUNIT_ASSERT(supplier.at("email").is_null());
        CPPUNIT_ASSERT_EQUAL(json("unverified"), supplier["status"]);
        CPPUNIT_ASSERT_EQUAL(std::size_t{20}, supplier["created_at"].get<std::string>().size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, supplier.size());
        CPPUNIT_ASSERT_EQUAL(supplier, op().get(path).at("supplier"));
        const json entries = op().audit("supplier", idOf(supplier));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, entries.size());
        CPPUNIT_ASSERT_EQUAL(json("supplier.create"), entries[0]["action"]);
        CPPUNIT_ASSERT(entries[0].at("before").is_null());
        CPPUNIT_ASSERT_EQUAL(json({{"name", "Tulip Trade"}, {"email", nullptr}, {"status", "unverified"}}),
                             entries[0]["after"]);
    }

    void testANewSupplierCanWorkAtOnce() {
        Seller seller(op(), {{"email", "sales@rozenhof.example"}});
        const json product = seller.create();
        CPPUNIT_ASSERT(seller.listed() == Ids{idOf(product)});
        seller.requireTrueTotals();
    }

    void testEveryProblemOfANewSupplierIsNamed() {
        requireProblems(op().http().post("/suppliers", json::object()), {"name:required"});
        requireProblems(op().http().post("/suppliers", {{"name", "  "}, {"email", 5}, {"status", "open"}}),
                        {"name:required", "email:type", "status:not_in_set"});
        requireProblems(op().http().post("/suppliers", {{"name", std::string(256, 'a')},
                                                        {"email", std::string(250, 'a') + "@b.example"},
                                                        {"status", true}}),
                        {"name:too_long", "email:too_long", "status:type"});
        for (const char* email : {"rozenhof", "@example", "a@", "a b@example"})
            requireProblems(op().http().post("/suppliers", {{"name", "Any"}, {"email", email}}), {"email:type"});
    }

    void testTextIsTrimmedAndKept() {
        const json made =
            op().post("/suppliers", {{"name", "  Blømster 💐 "}, {"email", ""}, {"status", nullptr}}, 201)["supplier"];
        CPPUNIT_ASSERT_EQUAL(json("Blømster 💐"), made["name"]);
        CPPUNIT_ASSERT(made["email"].is_null());
        CPPUNIT_ASSERT_EQUAL(json("unverified"), made["status"]);
    }

    void testTheListIsNewestFirstInPages() {
        const std::string word = unique("Paged");
        Ids made;
        for (int i = 0; i < 5; ++i)
            made.insert(made.begin(), idOf(op().post("/suppliers", {{"name", word}}, 201)["supplier"]));
        const auto page = [&](const std::string& more) { return op().get("/suppliers?search=" + word + more); };
        CPPUNIT_ASSERT(idsOf(page("")["suppliers"]) == made);
        const json second = page("&page=2&per_page=2");
        CPPUNIT_ASSERT(idsOf(second["suppliers"]) == (Ids{made[2], made[3]}));
        CPPUNIT_ASSERT_EQUAL(json({{"current_page", 2}, {"total_pages", 3}, {"total_items", 5}, {"per_page", 2}}),
                             second["pagination"]);
        const json past = page("&page=9223372036854775807");
        CPPUNIT_ASSERT_EQUAL(json::array(), past["suppliers"]);
        CPPUNIT_ASSERT_EQUAL(json(5), past["pagination"]["total_items"]);
        CPPUNIT_ASSERT_EQUAL(json(100), page("&per_page=1000")["pagination"]["per_page"]);
        const Ids newest = idsOf(op().get("/suppliers")["suppliers"]);
        CPPUNIT_ASSERT(std::is_sorted(newest.rbegin(), newest.rend()));
        CPPUNIT_ASSERT_EQUAL(made.front(), newest.front());
    }

    void testTheListFiltersByStatusAndSearch() {
        const std::string word = unique("Filtered");
        const auto make = [&](const json& body) { return idOf(op().post("/suppliers", body, 201)["supplier"]); };
        const auto verified = make({{"name", word + " 100%"}, {"status", "verified"}});
        const auto suspended = make({{"name", word + " 100x"}, {"status", "suspended"}});
        const auto byEmail = make({{"name", "Other"}, {"email", word + "@example.org"}});
        const auto found = [&](const std::string& query) {
            const json data = op().get("/suppliers?" + query);
            CPPUNIT_ASSERT_EQUAL(json(data["suppliers"].size()), data["pagination"]["total_items"]);
            return idsOf(data["suppliers"]);
        };
        CPPUNIT_ASSERT(found("search=" + word) == (Ids{byEmail, suspended, verified}));
        CPPUNIT_ASSERT(found("status=verified&search=" + word) == Ids{verified});
        CPPUNIT_ASSERT(found("status=suspended&search=" + word) == Ids{suspended});
        CPPUNIT_ASSERT(found("status=unverified&search=" + word) == Ids{byEmail});
        CPPUNIT_ASSERT(found("search=" + word + "%20100%25") == Ids{verified}); // a per cent sign is itself
    }

    void testEveryProblemOfTheQueryIsNamed() {
        requireProblems(op().http().get("/suppliers?page=0&per_page=x&status=open&search=" + std::string(101, 'a')),
                        {"page:out_of_range", "per_page:type", "status:not_in_set", "search:too_long"});
    }

    void testVerifyingLetsASupplierIn() {
        Seller seller(op(), {{"status", "unverified"}});
        requireForbidden("supplier_unverified", seller.http().get("/products"));
        const json supplier = op().postEmpty(seller.path("/verify"))["supplier"];
        CPPUNIT_ASSERT_EQUAL(json("verified"), supplier["status"]);
        waitForKeys();
        requireStatus(200, seller.http().get("/products"));
    }

    void testSuspendingKeepsASupplierOut() {
        Seller seller(op());
        requireStatus(200, seller.http().get("/products"));
        const json supplier = op().postEmpty(seller.path("/suspend"))["supplier"];
        CPPUNIT_ASSERT_EQUAL(json("suspended"), supplier["status"]);
        CPPUNIT_ASSERT_EQUAL(supplier, op().get(seller.path())["supplier"]);
        waitForKeys();
        requireForbidden("supplier_suspended", seller.http().get("/products"));
        const json entry = op().audit("supplier", seller.id())[0];
        CPPUNIT_ASSERT_EQUAL(json("supplier.suspend"), entry["action"]);
        CPPUNIT_ASSERT_EQUAL(json({{"status", "verified"}}), entry["before"]);
        CPPUNIT_ASSERT_EQUAL(json({{"status", "suspended"}}), entry["after"]);
    }

    void testAStatusThatIsSoAlreadyIsNoChange() {
        const Seller seller(op());
        CPPUNIT_ASSERT_EQUAL(json("verified"), op().postEmpty(seller.path("/verify"))["supplier"]["status"]);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, op().audit("supplier", seller.id()).size()); // of its making
        op().postEmpty(seller.path("/suspend"));
        op().postEmpty(seller.path("/suspend"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, op().audit("supplier", seller.id()).size());
    }

    void testTwoRacingSuspensionsAreOneChange() {
        const Seller seller(op());
        race(8, [&](Operator& another, int) { another.postEmpty(seller.path("/suspend")); });
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, op().audit("supplier", seller.id()).size());
    }

    void testARepeatedCreateMakesOneSupplier() {
        const std::string word = unique("Once");
        const HttpHeaders headers{{"Idempotency-Key", word}};
        const HttpResponse first = op().http().post("/suppliers", {{"name", word}}, headers);
        const HttpResponse again = op().http().post("/suppliers", {{"name", word}}, headers);
        requireStatus(201, first);
        CPPUNIT_ASSERT_EQUAL(first.body, again.body);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
        CPPUNIT_ASSERT_EQUAL(first.header("Location"), again.header("Location"));
        CPPUNIT_ASSERT_EQUAL(json(1), op().get("/suppliers?search=" + word)["pagination"]["total_items"]);
        requireProblems(op().http().post("/suppliers", {{"name", "Another"}}, headers), {"Idempotency-Key:duplicate"});
    }

private:
    Operator& op() { return *_operator; }

    /// A word that no other supplier's name holds.
    std::string unique(const std::string& word) { return word + _operator->key().substr(3, 8); }

    std::unique_ptr<Operator> _operator;
};

CPPUNIT_TEST_SUITE_REGISTRATION(SuppliersTest);

} // namespace supplierd::tests
