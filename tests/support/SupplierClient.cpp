#include "tests/support/SupplierClient.h"

#include "tests/support/Numbers.h"
#include "tests/support/Responses.h"

#include <cppunit/TestAssert.h>

namespace supplierd::tests {

namespace {

std::string createKey(ServerFixture& on, std::int64_t supplier, const SupplierOptions& options) {
    auto columns = options.columns;
    columns.emplace("hourly_limit", "10000000");
    // Used before, so that the server does not commit its first use while a test waits for a COMMIT of its own.
    columns.emplace("last_used_at", "NOW(6)");
    if (!options.scopes.empty())
        columns.emplace("scopes", "'" + options.scopes + "'");
    return on.server().createKey(supplier, columns);
}

std::string pathOf(std::int64_t product) {
    return "/products/" + std::to_string(product);
}

} // namespace

SupplierClient::SupplierClient(ServerFixture& on, std::int64_t id, const std::string& name, const std::string& key)
    : HttpClient(on.server().client(key)), _on(on), _id(id), _name(name) {}

SupplierClient::SupplierClient(const SupplierOptions& options, ServerFixture& on)
    : HttpClient(on.server().client()),
      _on(on),
      _id(on.server().createSupplier(options.name, options.status)),
      _name(options.name) {
    setKey(createKey(on, _id, options));
}

json SupplierClient::productBody(const json& changes) const {
    json body{{"name", "Rosa Avalanche"}, {"category_id", _on.category()}, {"base_price", 0.85}, {"unit", "stem"}};
    body.merge_patch(changes);
    return body;
}

HttpResponse SupplierClient::postProduct(const json& changes, const HttpHeaders& headers) {
    return post("/products", productBody(changes), headers);
}

json SupplierClient::create(const json& changes) {
    return dataOf(postProduct(changes), 201).at("product");
}

json SupplierClient::read(std::int64_t product) {
    return dataOf(get(pathOf(product))).at("product");
}

json SupplierClient::update(std::int64_t product, const json& changes) {
    return dataOf(post(pathOf(product), changes)).at("product");
}

void SupplierClient::remove(std::int64_t product) {
    requireStatus(200, postEmpty(pathOf(product) + "/delete"));
}

json SupplierClient::list(const std::string& query) {
    return dataOf(get("/products" + (query.empty() ? query : "?" + query)));
}

std::vector<std::int64_t> SupplierClient::ids(const std::string& query) {
    return idsOf(list(query).at("products"));
}

std::vector<std::int64_t> SupplierClient::fill(int count) {
    TestDatabase& database = _on.database();
    const std::string supplier = std::to_string(_id);
    const std::string category = std::to_string(_on.category());
    const std::string many = std::to_string(count);
    const std::string seq = std::to_string(changeSeq());
    database.exec("INSERT INTO products (supplier_id, name, category_id, base_price, unit, stock_qty, change_seq) "
                  "SELECT " +
                  supplier + ", CONCAT('Tulipa ', LPAD(seq, 6, '0')), " + category + ", 1 + seq MOD 7, 1, seq MOD 5, " +
                  seq + " + seq FROM " + numbersTo(many));
    database.exec("UPDATE supplier_state SET change_seq = change_seq + " + many + " WHERE supplier_id = " + supplier);
    // Of any products, as the log has it of very many.
    database.exec("INSERT INTO changes (supplier_id, change_seq, kind, ids, actor) SELECT " + supplier + ", " + seq +
                  " + seq, 'product.created', x'00', 'test' FROM " + numbersTo(many));
    std::vector<std::int64_t> ids;
    for (const TestRow& row : database.query("SELECT id FROM products WHERE supplier_id = " + supplier +
                                             " AND change_seq > " + seq + " ORDER BY id"))
        ids.push_back(std::stoll(*row[0]));
    return ids;
}

std::int64_t SupplierClient::changeSeq() const {
    return _on.database().integer("SELECT change_seq FROM supplier_state WHERE supplier_id = " + std::to_string(_id));
}

void SupplierClient::requireTrueTotals() {
    const std::string rows = "SELECT COUNT(*) FROM products WHERE supplier_id = " + std::to_string(_id);
    const auto total = [&](const std::string& query) {
        return list("per_page=1&" + query).at("pagination").at("total_items").get<std::int64_t>();
    };
    const std::vector<std::string> statuses = {"pending", "active", "inactive"};
    for (std::size_t state = 0; state < statuses.size(); ++state)
        CPPUNIT_ASSERT_EQUAL_MESSAGE(statuses[state],
                                     _on.database().integer(rows + " AND state = " + std::to_string(state)),
                                     total("status=" + statuses[state]));
    CPPUNIT_ASSERT_EQUAL_MESSAGE("all, deleted ones too", _on.database().integer(rows), total("include_deleted=true"));
    _on.requireChangeSeqs(_id);
}

} // namespace supplierd::tests
