#include "tests/support/ChangesOf.h"
#include "tests/support/OperatorClient.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;

class ProductApprovalTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _operator = std::make_unique<OperatorClient>();
        _supplier = std::make_unique<SupplierClient>(_operator->createSupplier());
    }

    void tearDown() override { // an idle connection holds a thread of the server
        _supplier.reset();
        _operator.reset();
    }

protected:
    static std::string path(const json& product, const std::string& rest = {}) {
        return "/products/" + std::to_string(idOf(product)) + rest;
    }
    static std::string repeated(const std::string& text, int times) {
        std::string all;
        for (int i = 0; i < times; ++i)
            all += text;
        return all;
    }
    /// The entries of the audit log, newest first, without the product's creation.
    json verdicts(const json& product) {
        json entries =
            dataOf(_operator->get("/audit?per_page=100&object=product&id=" + product["id"].dump()))["entries"];
        entries.erase(std::remove_if(entries.begin(), entries.end(),
                                     [](const json& entry) { return entry["action"] == "product.create"; }),
                      entries.end());
        return entries;
    }
    json approve(const json& product) { return dataOf(_operator->postEmpty(path(product, "/approve"))).at("product"); }
    json reject(const json& product, const std::string& reason) {
        return dataOf(_operator->post(path(product, "/reject"), {{"reason", reason}})).at("product");
    }

    std::unique_ptr<OperatorClient> _operator;
    std::unique_ptr<SupplierClient> _supplier;
};

TEST(ProductApprovalTest, anApprovedProductIsActive) {
    const json made = _supplier->create();
    const json approved = approve(made);
    CPPUNIT_ASSERT_EQUAL(json(true), approved["is_approved"]);
    CPPUNIT_ASSERT_EQUAL(json({{"status", "approved"}, {"reason", nullptr}}), approved["approval"]);
    CPPUNIT_ASSERT_EQUAL(json({{"id", _supplier->id()}, {"name", _supplier->name()}}), approved["supplier"]);
    CPPUNIT_ASSERT_EQUAL(json(made["version"].get<int>() + 1), approved["version"]);
    CPPUNIT_ASSERT(_supplier->ids("status=active") == Ids{idOf(made)});
    CPPUNIT_ASSERT(_supplier->ids("status=pending").empty());
    _supplier->requireTrueTotals();
}

TEST(ProductApprovalTest, aRejectedProductTellsItsSupplierWhy) {
    const json made = _supplier->create();
    const std::string reason = "The picture is blurred 💐";
    const json rejected = reject(made, "  " + reason + " ");
    CPPUNIT_ASSERT_EQUAL(json({{"status", "rejected"}, {"reason", reason}}), rejected["approval"]);
    const json read = _supplier->read(idOf(made));
    CPPUNIT_ASSERT_EQUAL(rejected["approval"], read["approval"]);
    CPPUNIT_ASSERT_EQUAL(json(false), read["is_approved"]);
    CPPUNIT_ASSERT(!read.contains("supplier"));
    CPPUNIT_ASSERT(_supplier->ids("status=pending") == Ids{idOf(made)});
    _supplier->requireTrueTotals();
}

