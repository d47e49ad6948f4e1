#include "tests/support/OperatorClient.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

#include <atomic>
#include <cctype>
#include <functional>
#include <memory>
#include <string>

namespace supplierd::tests {

using nlohmann::json;

class OperatorCategoriesTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _operator = std::make_unique<OperatorClient>();
        _word = "c" + _operator->key().substr(3, 8);
        for (char& c : _word)
            c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }

    void tearDown() override { // an idle connection holds a thread of the server
        _operator.reset();
    }

protected:
    HttpResponse post(const std::string& path, const json& body) { return _operator->post(path, body); }
    json add(const json& body) { return dataOf(_operator->post("/categories", body), 201).at("category"); }
    json change(const json& category, const json& body) {
        return dataOf(_operator->post(path(category), body)).at("category");
    }
    static std::string path(const json& category) { return "/categories/" + std::to_string(idOf(category)); }

    static json find(const json& data, const json& id) {
        for (const json& category : data.at("categories"))
            if (category["id"] == id)
                return category;
        return nullptr;
    }

    std::unique_ptr<OperatorClient> _operator;
    std::string _word; ///< a slug of this test's own
};

TEST(OperatorCategoriesTest, aNewCategoryIsListedForAll) {
    const json parent = add({{"name", _word + " Cut flowers"}});
    CPPUNIT_ASSERT_EQUAL(json({{"id", parent["id"]},
                               {"name", _word + " Cut flowers"},
                               {"slug", _word + "-cut-flowers"},
                               {"parent_id", nullptr},
                               {"type", "flower"},
                               {"is_active", true}}),
                         parent);
    const json child = add({{"name", _word + " Vases"}, {"parent_id", parent["id"]}, {"type", "supply"}});
    CPPUNIT_ASSERT_EQUAL(parent["id"], child["parent_id"]);
    CPPUNIT_ASSERT_EQUAL(json("supply"), child["type"]);
    CPPUNIT_ASSERT_EQUAL(child, find(dataOf(_operator->get("/categories")), child["id"]));
    SupplierClient supplier = _operator->createSupplier();
    CPPUNIT_ASSERT_EQUAL(child["slug"], find(dataOf(supplier.get("/categories")), child["id"])["slug"]);
    CPPUNIT_ASSERT_EQUAL(child["id"], supplier.create({{"category_id", child["id"]}})["category"]["id"]);
}

TEST(OperatorCategoriesTest, aSlugIsMadeFromTheName) {
    CPPUNIT_ASSERT_EQUAL(json(_word + "-roses-and-more"), add({{"name", _word + "  Roses & and—more! "}})["slug"]);
    CPPUNIT_ASSERT_EQUAL(json(_word + "-ubertopfe-grosse-ore-oeillet"),
                         add({{"name", _word + " Übertöpfe Große Øre Œillet"}})["slug"]);
    CPPUNIT_ASSERT_EQUAL(json(_word + "-vazy-zlute"), add({{"name", _word + " Vázy žluté 花"}, {"slug", ""}})["slug"]);
    const json longest = add({{"name", _word + std::string(255 - _word.size(), 'a')}})["slug"];
    CPPUNIT_ASSERT_EQUAL(std::size_t{255}, longest.get<std::string>().size());
    const json given = add({{"name", "花 " + _word}, {"slug", _word + "-own"}});
    CPPUNIT_ASSERT_EQUAL(json(_word + "-own"), given["slug"]);
    requireProblems(post("/categories", {{"name", "花💐"}}), {"slug:required"});
}

TEST(OperatorCategoriesTest, aSlugBelongsToOneCategory) {
    const json first = add({{"name", _word}});
    requireProblems(post("/categories", {{"name", "Other"}, {"slug", _word}}), {"slug:duplicate"});
    requireProblems(post("/categories", {{"name", _word + "!"}}), {"slug:duplicate"});
    const json second = add({{"name", _word}, {"slug", _word + "-2"}});
    requireProblems(post(path(second), {{"slug", _word}}), {"slug:duplicate"});
    requireProblems(post(path(second), {{"slug", nullptr}}), {"slug:duplicate"});
    CPPUNIT_ASSERT_EQUAL(first, change(first, {{"slug", _word}})); // its own is no duplicate
    CPPUNIT_ASSERT_EQUAL(json(_word + "-3"), change(second, {{"name", _word + " 3"}, {"slug", nullptr}})["slug"]);
}

