#include "tests/support/OperatorClient.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;

class SuppliersTest : public CppUnit::TestFixture {
public:
    void setUp() override { _operator = std::make_unique<OperatorClient>(); }

    void tearDown() override { // an idle connection holds a thread of the server
        _operator.reset();
    }

protected:
    OperatorClient& op() { return *_operator; }

    /// A word that no other supplier's name holds.
    std::string unique(const std::string& word) { return word + _operator->key().substr(3, 8); }

    std::unique_ptr<OperatorClient> _operator;
};

TEST(SuppliersTest, aNewSupplierIsUnverifiedAndCanBeRead) {
    const HttpResponse response = op().post("/suppliers", {{"name", "Tulip Trade"}});
    requireStatus(201, response);
    const json supplier = response.data().at("supplier");
    const std::string path = "/suppliers/" + std::to_string(idOf(supplier));
    CPPUNIT_ASSERT_EQUAL("/api/v1/platform" + path, response.header("Location"));
    CPPUNIT_ASSERT_EQUAL(json("Tulip Trade"), supplier["name"]);
    CPPUNIT_ASSERT(supplier.at("email").is_null());
    CPPUNIT_ASSERT_EQUAL(json("unverified"), supplier["status"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{20}, supplier["created_at"].get<std::string>().size());
    CPPUNIT_ASSERT_EQUAL(json(false), supplier["sandbox"]);
    CPPUNIT_ASSERT(supplier.at("sandbox_of").is_null());
    CPPUNIT_ASSERT_EQUAL(std::size_t{7}, supplier.size());
    CPPUNIT_ASSERT_EQUAL(supplier, dataOf(op().get(path)).at("supplier"));
    const json entries = op().audit("supplier", idOf(supplier));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, entries.size());
    CPPUNIT_ASSERT_EQUAL(json("supplier.create"), entries[0]["action"]);
    CPPUNIT_ASSERT(entries[0].at("before").is_null());
    CPPUNIT_ASSERT_EQUAL(json({{"name", "Tulip Trade"}, {"email", nullptr}, {"status", "unverified"}}),
                         entries[0]["after"]);
}

TEST(SuppliersTest, aNewSupplierCanWorkAtOnce) {
    SupplierClient supplier = op().createSupplier({{"email", "sales@rozenhof.example"}});
    const json product = supplier.create();
    CPPUNIT_ASSERT(supplier.ids() == Ids{idOf(product)});
    supplier.requireTrueTotals();
}

TEST(SuppliersTest, everyProblemOfANewSupplierIsNamed) {
    requireProblems(op().post("/suppliers", json::object()), {"name:required"});
    requireProblems(op().post("/suppliers", {{"name", "  "}, {"email", 5}, {"status", "open"}}),
                    {"name:required", "email:type", "status:not_in_set"});
    requireProblems(
        op().post("/suppliers",
                  {{"name", std::string(256, 'a')}, {"email", std::string(250, 'a') + "@b.example"}, {"status", true}}),
        {"name:too_long", "email:too_long", "status:type"});
    for (const char* email : {"rozenhof", "@example", "a@", "a b@example"})
        requireProblems(op().post("/suppliers", {{"name", "Any"}, {"email", email}}), {"email:type"});
}

TEST(SuppliersTest, textIsTrimmedAndKept) {
    const json made = dataOf(op().post("/suppliers", {{"name", "  Blømster 💐 "}, {"email", ""}, {"status", nullptr}}),
                             201)["supplier"];
    CPPUNIT_ASSERT_EQUAL(json("Blømster 💐"), made["name"]);
    CPPUNIT_ASSERT(made["email"].is_null());
    CPPUNIT_ASSERT_EQUAL(json("unverified"), made["status"]);
}