TEST(ProductApprovalTest, aReasonHasToBeGiven) {
    const json made = _supplier->create();
    const auto refused = [&](const json& body, const char* problem) {
        requireProblems(_operator->post(path(made, "/reject"), body), {problem});
    };
    refused(json::object(), "reason:required");
    refused({{"reason", nullptr}}, "reason:required");
    refused({{"reason", "   "}}, "reason:required");
    refused({{"reason", 5}}, "reason:type");
    refused({{"reason", repeated("💐", 1'001)}}, "reason:too_long");
    CPPUNIT_ASSERT_EQUAL(json("pending"), _supplier->read(idOf(made))["approval"]["status"]);
    reject(made, repeated("💐", 1'000));
    CPPUNIT_ASSERT_EQUAL(json(repeated("💐", 1'000)), _supplier->read(idOf(made))["approval"]["reason"]);
}

TEST(ProductApprovalTest, aVerdictThatIsSoAlreadyIsNoChange) {
    const json made = _supplier->create();
    const json approved = approve(made);
    CPPUNIT_ASSERT_EQUAL(approved, approve(made));
    const json rejected = reject(made, "Blurred");
    CPPUNIT_ASSERT_EQUAL(rejected, reject(made, "Blurred"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, verdicts(made).size());
    CPPUNIT_ASSERT_EQUAL(json("Too dark"), reject(made, "Too dark")["approval"]["reason"]); // another reason
    CPPUNIT_ASSERT_EQUAL(std::size_t{3}, verdicts(made).size());
    _supplier->requireTrueTotals();
}

TEST(ProductApprovalTest, verdictsCanBeReversed) {
    const json made = _supplier->create();
    reject(made, "Blurred");
    CPPUNIT_ASSERT(approve(made)["approval"]["reason"].is_null());
    CPPUNIT_ASSERT(_supplier->ids("status=active") == Ids{idOf(made)});
    reject(made, "Sold under another name");
    CPPUNIT_ASSERT(_supplier->ids("status=active").empty());
    _supplier->requireTrueTotals();
}

TEST(ProductApprovalTest, anInactiveProductStaysInactiveWhenApproved) {
    const json made = _supplier->create();
    requireStatus(200, _supplier->post("/products/" + std::to_string(idOf(made)), {{"is_active", false}}));
    approve(made);
    CPPUNIT_ASSERT(_supplier->ids("status=inactive") == Ids{idOf(made)});
    _supplier->requireTrueTotals();
}

TEST(ProductApprovalTest, aDeletedProductIsNotFound) {
    const json made = _supplier->create();
    requireStatus(200, _supplier->postEmpty("/products/" + std::to_string(idOf(made)) + "/delete"));
    requireError(404, "NOT_FOUND", _operator->postEmpty(path(made, "/approve")));
    requireError(404, "NOT_FOUND", _operator->post(path(made, "/reject"), {{"reason", "Any"}}));
    requireError(404, "NOT_FOUND", _operator->get(path(made)));
    for (const HttpResponse& response :
         {_operator->postEmpty(path(made, "/approve")), _operator->post(path(made, "/reject"), {{"reason", "Any"}}),
          _operator->get(path(made))})
        CPPUNIT_ASSERT_EQUAL(json("Product not found"), response.error()["message"]);
}

TEST(ProductApprovalTest, theSupplierSeesTheChangeInItsDelta) {
    const json made = _supplier->create();
    _supplier->create();
    const json seq = dataOf(_supplier->get("/products?changed_after=0"))["pagination"]["last_change_seq"];
    approve(made);
    const json delta = dataOf(_supplier->get("/products?changed_after=" + seq.dump()));
    CPPUNIT_ASSERT(idsOf(delta["products"]) == Ids{idOf(made)});
    CPPUNIT_ASSERT_EQUAL(json(true), delta["products"][0]["is_approved"]);
}

TEST(ProductApprovalTest, verdictsAreInTheChangeLog) {
    TestDatabase& database = fixture().database();
    const json made = _supplier->create();
    const HttpResponse response = _operator->postEmpty(path(made, "/approve"));
    CPPUNIT_ASSERT_EQUAL(std::string("2"), response.header("X-Change-Seq"));
    reject(made, "The picture is blurred");
    const std::string id = made["id"].dump();
    CPPUNIT_ASSERT((std::vector<std::string>{"product.created " + id, "product.approved " + id,
                                             "product.rejected " + id}) == changesOf(database, _supplier->id()));
    CPPUNIT_ASSERT_EQUAL(_operator->prefix(), originOfLastChange(database, _supplier->id()).substr(0, 11));
}

TEST(ProductApprovalTest, oneProductIsReadWithItsSupplier) {
    const json made =
        _supplier->create({{"description", "Long stems"}, {"variants", {{{"name", "60 cm"}, {"sku", "R60"}}}}});
    json expected = made;
    expected["supplier"] = {{"id", _supplier->id()}, {"name", _supplier->name()}};
    CPPUNIT_ASSERT_EQUAL(expected, dataOf(_operator->get(path(made)))["product"]);
}

TEST(ProductApprovalTest, verdictsAreAudited) {
    const json made = _supplier->create();
    approve(made);
    const HttpResponse response =
        _operator->post(path(made, "/reject"), {{"reason", "Blurred"}}, {{"X-Request-Id", "verdict-1"}});
    requireStatus(200, response);
    const json entries = verdicts(made);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, entries.size());
    const json entry = entries[0];
    CPPUNIT_ASSERT_EQUAL(json("product.reject"), entry["action"]);
    CPPUNIT_ASSERT_EQUAL(json(_operator->prefix()), entry["actor"]);
    CPPUNIT_ASSERT_EQUAL(json(_supplier->id()), entry["supplier_id"]);
    CPPUNIT_ASSERT_EQUAL(json("verdict-1"), entry["request_id"]);
    CPPUNIT_ASSERT_EQUAL(json({{"approval", {{"status", "approved"}, {"reason", nullptr}}}}), entry["before"]);
    CPPUNIT_ASSERT_EQUAL(json({{"approval", {{"status", "rejected"}, {"reason", "Blurred"}}}}), entry["after"]);
    CPPUNIT_ASSERT_EQUAL(json("product.approve"), entries[1]["action"]);
    CPPUNIT_ASSERT_EQUAL(json({{"approval", {{"status", "pending"}, {"reason", nullptr}}}}), entries[1]["before"]);
}

TEST(ProductApprovalTest, manyProductsOfManySuppliersAreJudgedAtOnce) {
    SupplierClient other = _operator->createSupplier();
    const auto one = idOf(_supplier->create());
    const auto two = idOf(other.create());
    const auto kept = idOf(other.create());
    const auto deleted = idOf(other.create());
    requireStatus(200, other.postEmpty("/products/" + std::to_string(deleted) + "/delete"));
    const json body = {{"product_ids", {two, one, deleted, 999'999'999, two}}};
    const json missing = {{{"product_id", deleted}, {"code", "not_found"}, {"error", "Product not found"}},
                          {{"product_id", 999'999'999}, {"code", "not_found"}, {"error", "Product not found"}}};
    CPPUNIT_ASSERT_EQUAL(json({{"approved", 2}, {"errors", missing}}),
                         dataOf(_operator->post("/products/approve", body)));
    CPPUNIT_ASSERT(_supplier->ids("status=active") == Ids{one});
    CPPUNIT_ASSERT(other.ids("status=active") == Ids{two});
    CPPUNIT_ASSERT(other.ids("status=pending") == Ids{kept});
    json rejection = body;
    rejection["reason"] = "Blurred";
    CPPUNIT_ASSERT_EQUAL(json({{"rejected", 2}, {"errors", missing}}),
                         dataOf(_operator->post("/products/reject", rejection)));
    CPPUNIT_ASSERT_EQUAL(json({{"status", "rejected"}, {"reason", "Blurred"}}), other.read(two)["approval"]);
    _supplier->requireTrueTotals();
    other.requireTrueTotals();
}

TEST(ProductApprovalTest, everythingOfASupplierThatWaitsIsJudgedAtOnce) {
    const json rejected = _supplier->create();
    reject(rejected, "Blurred");
    _supplier->fill(420); // more than one transaction takes
    SupplierClient other = _operator->createSupplier();
    const auto kept = idOf(other.create());
    const json body = {{"supplier_id", _supplier->id()}};
    CPPUNIT_ASSERT_EQUAL(json({{"approved", 420}, {"errors", json::array()}}),
                         dataOf(_operator->post("/products/approve", body)));
    CPPUNIT_ASSERT_EQUAL(json({{"approved", 0}, {"errors", json::array()}}),
                         dataOf(_operator->post("/products/approve", body)));
    CPPUNIT_ASSERT_EQUAL(json(420), dataOf(_supplier->get("/products?status=active"))["pagination"]["total_items"]);
    CPPUNIT_ASSERT(_supplier->ids("status=pending") == Ids{idOf(rejected)});
    CPPUNIT_ASSERT(other.ids("status=pending") == Ids{kept});
    _supplier->requireTrueTotals();
}

TEST(ProductApprovalTest, everyProblemOfAVerdictOnManyIsNamed) {
    const auto post = [&](const char* verdict, const json& body) {
        return _operator->post(std::string("/products/") + verdict, body);
    };
    requireProblems(post("approve", json::object()), {"product_ids:required"});
    requireProblems(post("approve", {{"product_ids", json::array()}}), {"product_ids:required"});
    requireProblems(post("approve", {{"product_ids", {"1", 0}}}),
                    {"product_ids[0]:type", "product_ids[1]:out_of_range"});
    requireProblems(post("approve", {{"product_ids", Ids(501, 1)}}), {"product_ids:too_many"});
    requireProblems(post("approve", {{"product_ids", {1}}, {"supplier_id", 1}}), {"supplier_id:unsupported"});
    requireProblems(post("approve", {{"supplier_id", 999'999'999}}), {"supplier_id:unknown_reference"});
    requireProblems(post("reject", {{"product_ids", "all"}}), {"product_ids:type", "reason:required"});
    requireProblems(post("reject", {{"supplier_id", 0}, {"reason", " "}}),
                    {"supplier_id:out_of_range", "reason:required"});
}

TEST(ProductApprovalTest, racingVerdictsLeaveTrueTotals) {
    const json one = _supplier->create();
    const json other = _supplier->create();
    race(4, [&](OperatorClient& op, int runner) {
        const json& product = runner < 2 ? one : other;
        for (int i = 0; i < 10; ++i)
            requireStatus(200, runner % 2 == 0 ? op.postEmpty(path(product, "/approve"))
                                               : op.post(path(product, "/reject"), {{"reason", "Blurred"}}));
    });
    _supplier->requireTrueTotals();
    // Every change is in the log, each from where the one before it ended.
    for (const json& product : {one, other}) {
        json state{{"approval", {{"status", "pending"}, {"reason", nullptr}}}};
        const json entries = verdicts(product);
        for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
            CPPUNIT_ASSERT_EQUAL(state, (*entry)["before"]);
            state = (*entry)["after"];
        }
        CPPUNIT_ASSERT_EQUAL(state["approval"], _supplier->read(idOf(product))["approval"]);
    }
}

} // namespace supplierd::tests
