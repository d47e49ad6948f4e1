#include "GuideExamples.h"
#include "GuideFixture.h"
#include "tests/plugins/orders/OrdersFixture.h"
#include "tests/support/ChildProcess.h"
#include "tests/support/Responses.h"
#include "tests/support/SupplierClient.h"
#include "tests/support/Test.h"

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

using Codes = std::set<std::string>;

/// What stands between backticks.
Codes quotedIn(const std::string& cell) {
    Codes codes;
    std::istringstream parts(cell);
    std::string part;
    for (bool isCode = false; std::getline(parts, part, '`'); isCode = !isCode)
        if (isCode)
            codes.insert(part);
    return codes;
}

/// The cells of a table of a guide, by its first line.
std::vector<std::vector<std::string>> tableOf(const std::string& guide, const std::string& head) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(readWholeFile(guideFile(guide)));
    std::string line;
    while (std::getline(lines, line) && !line.starts_with(head))
        continue;
    CPPUNIT_ASSERT_MESSAGE(guide + " has no table " + head, lines);
    std::getline(lines, line); // the rule below the head
    while (std::getline(lines, line) && line.starts_with("|")) {
        std::istringstream cells(line.substr(1));
        rows.emplace_back();
        for (std::string cell; std::getline(cells, cell, '|');)
            rows.back().push_back(cell);
    }
    return rows;
}

Codes codesOf(const std::string& guide, const std::string& head, std::size_t column) {
    Codes codes;
    for (const auto& row : tableOf(guide, head))
        codes.merge(quotedIn(row.at(column)));
    return codes;
}

/// The values that the document of suppliers allows for a property.
Codes documented(const std::string& schema, const std::string& property) {
    const auto document = fixture().server().client().get("/openapi.json").json();
    return document.at("components").at("schemas").at(schema).at("properties").at(property).at("enum").get<Codes>();
}

std::string codeOf(const HttpResponse& response) {
    return response.error().at("code").get<std::string>();
}

std::string detailOf(const HttpResponse& response) {
    return response.error().at("details").at(0).at("code").get<std::string>();
}

std::string letters(std::size_t count) {
    return std::string(count, 'x');
}

json stockItems(std::size_t count) {
    return {{"items", json(count, {{"sku", "nothing"}, {"stock_qty", 1}})}};
}

std::string nested(int depth) {
    std::string text = R"({"x":)";
    text.append(static_cast<std::size_t>(depth - 1), '[').append(static_cast<std::size_t>(depth - 1), ']');
    return text + "}";
}

} // namespace

/// What the guides' tables say, beside their examples.
class GuideStatementsTest : public CppUnit::TestFixture {
protected:
    static constexpr const char* ERRORS = "| Status | `code` |";

    /// A value that is just good enough, and one that is too much.
    static void requireLimit(SupplierClient& supplier, const std::string& field, const json& good, const json& bad,
                             const std::string& code) {
        requireStatus(201, supplier.postProduct({{field, good}}));
        requireProblems(supplier.postProduct({{field, bad}}), {field + ":" + code});
    }

    /// The path of a picture that the server has.
    static std::string mediaPicture(SupplierClient& supplier) {
        const auto product = supplier.create({{"image_url", guidePicture()}});
        return product.at("images").at(0).at("url").get<std::string>();
    }
};

TEST(GuideStatementsTest, errorsAreThoseOfTheDocument) {
    CPPUNIT_ASSERT(documented("Error", "code") == codesOf("errors", ERRORS, 1));
}

TEST(GuideStatementsTest, permissionsAreThoseOfTheDocument) {
    const auto document = fixture().server().client().get("/openapi.json").json();
    Codes scopes;
    for (const auto& [scope, summary] : document.at("x-scopes").items())
        scopes.insert(scope);
    CPPUNIT_ASSERT(codesOf("keys", "| Permission |", 0) == scopes);
}

TEST(GuideStatementsTest, errorsHaveTheirStatus) {
    std::map<std::string, int> statuses;
    for (const auto& row : tableOf("errors", ERRORS))
        statuses[*quotedIn(row.at(1)).begin()] = std::stoi(row.at(0));
    SupplierClient supplier;
    const std::string product = "/products/" + std::to_string(idOf(supplier.create()));
    SupplierClient limited({.columns = {{"hourly_limit", "1"}}});
    limited.get("/me");
    const std::string picture = mediaPicture(supplier);
    const std::vector<HttpResponse> responses = {
        supplier.request("GET", "/products", {{"Authorization", "Bearer sk_unknown"}}),
        SupplierClient({.scopes = "orders:read"}).get("/products"),
        supplier.get("/products/9223372036854775807"),
        supplier.request("DELETE", product),
        supplier.request("POST", "/stock"),
        supplier.post(product, json::object(), {{"If-Match", "\"999\""}}),
        supplier.postText("/stock", letters((1 << 20) + 1)),
        supplier.request("POST", "/stock", {{"Content-Type", "text/plain"}}, "{}"),
        fixture().server().rootClient().get(picture, {{"Range", "bytes=99999999-"}}),
        supplier.post("/stock", json::object()),
        limited.get("/me"),
    };
    const std::vector<std::string> expected = {
        "UNAUTHORIZED",          "FORBIDDEN",           "NOT_FOUND",         "METHOD_NOT_ALLOWED",
        "LENGTH_REQUIRED",       "PRECONDITION_FAILED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE",
        "RANGE_NOT_SATISFIABLE", "VALIDATION_ERROR",    "RATE_LIMITED"};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CPPUNIT_ASSERT_EQUAL(expected[i], codeOf(responses[i]));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(expected[i], statuses.at(expected[i]), responses[i].status);
        CPPUNIT_ASSERT_EQUAL(responses[i].header("X-Request-Id"),
                             responses[i].error().at("request_id").get<std::string>());
    }
    CPPUNIT_ASSERT(responses[3].hasHeader("Allow"));
    CPPUNIT_ASSERT(responses.back().hasHeader("Retry-After"));
}

