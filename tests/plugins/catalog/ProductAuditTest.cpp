#include "CatalogFixture.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>
#include <vector>

namespace supplierd::tests {

using nlohmann::json;

/// What a supplier does to products is in the audit log: once, and with what became different.
class ProductAuditTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
    /// Those of this supplier's products, oldest first.
    std::vector<json> entries() const {
        std::vector<json> entries;
        const auto parsed = [](const std::optional<std::string>& text) { return text ? json::parse(*text) : json(); };
        for (const TestRow& row : fixture().database().query(
                 "SELECT actor, action, object, object_id, request_id, before_json, after_json FROM audit_log "
                 "WHERE supplier_id = " +
                 std::to_string(_supplier->id()) + " AND object = 'product' AND id > " + std::to_string(_last) +
                 " ORDER BY id"))
            entries.push_back({{"actor", *row[0]},
                               {"action", *row[1]},
                               {"object", *row[2]},
                               {"object_id", std::stoll(*row[3])},
                               {"request_id", *row[4]},
                               {"before", parsed(row[5])},
                               {"after", parsed(row[6])}});
        return entries;
    }
    json onlyEntry() const {
        const std::vector<json> all = entries();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, all.size());
        return all[0];
    }
    void forget() { _last = fixture().database().integer("SELECT MAX(id) FROM audit_log"); }

    std::unique_ptr<SupplierClient> _supplier;
    std::int64_t _last = 0;
};

TEST(ProductAuditTest, aCreateIsRecordedWithWhatWasGiven) {
    const HttpResponse response =
        _supplier->postProduct({{"sku", "R\"1"}, {"color", "röd"}}, {{"X-Request-Id", "audit.create-1"}});
    requireStatus(201, response);
    const json entry = onlyEntry();
    CPPUNIT_ASSERT_EQUAL(json({{"actor", _supplier->key().substr(0, 11)},
                               {"action", "product.create"},
                               {"object", "product"},
                               {"object_id", response.data()["product"]["id"]},
                               {"request_id", "audit.create-1"},
                               {"before", nullptr},
                               {"after",
                                {{"name", "Rosa Avalanche"},
                                 {"category_id", fixture().category()},
                                 {"base_price", 0.85},
                                 {"unit", "stem"},
                                 {"type", "flower"},
                                 {"sku", "R\"1"},
                                 {"stock_qty", 0},
                                 {"min_order_qty", 1},
                                 {"color", "röd"},
                                 {"vat_rate", 21}}}}),
                         entry);
}

TEST(ProductAuditTest, anUpdateIsRecordedWithWhatBecameDifferent) {
    const std::int64_t id = _supplier->create({{"sku", "A"}, {"color", "red"}, {"stock_qty", 5}})["id"];
    forget();
    _supplier->update(
        id, {{"name", "Rosa Avalanche"}, {"sku", "a"}, {"color", nullptr}, {"stock_qty", 5}, {"unit", "box"}});
    const json entry = onlyEntry();
    CPPUNIT_ASSERT_EQUAL(json("product.update"), entry["action"]);
    CPPUNIT_ASSERT_EQUAL(json({{"sku", "A"}, {"color", "red"}, {"unit", "stem"}}), entry["before"]);
    CPPUNIT_ASSERT_EQUAL(json({{"sku", "a"}, {"color", nullptr}, {"unit", "box"}}), entry["after"]);
}

TEST(ProductAuditTest, everyFieldIsRecorded) {
    const std::int64_t id = _supplier->create()["id"];
    forget();
    const json fields{{"name", "Other"}, {"category_id", ribbons()}, {"base_price", 1.5},
                      {"unit", "roll"},  {"type", "supply"},         {"description", "long\n\"text\" 💐"},
                      {"sku", "OTHER"},  {"stock_qty", 7},           {"min_order_qty", 2},
                      {"color", "blue"}, {"stem_length", 60},        {"country_of_origin", "NL"},
                      {"vat_rate", 9},   {"is_active", false}};
    _supplier->update(id, fields);
    const json entry = onlyEntry();
    CPPUNIT_ASSERT_EQUAL(fields, entry["after"]);
    CPPUNIT_ASSERT_EQUAL(fields.size(), entry["before"].size());
    CPPUNIT_ASSERT_EQUAL(json("Rosa Avalanche"), entry["before"]["name"]);
    CPPUNIT_ASSERT_EQUAL(json(true), entry["before"]["is_active"]);
    CPPUNIT_ASSERT_EQUAL(json(21), entry["before"]["vat_rate"]);
}