TEST(SuppliersTest, nameAndEmailChangeAndNothingElse) {
    const json made = dataOf(op().post("/suppliers", {{"name", "Tulip"}, {"email", "a@b.example"}}), 201)["supplier"];
    const std::string path = "/suppliers/" + std::to_string(idOf(made));
    const json changed = dataOf(op().post(path, {{"name", " Tulips "}, {"status", "verified"}}))["supplier"];
    CPPUNIT_ASSERT_EQUAL(json("Tulips"), changed["name"]);
    CPPUNIT_ASSERT_EQUAL(made["email"], changed["email"]);
    CPPUNIT_ASSERT_EQUAL(json("unverified"), changed["status"]);
    CPPUNIT_ASSERT(dataOf(op().post(path, {{"email", nullptr}}))["supplier"]["email"].is_null());
    dataOf(op().post(path, {{"name", "Tulips"}})); // as it is: nothing to record
    requireProblems(op().post(path, {{"name", ""}, {"email", "b@"}}), {"name:required", "email:type"});
    requireProblems(op().post(path, {{"name", nullptr}}), {"name:required"});
    const json entries = op().audit("supplier", idOf(made));
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, entries.size());
    CPPUNIT_ASSERT_EQUAL(json("supplier.update"), entries[1]["action"]);
    CPPUNIT_ASSERT_EQUAL(json({{"name", "Tulip"}}), entries[1]["before"]);
    CPPUNIT_ASSERT_EQUAL(json({{"name", "Tulips"}}), entries[1]["after"]);
    requireError(404, "NOT_FOUND", op().post("/suppliers/999999", json::object()));
}

TEST(SuppliersTest, theListIsNewestFirstInPages) {
    const std::string word = unique("Paged");
    Ids made;
    for (int i = 0; i < 5; ++i)
        made.insert(made.begin(), idOf(dataOf(op().post("/suppliers", {{"name", word}}), 201)["supplier"]));
    const auto page = [&](const std::string& more) { return dataOf(op().get("/suppliers?search=" + word + more)); };
    CPPUNIT_ASSERT(idsOf(page("")["suppliers"]) == made);
    const json second = page("&page=2&per_page=2");
    CPPUNIT_ASSERT(idsOf(second["suppliers"]) == (Ids{made[2], made[3]}));
    CPPUNIT_ASSERT_EQUAL(json({{"current_page", 2}, {"total_pages", 3}, {"total_items", 5}, {"per_page", 2}}),
                         second["pagination"]);
    const json past = page("&page=9223372036854775807");
    CPPUNIT_ASSERT_EQUAL(json::array(), past["suppliers"]);
    CPPUNIT_ASSERT_EQUAL(json(5), past["pagination"]["total_items"]);
    CPPUNIT_ASSERT_EQUAL(json(100), page("&per_page=1000")["pagination"]["per_page"]);
    const Ids newest = idsOf(dataOf(op().get("/suppliers"))["suppliers"]);
    CPPUNIT_ASSERT(std::is_sorted(newest.rbegin(), newest.rend()));
    CPPUNIT_ASSERT_EQUAL(made.front(), newest.front());
}

TEST(SuppliersTest, theListFiltersByStatusAndSearch) {
    const std::string word = unique("Filtered");
    const auto make = [&](const json& body) { return idOf(dataOf(op().post("/suppliers", body), 201)["supplier"]); };
    const auto verified = make({{"name", word + " 100%"}, {"status", "verified"}});
    const auto suspended = make({{"name", word + " 100x"}, {"status", "suspended"}});
    const auto byEmail = make({{"name", "Other"}, {"email", word + "@example.org"}});
    const auto found = [&](const std::string& query) {
        const json data = dataOf(op().get("/suppliers?" + query));
        CPPUNIT_ASSERT_EQUAL(json(data["suppliers"].size()), data["pagination"]["total_items"]);
        return idsOf(data["suppliers"]);
    };
    CPPUNIT_ASSERT(found("search=" + word) == (Ids{byEmail, suspended, verified}));
    CPPUNIT_ASSERT(found("status=verified&search=" + word) == Ids{verified});
    CPPUNIT_ASSERT(found("status=suspended&search=" + word) == Ids{suspended});
    CPPUNIT_ASSERT(found("status=unverified&search=" + word) == Ids{byEmail});
    CPPUNIT_ASSERT(found("search=" + word + "%20100%25") == Ids{verified}); // a per cent sign is itself
}