TEST(GuideStatementsTest, forbiddenHasItsReasons) {
    Codes seen;
    seen.insert(detailOf(SupplierClient({.columns = {{"revoked_at", "NOW(6)"}}}).get("/me")));
    seen.insert(detailOf(SupplierClient({.columns = {{"expires_at", "'2020-01-01'"}}}).get("/me")));
    seen.insert(detailOf(SupplierClient({.status = "unverified"}).get("/me")));
    seen.insert(detailOf(SupplierClient({.status = "suspended"}).get("/me")));
    seen.insert(detailOf(SupplierClient({.scopes = "orders:read"}).get("/products")));
    CPPUNIT_ASSERT(codesOf("errors", "| `code` | What it means |", 0) == seen);
}

TEST(GuideStatementsTest, codesOfImagesAndItemsAreThoseOfTheDocument) {
    CPPUNIT_ASSERT(codesOf("images", "| `code` |", 0) == documented("ImageError", "code"));
    CPPUNIT_ASSERT(codesOf("bulk-updates", "| `code` |", 0) == documented("ItemError", "code"));
}

TEST(GuideStatementsTest, listsAndBulkRequestsHaveTheirLimits) {
    SupplierClient supplier;
    CPPUNIT_ASSERT_EQUAL(100, supplier.list("per_page=101").at("pagination").at("per_page").get<int>());
    requireStatus(200, supplier.post("/stock", stockItems(500)));
    requireProblems(supplier.post("/stock", stockItems(501)), {"items:too_many"});
    std::string skus = "A1";
    for (int sku = 2; sku <= 100; ++sku)
        skus += ",A" + std::to_string(sku);
    requireStatus(200, supplier.get("/products?sku=" + skus));
    requireStatus(422, supplier.get("/products?sku=" + skus + ",A101"));
    json variants = json::array();
    for (int variant = 0; variant < 100; ++variant)
        variants.push_back({{"name", "V" + std::to_string(variant)}});
    requireStatus(201, supplier.postProduct({{"variants", variants}}));
    variants.push_back({{"name", "V"}});
    requireStatus(422, supplier.postProduct({{"variants", variants}}));
    std::string urls;
    for (int url = 0; url < 11; ++url)
        urls += "http://127.0.0.1:1/" + std::to_string(url) + ";";
    requireStatus(422, supplier.postProduct({{"image_url", urls}}));
}

TEST(GuideStatementsTest, bodiesHaveTheirLimits) {
    SupplierClient supplier;
    const std::string start = R"({"name":")";
    const std::string end = "\"}";
    const std::string full = start + letters((1 << 20) - start.size() - end.size()) + end;
    requireStatus(422, supplier.postText("/products", full)); // read, and the name is too long
    requireStatus(413, supplier.postText("/products", full + " "));
    CPPUNIT_ASSERT_EQUAL(std::string("required"), detailOf(supplier.postText("/products", nested(64))));
    CPPUNIT_ASSERT(detailOf(supplier.postText("/products", nested(65))) != "required");
    CPPUNIT_ASSERT(detailOf(supplier.post("/products", {{"x", json(49'000, 1)}})) != "too_many");
    CPPUNIT_ASSERT_EQUAL(std::string("too_many"), detailOf(supplier.post("/products", {{"x", json(50'001, 1)}})));
    const json body = stockItems(1);
    requireStatus(200, supplier.post("/stock", body, {{"Idempotency-Key", letters(255)}}));
    requireStatus(422, supplier.post("/stock", body, {{"Idempotency-Key", letters(256)}}));
}

TEST(GuideStatementsTest, textsAndNumbersHaveTheirLimits) {
    SupplierClient supplier;
    requireLimit(supplier, "name", letters(255), letters(256), "too_long");
    requireLimit(supplier, "sku", letters(64), letters(65), "too_long");
    requireLimit(supplier, "description", letters(10'000), letters(10'001), "too_long");
    requireLimit(supplier, "color", letters(64), letters(65), "too_long");
    requireLimit(supplier, "base_price", 99'999'999.9999, 100'000'000, "out_of_range");
    requireLimit(supplier, "stock_qty", 1'000'000'000, 1'000'000'001, "out_of_range");
    requireStatus(200, supplier.get("/products?search=" + letters(100)));
    requireStatus(422, supplier.get("/products?search=" + letters(101)));
    OrdersClient seller;
    const std::string move = "/orders/" + std::to_string(seller.sell(seller.product(10), 1)) + "/status";
    requireProblems(seller.post(move, {{"status", "confirmed"}, {"comment", letters(1'001)}}), {"comment:too_long"});
    requireStatus(200, seller.post(move, {{"status", "confirmed"}, {"comment", letters(1'000)}}));
}

} // namespace supplierd::tests
