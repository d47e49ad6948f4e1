#include "tests/support/ChangesOf.h"
#include "tests/support/OperatorClient.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

#include <memory>
#include <ranges>
#include <string>

namespace supplierd::tests {

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
    /// The entries of the audit log, newest first, without the product's creation.
    json verdicts(const json& product) {
        json entries =
            dataOf(_operator->get("/audit?per_page=100&object=product&id=" + product["id"].dump()))["entries"];
        std::erase_if(entries.elements(), [](const json& entry) { return entry["action"] == "product.create"; });
        return entries;
    }
    json reject(const json& product, const std::string& reason) {
        return dataOf(_operator->post(path(product, "/reject"), {{"reason", reason}})).at("product");
    }

    std::unique_ptr<OperatorClient> _operator;
    std::unique_ptr<SupplierClient> _supplier;
};

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
        for (const json& entry : std::views::reverse(entries.elements())) {
            CPPUNIT_ASSERT_EQUAL(state, entry["before"]);
            state = entry["after"];
        }
        const json approval = _supplier->read(idOf(product))["approval"];
        CPPUNIT_ASSERT_EQUAL(state["approval"], json({{"status", approval["status"]}, {"reason", approval["reason"]}}));
    }
}

} // namespace supplierd::tests
