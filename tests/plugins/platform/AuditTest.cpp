#include "tests/support/OperatorClient.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;
using Ids = std::vector<std::int64_t>;

class AuditTest : public CppUnit::TestFixture {
public:
    void setUp() override { _operator = std::make_unique<OperatorClient>(); }

    void tearDown() override { // an idle connection holds a thread of the server
        _operator.reset();
    }

protected:
    std::int64_t makeSupplier() {
        return idOf(dataOf(_operator->post("/suppliers", {{"name", "Tulip Trade"}}), 201)["supplier"]);
    }

    static Ids objectIds(const json& data) {
        Ids ids;
        for (const json& entry : data.at("entries"))
            ids.push_back(entry.at("object_id").get<std::int64_t>());
        return ids;
    }

    /// The server notes on its own, a little later, that a key came into use.
    static json withoutKeyUse(const json& actions) {
        json rest = json::array();
        for (const json& action : actions)
            if (action != "key.first_use" && action != "key.new_address")
                rest.push_back(action);
        return rest;
    }

    static std::int64_t entriesOf(const OperatorClient& op) {
        return fixture().database().integer(
            "SELECT COUNT(*) FROM audit_log WHERE action NOT LIKE 'key.%' AND actor = '" + op.prefix() + "'");
    }

    std::unique_ptr<OperatorClient> _operator;
};

TEST(AuditTest, anEntrySaysWhoDidWhatWhen) {
    const HttpResponse made =
        _operator->post("/suppliers", {{"name", "Tulip \"Trade\" 💐"}}, {{"X-Request-Id", "audit.test-1"}});
    requireStatus(201, made);
    const json supplier = made.data()["supplier"];
    json entry = _operator->audit("supplier", idOf(supplier)).at(0);
    CPPUNIT_ASSERT(entry.at("id").get<std::int64_t>() > 0);
    CPPUNIT_ASSERT_EQUAL(supplier["created_at"].get<std::string>().substr(0, 11),
                         entry.at("created_at").get<std::string>().substr(0, 11));
    entry.erase("id");
    entry.erase("created_at");
    CPPUNIT_ASSERT_EQUAL(json({{"actor", _operator->prefix()},
                               {"action", "supplier.create"},
                               {"object", "supplier"},
                               {"object_id", supplier["id"]},
                               {"supplier_id", supplier["id"]},
                               {"before", nullptr},
                               {"after", {{"name", "Tulip \"Trade\" 💐"}, {"email", nullptr}, {"status", "unverified"}}},
                               {"request_id", "audit.test-1"}}),
                         entry);
}

TEST(AuditTest, theListIsNewestFirstInPages) {
    Ids made;
    for (int i = 0; i < 5; ++i)
        made.insert(made.begin(), makeSupplier());
    const std::string ours = "/audit?object=supplier&actor=" + _operator->prefix();
    CPPUNIT_ASSERT(objectIds(dataOf(_operator->get(ours))) == made);
    const json second = dataOf(_operator->get(ours + "&page=2&per_page=2"));
    CPPUNIT_ASSERT(objectIds(second) == (Ids{made[2], made[3]}));
    json pagination = second["pagination"];
    CPPUNIT_ASSERT(pagination["next_cursor"].is_string());
    pagination.erase("next_cursor");
    CPPUNIT_ASSERT_EQUAL(
        json({{"current_page", 2}, {"total_pages", 3}, {"total_items", 5}, {"total_capped", false}, {"per_page", 2}}),
        pagination);
    const json past = dataOf(_operator->get(ours + "&page=9223372036854775807"));
    CPPUNIT_ASSERT_EQUAL(json::array(), past["entries"]);
    CPPUNIT_ASSERT_EQUAL(json(5), past["pagination"]["total_items"]);
    CPPUNIT_ASSERT_EQUAL(made[0], objectIds(dataOf(_operator->get("/audit?object=supplier&per_page=1")))[0]);
}

TEST(AuditTest, aCursorWalksToTheEndBesideNewEntries) {
    Ids made;
    for (int i = 0; i < 5; ++i)
        made.insert(made.begin(), makeSupplier());
    const std::string ours = "/audit?object=supplier&per_page=2&actor=" + _operator->prefix();
    json page = dataOf(_operator->get(ours));
    Ids walked = objectIds(page);
    for (int number = 2; !page["pagination"]["next_cursor"].is_null(); ++number) {
        makeSupplier();
        page = dataOf(_operator->get(ours + "&cursor=" + page["pagination"]["next_cursor"].get<std::string>()));
        CPPUNIT_ASSERT_EQUAL(json(number), page["pagination"]["current_page"]);
        const Ids some = objectIds(page);
        walked.insert(walked.end(), some.begin(), some.end());
    }
    CPPUNIT_ASSERT(walked == made);
}