TEST(ProductAuditTest, variantsArePartOfTheirProduct) {
    const json product = _supplier->create(
        {{"variants",
          {{{"name", "40"}, {"sku", "V-40"}}, {{"name", "50"}, {"stock_qty", 3}}, {{"name", "60"}, {"sku", "V-60"}}}}});
    const json variants = product["variants"];
    CPPUNIT_ASSERT_EQUAL(json({{{"id", variants[0]["id"]}, {"sku", "V-40"}, {"name", "40"}, {"is_active", true}},
                               {{"id", variants[1]["id"]}, {"name", "50"}, {"stock_qty", 3}, {"is_active", true}},
                               {{"id", variants[2]["id"]}, {"sku", "V-60"}, {"name", "60"}, {"is_active", true}}}),
                         onlyEntry()["after"]["variants"]);
    forget();
    const json after =
        _supplier->update(product["id"], {{"variants",
                                           {{{"id", variants[0]["id"]}, {"delete", true}},
                                            {{"id", variants[1]["id"]}, {"stock_qty", 4}, {"name", "50"}},
                                            {{"id", variants[2]["id"]}, {"sku", "V-60"}},
                                            {{"name", "70"}, {"sku", "V-40"}}}}});
    const json entry = onlyEntry();
    CPPUNIT_ASSERT_EQUAL(json({{"variants",
                                {{{"id", variants[0]["id"]}, {"name", "40"}, {"sku", "V-40"}},
                                 {{"id", variants[1]["id"]}, {"stock_qty", 3}}}}}),
                         entry["before"]);
    CPPUNIT_ASSERT_EQUAL(
        json({{"variants",
               {{{"id", variants[1]["id"]}, {"stock_qty", 4}},
                {{"id", after["variants"][2]["id"]}, {"sku", "V-40"}, {"name", "70"}, {"is_active", true}}}}}),
        entry["after"]);
}

TEST(ProductAuditTest, aDeletionIsRecorded) {
    const std::int64_t id = _supplier->create({{"sku", "GONE"}})["id"];
    forget();
    _supplier->remove(id);
    const json entry = onlyEntry();
    CPPUNIT_ASSERT_EQUAL(json("product.delete"), entry["action"]);
    CPPUNIT_ASSERT_EQUAL(json({{"name", "Rosa Avalanche"}, {"sku", "GONE"}}), entry["before"]);
    CPPUNIT_ASSERT_EQUAL(json(nullptr), entry["after"]);
}

TEST(ProductAuditTest, whatChangesNothingLeavesNoEntry) {
    const json product = _supplier->create({{"sku", "A"}, {"variants", {{{"name", "v"}}}}});
    forget();
    _supplier->update(product["id"], json::object());
    _supplier->update(product["id"], {{"variants", json::array()}});
    _supplier->update(product["id"], {{"name", "Rosa Avalanche"}, {"sku", "A"}, {"base_price", 0.85}});
    _supplier->update(product["id"], {{"variants", {{{"id", product["variants"][0]["id"]}, {"name", "v"}}}}});
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, entries().size());
}

TEST(ProductAuditTest, whatIsRefusedLeavesNoEntry) {
    const std::int64_t id = _supplier->create({{"sku", "A"}})["id"];
    _supplier->create({{"sku", "B"}});
    forget();
    const std::string path = "/products/" + std::to_string(id);
    requireProblems(_supplier->post(path, {{"name", "x"}, {"sku", "B"}}), {"sku:duplicate"});
    requireStatus(412, _supplier->post(path, {{"name", "x"}}, {{"If-Match", "\"9\""}}));
    requireStatus(412, _supplier->post(path + "/delete", {}, {{"If-Match", "\"9\""}}));
    CPPUNIT_ASSERT_EQUAL(std::size_t{0}, entries().size());
}

TEST(ProductAuditTest, aRepeatWithTheSameKeyLeavesNoSecondEntry) {
    const HttpHeaders key{{"Idempotency-Key", "audit-once"}};
    for (int i = 0; i < 2; ++i)
        requireStatus(201, _supplier->postProduct(json::object(), key));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, entries().size());
}

} // namespace supplierd::tests