TEST(SuppliersTest, everyProblemOfTheQueryIsNamed) {
    requireProblems(op().get("/suppliers?page=0&per_page=x&status=open&search=" + std::string(101, 'a')),
                    {"page:out_of_range", "per_page:type", "status:not_in_set", "search:too_long"});
}

TEST(SuppliersTest, verifyingLetsASupplierIn) {
    SupplierClient supplier = op().createSupplier({{"status", "unverified"}});
    requireForbidden("supplier_unverified", supplier.get("/products"));
    const json verified = dataOf(op().postEmpty(supplier.path("/verify")))["supplier"];
    CPPUNIT_ASSERT_EQUAL(json("verified"), verified["status"]);
    waitForKeys();
    requireStatus(200, supplier.get("/products"));
}

TEST(SuppliersTest, suspendingKeepsASupplierOut) {
    SupplierClient supplier = op().createSupplier();
    requireStatus(200, supplier.get("/products"));
    const json suspended = dataOf(op().postEmpty(supplier.path("/suspend")))["supplier"];
    CPPUNIT_ASSERT_EQUAL(json("suspended"), suspended["status"]);
    CPPUNIT_ASSERT_EQUAL(suspended, dataOf(op().get(supplier.path()))["supplier"]);
    waitForKeys();
    requireForbidden("supplier_suspended", supplier.get("/products"));
    const json entry = op().audit("supplier", supplier.id())[0];
    CPPUNIT_ASSERT_EQUAL(json("supplier.suspend"), entry["action"]);
    CPPUNIT_ASSERT_EQUAL(json({{"status", "verified"}}), entry["before"]);
    CPPUNIT_ASSERT_EQUAL(json({{"status", "suspended"}}), entry["after"]);
}

TEST(SuppliersTest, aStatusThatIsSoAlreadyIsNoChange) {
    const SupplierClient supplier = op().createSupplier();
    CPPUNIT_ASSERT_EQUAL(json("verified"), dataOf(op().postEmpty(supplier.path("/verify")))["supplier"]["status"]);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, op().audit("supplier", supplier.id()).size()); // of its making
    requireStatus(200, op().postEmpty(supplier.path("/suspend")));
    requireStatus(200, op().postEmpty(supplier.path("/suspend")));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, op().audit("supplier", supplier.id()).size());
}

TEST(SuppliersTest, twoRacingSuspensionsAreOneChange) {
    const SupplierClient supplier = op().createSupplier();
    race(8, [&](OperatorClient& another, int) { requireStatus(200, another.postEmpty(supplier.path("/suspend"))); });
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, op().audit("supplier", supplier.id()).size());
}

TEST(SuppliersTest, aRepeatedCreateMakesOneSupplier) {
    const std::string word = unique("Once");
    const HttpHeaders headers{{"Idempotency-Key", word}};
    const HttpResponse first = op().post("/suppliers", {{"name", word}}, headers);
    const HttpResponse again = op().post("/suppliers", {{"name", word}}, headers);
    requireStatus(201, first);
    CPPUNIT_ASSERT_EQUAL(first.body, again.body);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(first.header("Location"), again.header("Location"));
    CPPUNIT_ASSERT_EQUAL(json(1), dataOf(op().get("/suppliers?search=" + word))["pagination"]["total_items"]);
    requireProblems(op().post("/suppliers", {{"name", "Another"}}, headers), {"Idempotency-Key:duplicate"});
}

} // namespace supplierd::tests