TEST(AuditTest, aLongLogIsCountedToALimit) {
    const std::string actor = "many" + _operator->prefix();
    fixture().database().exec("INSERT INTO audit_log (actor, action, object, object_id) SELECT '" + actor +
                              "', 'product.approve', 'product', seq FROM seq_1_to_10003");
    const std::string all = "/audit?per_page=100&actor=" + actor;
    json page = dataOf(_operator->get(all + "&page=100"));
    CPPUNIT_ASSERT_EQUAL(json(10'000), page["pagination"]["total_items"]);
    CPPUNIT_ASSERT_EQUAL(json(100), page["pagination"]["total_pages"]);
    CPPUNIT_ASSERT_EQUAL(json(true), page["pagination"]["total_capped"]);
    const Ids last = objectIds(dataOf(_operator->get(
        "/audit?per_page=100&actor=" + actor + "&cursor=" + page["pagination"]["next_cursor"].get<std::string>())));
    CPPUNIT_ASSERT(last == (Ids{3, 2, 1}));
    page = dataOf(_operator->get(all + "&page=101"));
    CPPUNIT_ASSERT_EQUAL(json::array(), page["entries"]);
    CPPUNIT_ASSERT(page["pagination"]["next_cursor"].is_null());
}

TEST(AuditTest, foreignCursorsAreRefused) {
    makeSupplier();
    makeSupplier();
    const std::string ours = "/audit?object=supplier&per_page=1&actor=" + _operator->prefix();
    const std::string cursor = dataOf(_operator->get(ours))["pagination"]["next_cursor"];
    for (const std::string& query : {"cursor=" + cursor, "object=supplier&cursor=" + cursor,
                                     "object=supplier&id=1&cursor=" + cursor, std::string("cursor=abc")})
        requireProblems(_operator->get("/audit?" + query), {"cursor:not_in_set"});
    requireProblems(_operator->get(ours + "&page=2&cursor=" + cursor), {"page:unsupported"});
}

TEST(AuditTest, filtersCombine) {
    OperatorClient other;
    const auto supplier = makeSupplier();
    const std::string path = "/suppliers/" + std::to_string(supplier);
    requireStatus(200, other.postEmpty(path + "/verify"));
    const json key = dataOf(other.post(path + "/keys", json::object()), 201)["key"];
    const auto actions = [&](const std::string& query) {
        json found = json::array();
        const json data = dataOf(_operator->get("/audit?" + query));
        for (const json& entry : data.at("entries"))
            found.push_back(entry["action"]);
        return found;
    };
    const std::string id = "id=" + std::to_string(supplier);
    const std::string theirs = "actor=" + other.prefix();
    CPPUNIT_ASSERT_EQUAL(json({"supplier.verify", "supplier.create"}), actions("object=supplier&" + id));
    CPPUNIT_ASSERT_EQUAL(json({"supplier.verify"}), actions("object=supplier&" + id + "&" + theirs));
    CPPUNIT_ASSERT_EQUAL(json({"supplier.create"}), actions("object=supplier&actor=" + _operator->prefix()));
    CPPUNIT_ASSERT_EQUAL(json({"key.create"}), actions("object=key&" + theirs + "&id=" + key["id"].dump()));
    CPPUNIT_ASSERT_EQUAL(json({"key.create", "supplier.verify"}), withoutKeyUse(actions(theirs)));
}

TEST(AuditTest, whatNobodyDidIsAnEmptyList) {
    for (const char* query :
         {"object=nothing", "actor=nobody", "object=%C3%A9", "actor=%F0%9F%92%90", "object=supplier&id=999999999",
          "id=9223372036854775807", "actor=%25", "object='%20OR%201=1"}) {
        const json data = dataOf(_operator->get(std::string("/audit?") + query));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(query, json::array(), data["entries"]);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(query, json(0), data["pagination"]["total_items"]);
    }
}

TEST(AuditTest, everyProblemOfTheQueryIsNamed) {
    requireProblems(_operator->get("/audit?page=0&per_page=x&id=0&object=" + std::string(33, 'a') +
                                   "&actor=" + std::string(65, 'a')),
                    {"page:out_of_range", "per_page:type", "id:out_of_range", "object:too_long", "actor:too_long"});
    requireProblems(_operator->get("/audit?id=x&actor=a&actor=b"), {"id:type", "actor:duplicate"});
}

TEST(AuditTest, whatFailedLeavesNoEntry) {
    const auto before = entriesOf(*_operator);
    requireStatus(422, _operator->post("/suppliers", json::object()));
    requireStatus(422, _operator->post("/categories", {{"name", 5}}));
    requireStatus(404, _operator->postEmpty("/suppliers/999999999/verify"));
    requireStatus(404, _operator->postEmpty("/products/999999999/approve"));
    requireStatus(404, _operator->postEmpty("/keys/999999999/revoke"));
    requireStatus(404, _operator->postEmpty("/order-groups/999999999/complete"));
    requireStatus(422, _operator->post("/orders", json::object()));
    CPPUNIT_ASSERT_EQUAL(before, entriesOf(*_operator));
}

} // namespace supplierd::tests
