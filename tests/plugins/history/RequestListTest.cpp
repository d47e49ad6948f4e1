#include "tests/plugins/history/HistoryFixture.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

#include <array>
#include <set>
#include <string>
#include <vector>

namespace supplierd::tests {

class RequestListTest : public CppUnit::TestFixture {};

TEST(RequestListTest, requestIsShownWithWhatBecameOfIt) {
    RecordedSupplier supplier;
    const json record = supplier.record(supplier.send("GET", "/products?page=1&search=Rosa%20'x'"));
    CPPUNIT_ASSERT_EQUAL(json("GET"), record.at("method"));
    CPPUNIT_ASSERT_EQUAL(json("/api/v1/supplier/products"), record.at("path"));
    CPPUNIT_ASSERT_EQUAL(json("page=1&search=Rosa%20'x'"), record.at("query"));
    CPPUNIT_ASSERT_EQUAL(json(200), record.at("status"));
    CPPUNIT_ASSERT_EQUAL(json("127.0.0.1"), record.at("client_address"));
    CPPUNIT_ASSERT_EQUAL(json(supplier.key().substr(0, 11)), record.at("key").at("prefix"));
    CPPUNIT_ASSERT(record.at("took_us").get<int>() > 0);
    for (const char* field : {"error", "body", "response"})
        CPPUNIT_ASSERT_MESSAGE(field, record.at(field).is_null());
    CPPUNIT_ASSERT_EQUAL(json::object(), record.at("headers"));
    const auto time = record.at("answered_at").get<std::string>();
    CPPUNIT_ASSERT_EQUAL(time.substr(0, 19),
                         supplier.on().database().text("SELECT DATE_FORMAT(FROM_UNIXTIME(" + record.at("id").dump() +
                                                       " DIV 1000000), '%Y-%m-%dT%H:%i:%s')"));
}

TEST(RequestListTest, errorIsShownWithBodyAndAnswer) {
    RecordedSupplier supplier;
    const std::string body = R"({"name":"Rosé 🌹","unit":"barrel"})";
    const json record = supplier.record(
        supplier.send("POST", "/products",
                      {{"Content-Type", "application/json"}, {"Idempotency-Key", "k-1"}, {"X-Other", "x"}}, body));
    CPPUNIT_ASSERT_EQUAL(json(422), record.at("status"));
    CPPUNIT_ASSERT_EQUAL(json("VALIDATION_ERROR"), record.at("error").at("code"));
    CPPUNIT_ASSERT_EQUAL(json({{"Content-Type", "application/json"}, {"Idempotency-Key", "k-1"}}),
                         record.at("headers"));
    CPPUNIT_ASSERT_EQUAL(json({{"size", body.size()}, {"is_whole", true}, {"text", body}}), record.at("body"));
    const json answer = json::parse(record.at("response").get<std::string>());
    CPPUNIT_ASSERT_EQUAL(answer.at("error").at("message"), record.at("error").at("message"));
    CPPUNIT_ASSERT(answer.at("error").at("details").size() > 1);
}

TEST(RequestListTest, replayedAnswerHasItsErrorToo) {
    RecordedSupplier supplier;
    const HttpHeaders headers{{"Content-Type", "application/json"}, {"Idempotency-Key", "again"}};
    supplier.send("POST", "/products", headers, "{}");
    const json record = supplier.record(supplier.send("POST", "/products", headers, "{}"));
    CPPUNIT_ASSERT_EQUAL(json("VALIDATION_ERROR"), record.at("error").at("code"));
    CPPUNIT_ASSERT(!record.at("error").at("message").get<std::string>().empty());
}

/// Of a wrong type, at an unknown path, with a method that the path has not.
TEST(RequestListTest, bodyOfARefusedRequestIsShown) {
    RecordedSupplier supplier;
    const std::string body = R"({"name":"Rosa"})";
    for (const auto& [method, path, type] :
         std::vector<std::array<const char*, 3>>{{"POST", "/products", "application/x-www-form-urlencoded"},
                                                 {"POST", "/prodducts", "application/json"},
                                                 {"PUT", "/products", "application/json"},
                                                 {"POST", "/products/x/delete", "text/plain"}}) {
        const json record = supplier.record(supplier.send(method, path, {{"Content-Type", type}}, body));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(record.dump(2), json(body), record.at("body").at("text"));
    }
}

/// What the handler has read of it, or nobody, since the type was wrong.
TEST(RequestListTest, bodyOfAFileIsShown) {
    RecordedSupplier supplier;
    const std::string large = "sku,name\n" + std::string(3'000'000, 'x'); // in a file
    for (const auto& [type, body] : std::vector<std::pair<const char*, std::string>>{
             {"text/csv", "sku,name\nA,b\n"}, {"text/csv", large}, {"text/plain", large}}) {
        const json record =
            supplier.record(supplier.send("POST", "/products/import", {{"Content-Type", type}}, body)).at("body");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(type, body.size(), record.at("size").get<std::size_t>());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(type, body.substr(0, 8'192), record.at("text").get<std::string>());
    }
}

TEST(RequestListTest, filtersNarrowTheList) {
    RecordedSupplier supplier;
    const std::string otherKey = supplier.on().server().createKey(supplier.id());
    supplier.send("GET", "/products");
    const auto missing = supplier.send("GET", "/products/99");
    supplier.send("POST", "/products", {{"Content-Type", "application/json"}}, "{}");
    supplier.send("GET", "/categories");
    supplier.on().server().client(otherKey).get("/categories");
    supplier.waitForRecorded(5);
    const auto all = supplier.listed();
    CPPUNIT_ASSERT_EQUAL(json(5), all.at("pagination").at("total_items"));
    const auto newest = all.at("requests").at(0).at("answered_at").get<std::string>();
    using Statuses = std::multiset<int>; // what follows closely may be noted in another order
    const auto statuses = [&](const std::string& query) {
        Statuses found;
        const json page = supplier.listed(query + "&to=" + newest);
        for (const json& request : page.at("requests"))
            found.insert(request.at("status").get<int>());
        return found;
    };
    const json& requests = all.at("requests");
    CPPUNIT_ASSERT_MESSAGE(all.dump(2), Statuses({200, 200, 422, 404, 200}) == statuses("page=1"));
    CPPUNIT_ASSERT(Statuses({422, 404}) == statuses("errors=true"));
    CPPUNIT_ASSERT(Statuses({422, 404}) == statuses("status=4xx"));
    CPPUNIT_ASSERT(Statuses({422}) == statuses("status=422"));
    CPPUNIT_ASSERT(Statuses() == statuses("status=5xx"));
    CPPUNIT_ASSERT(Statuses({422}) == statuses("method=POST"));
    CPPUNIT_ASSERT(Statuses({422, 404, 200}) == statuses("path=/products"));
    CPPUNIT_ASSERT(Statuses({404}) == statuses("path=products/"));
    CPPUNIT_ASSERT(Statuses({200, 200}) == statuses("path=/api/v1/supplier/cat"));
    CPPUNIT_ASSERT(Statuses() == statuses("path=/%25"));
    CPPUNIT_ASSERT(Statuses({404}) == statuses("request_id=" + missing));
    CPPUNIT_ASSERT(Statuses({422, 404}) == statuses("errors=true&path=/products&from=2020-01-01T00:00:00Z"));
    CPPUNIT_ASSERT(Statuses({requests.at(0).at("status").get<int>(), requests.at(1).at("status").get<int>()}) ==
                   statuses("from=" + requests.at(1).at("answered_at").get<std::string>()));
    std::multiset<std::size_t> ofKeys;
    for (const json& request : requests)
        ofKeys.insert(statuses("key_id=" + request.at("key").at("id").dump()).size());
    CPPUNIT_ASSERT((std::multiset<std::size_t>{1, 4, 4, 4, 4} == ofKeys));
}

TEST(RequestListTest, everyWrongFilterIsNamed) {
    SupplierClient supplier;
    requireProblems(supplier.get("/requests?key_id=0&status=6xx&method=FETCH&errors=perhaps&from=today&to=&cursor=x"),
                    {"key_id:out_of_range", "status:not_in_set", "method:not_in_set", "errors:not_in_set", "from:type",
                     "to:type", "cursor:not_in_set"});
    requireError(404, "NOT_FOUND", supplier.get("/requests/1"));
    requireError(404, "NOT_FOUND", supplier.get("/requests/0"));
}

TEST(RequestListTest, cursorWalksThroughAllOfThemOnce) {
    RecordedSupplier supplier;
    for (int i = 0; i < 25; ++i)
        supplier.send("GET", "/products/" + std::to_string(i + 1));
    supplier.waitForRecorded(25);
    std::set<std::string> seen;
    std::string last;
    std::string cursor;
    do { // each page is a request that comes before them all
        const json page = supplier.listed("errors=true&per_page=4" + (cursor.empty() ? "" : "&cursor=" + cursor));
        for (const json& request : page.at("requests")) {
            CPPUNIT_ASSERT(seen.insert(request.at("path")).second);
            const auto time = request.at("answered_at").get<std::string>();
            CPPUNIT_ASSERT(last.empty() || time < last);
            last = time;
        }
        const json& next = page.at("pagination").at("next_cursor");
        cursor = next.is_null() ? std::string() : next.get<std::string>();
    } while (!cursor.empty());
    CPPUNIT_ASSERT_EQUAL(std::size_t{25}, seen.size());
    const json third = supplier.listed("status=404&per_page=7&page=3").at("requests");
    CPPUNIT_ASSERT_EQUAL_MESSAGE(third.dump(), json("/api/v1/supplier/products/5"), third.at(6).at("path"));
}

TEST(RequestListTest, suppliersSeeTheirOwnOnly) {
    RecordedSupplier one({.name = "One"});
    RecordedSupplier other({.name = "Other"});
    const auto sent = one.send("GET", "/products/4711");
    const json record = one.record(sent);
    CPPUNIT_ASSERT_EQUAL(json::array(), other.listed("request_id=" + sent).at("requests"));
    CPPUNIT_ASSERT_EQUAL(json::array(), other.listed("key_id=" + record.at("key").at("id").dump()).at("requests"));
    requireError(404, "NOT_FOUND", other.get("/requests/" + record.at("id").dump()));
    const json others = other.listed();
    for (const json& request : others.at("requests"))
        CPPUNIT_ASSERT(request.at("key").at("prefix") == other.key().substr(0, 11));
}

TEST(RequestListTest, scopeIsNeeded) {
    SupplierClient reader({.scopes = "products:read"});
    requireForbidden("scope", reader.get("/requests"));
    requireForbidden("scope", reader.get("/requests/1"));
    SupplierClient historian({.scopes = "history:read"});
    requireStatus(200, historian.get("/requests"));
}

} // namespace supplierd::tests