TEST(OperatorCategoriesTest, everyProblemOfANewCategoryIsNamed) {
    requireProblems(post("/categories", json::object()), {"name:required"});
    requireProblems(post("/categories",
                         {{"name", 5}, {"slug", "Not A Slug"}, {"parent_id", "1"}, {"type", "tree"}, {"is_active", 1}}),
                    {"name:type", "slug:not_in_set", "parent_id:type", "type:not_in_set", "is_active:type"});
    requireProblems(
        post("/categories", {{"name", std::string(256, 'a')}, {"slug", std::string(256, 'a')}, {"parent_id", 0}}),
        {"name:too_long", "slug:too_long", "parent_id:out_of_range"});
    add({{"name", _word}});
    requireProblems(post("/categories", {{"name", _word}, {"parent_id", 999'999}, {"type", 1}}),
                    {"slug:duplicate", "parent_id:unknown_reference", "type:type"});
    for (const char* slug : {"-a", "a-", "a--b", "a_b", "é"})
        requireProblems(post("/categories", {{"name", _word}, {"slug", slug}}), {"slug:not_in_set"});
}

TEST(OperatorCategoriesTest, aChangeTouchesWhatItNames) {
    const json parent = add({{"name", _word + " parent"}});
    const json made = add({{"name", _word}, {"parent_id", parent["id"]}, {"type", "supply"}});
    json expected = made;
    CPPUNIT_ASSERT_EQUAL(expected, change(made, json::object()));
    CPPUNIT_ASSERT_EQUAL(expected, change(made, {{"unknown", 1}}));
    expected["name"] = "Renamed";
    CPPUNIT_ASSERT_EQUAL(expected, change(made, {{"name", " Renamed "}})); // the slug stays
    expected["parent_id"] = nullptr;
    CPPUNIT_ASSERT_EQUAL(expected, change(made, {{"parent_id", nullptr}}));
    expected["type"] = "flower";
    CPPUNIT_ASSERT_EQUAL(expected, change(made, {{"type", nullptr}})); // the default
    expected["is_active"] = false;
    CPPUNIT_ASSERT_EQUAL(expected, change(made, {{"is_active", false}}));
    CPPUNIT_ASSERT_EQUAL(expected, find(dataOf(_operator->get("/categories")), made["id"]));
}

TEST(OperatorCategoriesTest, everyProblemOfAChangeIsNamed) {
    const json made = add({{"name", _word}});
    requireProblems(post(path(made), {{"name", nullptr}, {"is_active", nullptr}, {"parent_id", 999'999}}),
                    {"name:required", "is_active:required", "parent_id:unknown_reference"});
    requireProblems(post(path(made), {{"name", " "}, {"slug", 1}, {"type", "tree"}, {"parent_id", made["id"]}}),
                    {"name:required", "slug:type", "type:not_in_set", "parent_id:unsupported"});
    CPPUNIT_ASSERT_EQUAL(made, find(dataOf(_operator->get("/categories")), made["id"]));
}

TEST(OperatorCategoriesTest, anInactiveCategoryIsSeenByOperatorsOnly) {
    const json closed = add({{"name", _word}, {"is_active", false}});
    CPPUNIT_ASSERT_EQUAL(json(false), find(dataOf(_operator->get("/categories")), closed["id"])["is_active"]);
    SupplierClient supplier = _operator->createSupplier();
    CPPUNIT_ASSERT(find(dataOf(supplier.get("/categories")), closed["id"]).is_null());
    const json product{{"name", "Rosa"}, {"category_id", closed["id"]}, {"base_price", 1}, {"unit", "stem"}};
    requireProblems(supplier.post("/products", product), {"category_id:unknown_reference"});
    change(closed, {{"is_active", true}});
    requireStatus(201, supplier.post("/products", product));
}

TEST(OperatorCategoriesTest, everyChangeOfTheTreeGivesItAnotherTag) {
    SupplierClient supplier = _operator->createSupplier();
    const auto since = [&supplier](const std::string& tag) {
        return supplier.get("/categories", {{"If-None-Match", tag}});
    };
    HttpResponse known = supplier.get("/categories");
    const auto requireNewTag = [&](const std::string& change) {
        const HttpResponse now = since(known.header("ETag"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(change, 200, now.status);
        CPPUNIT_ASSERT(now.data()["change_seq"] > known.data()["change_seq"]);
        requireStatus(304, since(now.header("ETag")));
        known = now;
    };
    const json category = add({{"name", _word}});
    requireNewTag("created");
    const std::string path = "/categories/" + category["id"].dump();
    for (const json& change : {json{{"name", _word + " new"}}, json{{"slug", _word + "-new"}}, json{{"type", "supply"}},
                               json{{"is_active", false}}, json{{"is_active", true}}}) {
        requireStatus(200, _operator->post(path, change));
        requireNewTag(change.dump());
    }
    requireStatus(200, _operator->post(path, {{"is_active", true}}));
    requireProblems(post(path, {{"name", nullptr}}), {"name:required"});
    requireStatus(304, since(known.header("ETag")));
}

TEST(OperatorCategoriesTest, aNewNameIsInTheTagOfItsProducts) {
    SupplierClient supplier = _operator->createSupplier();
    const json category = add({{"name", _word}});
    const std::string path = "/products/" + supplier.create({{"category_id", category["id"]}})["id"].dump();
    CPPUNIT_ASSERT_EQUAL(std::string("\"1\""), supplier.get(path).header("ETag"));
    requireStatus(200, _operator->post("/categories/" + category["id"].dump(), {{"name", _word + " new"}}));
    const HttpResponse renamed = supplier.get(path, {{"If-None-Match", "\"1\""}});
    requireStatus(200, renamed);
    CPPUNIT_ASSERT_EQUAL(json(_word + " new"), renamed.data()["product"]["category"]["name"]);
    const std::string tag = renamed.header("ETag");
    requireStatus(304, supplier.get(path, {{"If-None-Match", tag}}));
    CPPUNIT_ASSERT_EQUAL(tag, supplier.get(path, {{"If-None-Match", tag}}).header("ETag"));
    // A client that writes is asked about the product alone: with either tag, and only with those of its version.
    requireStatus(412, supplier.post(path, {{"stock_qty", 1}}, {{"If-Match", "\"1" + tag.substr(1)}}));
    requireStatus(412, supplier.post(path, {{"stock_qty", 1}}, {{"If-Match", "W/" + tag}}));
    const HttpResponse written = supplier.post(path, {{"stock_qty", 1}}, {{"If-Match", "\"1\""}});
    requireStatus(200, written);
    requireStatus(412, supplier.post(path, {{"stock_qty", 2}}, {{"If-Match", tag}}));
    CPPUNIT_ASSERT_EQUAL(200, supplier.post(path, {{"stock_qty", 2}}, {{"If-Match", written.header("ETag")}}).status);
    // The product's version is another one, the category's is not.
    CPPUNIT_ASSERT_EQUAL("\"2" + tag.substr(tag.find('-')), written.header("ETag"));
}

TEST(OperatorCategoriesTest, nothingIsPutBelowAnInactiveCategory) {
    SupplierClient supplier = _operator->createSupplier();
    const json top = add({{"name", _word + " top"}});
    const json middle = add({{"name", _word + " middle"}, {"parent_id", top["id"]}});
    const json low = add({{"name", _word + " low"}, {"parent_id", middle["id"]}});
    const json product = supplier.create({{"category_id", low["id"]}});
    const std::string path = "/products/" + product["id"].dump();
    requireStatus(200, _operator->post("/categories/" + top["id"].dump(), {{"is_active", false}}));
    CPPUNIT_ASSERT(find(dataOf(supplier.get("/categories")), low["id"]).is_null());
    for (const json& category : {top, middle, low}) {
        requireProblems(supplier.postProduct({{"category_id", category["id"]}}), {"category_id:unknown_reference"});
        requireProblems(supplier.post(path, {{"category_id", category["id"]}}), {"category_id:unknown_reference"});
    }
    CPPUNIT_ASSERT_EQUAL(json(5), supplier.update(product["id"], {{"stock_qty", 5}})["stock_qty"]);
    requireStatus(200, _operator->post("/categories/" + top["id"].dump(), {{"is_active", true}}));
    CPPUNIT_ASSERT_EQUAL(low["id"], supplier.create({{"category_id", low["id"]}})["category"]["id"]);
}

TEST(OperatorCategoriesTest, aCycleOfParentsIsRefused) {
    const json top = add({{"name", _word + " top"}});
    const json middle = add({{"name", _word + " middle"}, {"parent_id", top["id"]}});
    const json bottom = add({{"name", _word + " bottom"}, {"parent_id", middle["id"]}});
    for (const json& parent : {top, middle, bottom})
        requireProblems(post(path(top), {{"parent_id", parent["id"]}}), {"parent_id:unsupported"});
    requireProblems(post(path(middle), {{"parent_id", bottom["id"]}}), {"parent_id:unsupported"});
    CPPUNIT_ASSERT(find(dataOf(_operator->get("/categories")), top["id"])["parent_id"].is_null());
    change(bottom, {{"parent_id", top["id"]}}); // up the same branch is no cycle
    change(middle, {{"parent_id", bottom["id"]}});
}

TEST(OperatorCategoriesTest, twoRacingMovesMakeNoCycle) {
    for (int round = 0; round < 10; ++round) {
        const std::string name = _word + std::to_string(round);
        const json left = add({{"name", name + " left"}});
        const json right = add({{"name", name + " right"}});
        int statuses[2] = {};
        race(2, [&](OperatorClient& op, int i) {
            const json& moved = i == 0 ? left : right;
            const json& parent = i == 0 ? right : left;
            statuses[i] = op.post(path(moved), {{"parent_id", parent["id"]}}).status;
        });
        CPPUNIT_ASSERT_EQUAL(200 + 422, statuses[0] + statuses[1]);
    }
}

TEST(OperatorCategoriesTest, twoRacingCreatesOfOneSlugMakeOneCategory) {
    std::atomic<int> made{0};
    std::atomic<int> refused{0};
    race(8, [&](OperatorClient& op, int) {
        const HttpResponse response = op.post("/categories", {{"name", _word}});
        if (response.status == 201)
            ++made;
        else
            requireProblems(response, {"slug:duplicate"});
        refused += response.status == 422 ? 1 : 0;
    });
    CPPUNIT_ASSERT_EQUAL(1, made.load());
    CPPUNIT_ASSERT_EQUAL(7, refused.load());
}

TEST(OperatorCategoriesTest, changesAreAuditedWithWhatChanged) {
    const json made = add({{"name", _word}});
    change(made, json::object());
    change(made, {{"name", _word}});
    change(made, {{"name", "New"}, {"is_active", false}});
    const json entries = _operator->audit("category", idOf(made));
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, entries.size());
    CPPUNIT_ASSERT_EQUAL(json("category.update"), entries[0]["action"]);
    CPPUNIT_ASSERT_EQUAL(json({{"name", _word}, {"is_active", true}}), entries[0]["before"]);
    CPPUNIT_ASSERT_EQUAL(json({{"name", "New"}, {"is_active", false}}), entries[0]["after"]);
    CPPUNIT_ASSERT_EQUAL(json("category.create"), entries[1]["action"]);
    CPPUNIT_ASSERT(entries[1]["before"].is_null());
    CPPUNIT_ASSERT_EQUAL(json(_word), entries[1]["after"]["slug"]);
}

} // namespace supplierd::tests
