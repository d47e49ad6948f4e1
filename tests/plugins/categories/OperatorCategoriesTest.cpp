#include "tests/support/OperatorClient.h"
#include "tests/support/Responses.h"
#include "tests/support/Test.h"

#include <atomic>
#include <cctype>
#include <memory>
#include <string>

namespace supplierd::tests {

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
    json add(const json& body) { return dataOf(_operator->post("/categories", body), 201).at("category"); }
    static std::string path(const json& category) { return "/categories/" + std::to_string(idOf(category)); }

    std::unique_ptr<OperatorClient> _operator;
    std::string _word; ///< a slug of this test's own
};

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

} // namespace supplierd::tests
