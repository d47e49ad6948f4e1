#include "tests/support/Responses.h"
#include "tests/support/Test.h"
#include "tests/system/fixtures/ProbedServer.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::tests {

/// `Idempotency-Key` where it matters: creating products.
class ProductIdempotencyTest : public CppUnit::TestFixture {
public:
    void setUp() override {
        _key = newKey();
        static const auto CATEGORY = fixture().server().createCategory("Roses for keys");
        _product = {{"name", "Red Naomi"}, {"category_id", CATEGORY}, {"base_price", 0.085}, {"unit", "stem"}};
    }

protected:
    HttpClient client() const { return fixture().server().client(_key); }
    HttpResponse create(const std::string& idempotencyKey) const {
        return client().post("/products", _product, {{"Idempotency-Key", idempotencyKey}});
    }
    int products() const { return client().get("/products").data().at("pagination").at("total_items").get<int>(); }

    std::string _key;
    Json _product;
};

TEST(ProductIdempotencyTest, repeatedCreateMakesOneProduct) {
    const auto first = create("order-1");
    requireStatus(201, first);
    const auto second = create("order-1");
    requireStatus(201, second);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), second.header("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(first.body, second.body);
    CPPUNIT_ASSERT_EQUAL(first.header("Location"), second.header("Location"));
    CPPUNIT_ASSERT_EQUAL(1, products());
}

TEST(ProductIdempotencyTest, repeatedRefusalIsTheSameRefusal) {
    _product["unit"] = "handful";
    const auto first = create("order-1");
    const auto error = requireDetail(422, "VALIDATION_ERROR", "not_in_set", first);
    const auto second = create("order-1");
    const auto replayed = requireDetail(422, "VALIDATION_ERROR", "not_in_set", second);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), second.header("Idempotent-Replayed"));
    CPPUNIT_ASSERT_EQUAL(error.at("details").dump(), replayed.at("details").dump());
}

TEST(ProductIdempotencyTest, sameKeyWithAnotherProductIsInvalid) {
    requireStatus(201, create("order-1"));
    _product["name"] = "Avalanche";
    requireDetail(422, "VALIDATION_ERROR", "duplicate", create("order-1"));
    CPPUNIT_ASSERT_EQUAL(1, products());
}

TEST(ProductIdempotencyTest, suppliersDoNotShareKeys) {
    requireStatus(201, create("order-1"));
    const auto other = newClient().post("/products", _product, {{"Idempotency-Key", "order-1"}});
    requireStatus(201, other);
    CPPUNIT_ASSERT(!other.hasHeader("Idempotent-Replayed"));
}

TEST(ProductIdempotencyTest, manyRepeatsAtOnceMakeOneProduct) {
    std::atomic<int> created{0};
    std::atomic<int> others{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            const auto response = create("order-1");
            if (response.status == 201)
                ++created;
            else if (response.status != 409)
                ++others;
        });
    for (auto& thread : threads)
        thread.join();
    CPPUNIT_ASSERT(created >= 1);
    CPPUNIT_ASSERT_EQUAL(0, others.load());
    CPPUNIT_ASSERT_EQUAL(1, products());
}

TEST(ProductIdempotencyTest, repeatedDeleteIsReplayed) {
    const auto id = create("order-1").data().at("product").at("id").get<std::int64_t>();
    const auto path = "/products/" + std::to_string(id) + "/delete";
    requireStatus(200, client().postEmpty(path, {{"Idempotency-Key", "delete-1"}}));
    const auto again = client().postEmpty(path, {{"Idempotency-Key", "delete-1"}});
    requireStatus(200, again);
    CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
    requireError(404, "NOT_FOUND", client().postEmpty(path));
}

} // namespace supplierd::tests
