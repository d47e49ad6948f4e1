#include "tests/dashboard/DashboardFixture.h"

#include <Poco/Base64Encoder.h>

#include <cppunit/extensions/HelperMacros.h>

#include <sstream>
#include <string>

namespace supplierd::tests {

using nlohmann::json;

/// Pictures that come from the computer of whoever is signed in.
class PicturesTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(PicturesTest);
    CPPUNIT_TEST(testAFileBecomesAPictureOfTheProductAndIsServed);
    CPPUNIT_TEST(testTheAuditLogNamesWhoAddedIt);
    CPPUNIT_TEST(testWhatIsNoPictureIsRefusedInTheWordsOfTheApi);
    CPPUNIT_TEST(testAFileOfMoreThanFiveMebibytesIsRefused);
    CPPUNIT_TEST(testAnEleventhPictureIsRefusedWithoutALookAtIt);
    CPPUNIT_TEST(testTheSameRequestAgainAddsNoSecondPicture);
    CPPUNIT_TEST(testTheProductOfAnotherStoreIsNotThere);
    CPPUNIT_TEST(testNothingIsAddedWithoutTheSessionAndItsToken);
    CPPUNIT_TEST_SUITE_END();

    static std::string base64(const std::string& bytes) {
        std::ostringstream text;
        Poco::Base64Encoder encoder(text);
        encoder.rdbuf()->setLineLength(0);
        encoder << bytes;
        encoder.close();
        return text.str();
    }

    static json body(const std::string& bytes) { return {{"name", "rose.jpg"}, {"data", base64(bytes)}}; }
    static json rose() { return body(readWholeFile(SUPPLIERD_TEST_PICTURES "/rose-red.jpg")); }

    struct Store {
        TestUser user = createSupplierUser();
        Visitor visitor = visitorOf(user);
        std::int64_t product = 0;
        std::string path{};

        Store() {
            const auto made = visitor.post(
                "/api/v1/supplier/products",
                {{"name", "Rose"}, {"category_id", fixture().category()}, {"base_price", 1}, {"unit", "stem"}});
            CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
            product = made.data().at("product").at("id");
            path = "/dashboard/api/products/" + std::to_string(product) + "/pictures";
        }

        json images() {
            return visitor.get("/api/v1/supplier/products/" + std::to_string(product) + "/images").data().at("images");
        }
    };

    static std::string codeOf(const HttpResponse& response) {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 422, response.status);
        return response.error().at("details").at(0).at("code");
    }

public:
    void testAFileBecomesAPictureOfTheProductAndIsServed() {
        Store store;
        const auto added = store.visitor.post(store.path, rose());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(added.body, 201, added.status);
        CPPUNIT_ASSERT(added.hasHeader("X-Change-Seq"));
        const json images = store.images();
        CPPUNIT_ASSERT_EQUAL(images, added.data().at("images"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, images.size());
        CPPUNIT_ASSERT_EQUAL(json(true), images[0].at("is_primary"));
        const auto served = store.visitor.get(images[0].at("thumbnail_url"));
        CPPUNIT_ASSERT_EQUAL(200, served.status);
        CPPUNIT_ASSERT(served.header("Content-Type").starts_with("image/"));
    }

    void testTheAuditLogNamesWhoAddedIt() {
        Store store;
        const json image = store.visitor.post(store.path, rose()).data().at("images").at(0);
        auto operatorVisitor = visitorOf(createUser(0));
        const json entry =
            operatorVisitor.get("/api/v1/platform/audit?object=product&id=" + std::to_string(store.product))
                .data()
                .at("entries")
                .at(0);
        CPPUNIT_ASSERT_EQUAL(json(store.user.email), entry.at("actor"));
        CPPUNIT_ASSERT_EQUAL(json("product.update"), entry.at("action"));
        CPPUNIT_ASSERT_EQUAL(json({image.at("id")}), entry.at("after").at("images"));
    }

    void testWhatIsNoPictureIsRefusedInTheWordsOfTheApi() {
        Store store;
        CPPUNIT_ASSERT_EQUAL(std::string("type"), codeOf(store.visitor.post(store.path, body("<html>no picture"))));
        std::string half = readWholeFile(SUPPLIERD_TEST_PICTURES "/rose-red.jpg");
        half.resize(half.size() / 2);
        CPPUNIT_ASSERT_EQUAL(std::string("damaged"), codeOf(store.visitor.post(store.path, body(half))));
        const json unreadable{{"name", "x"}, {"data", "!!!"}};
        CPPUNIT_ASSERT_EQUAL(std::string("type"), codeOf(store.visitor.post(store.path, unreadable)));
        CPPUNIT_ASSERT(store.images().empty());
    }

    void testAFileOfMoreThanFiveMebibytesIsRefused() {
        Store store;
        CPPUNIT_ASSERT_EQUAL(std::string("too_large"),
                             codeOf(store.visitor.post(store.path, body(std::string(5'242'881, '\xff')))));
        CPPUNIT_ASSERT_EQUAL(413, store.visitor.post(store.path, body(std::string(5'400'000, '\xff'))).status);
    }

    void testAnEleventhPictureIsRefusedWithoutALookAtIt() {
        Store store;
        for (int i = 0; i < 10; ++i)
            CPPUNIT_ASSERT_EQUAL(201, store.visitor.post(store.path, rose()).status);
        CPPUNIT_ASSERT_EQUAL(std::string("too_many"), codeOf(store.visitor.post(store.path, body("no picture"))));
        CPPUNIT_ASSERT_EQUAL(std::size_t{10}, store.images().size());
    }

    void testTheSameRequestAgainAddsNoSecondPicture() {
        Store store;
        const HttpHeaders headers{{"Content-Type", "application/json"}, {"Idempotency-Key", "one-picture"}};
        const auto first = store.visitor.send("POST", store.path, headers, rose().dump());
        const auto again = store.visitor.send("POST", store.path, headers, rose().dump());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(again.body, 201, again.status);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), again.header("Idempotent-Replayed"));
        CPPUNIT_ASSERT_EQUAL(first.data(), again.data());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, store.images().size());
    }

    void testTheProductOfAnotherStoreIsNotThere() {
        Store store;
        auto stranger = visitorOf(createSupplierUser());
        CPPUNIT_ASSERT_EQUAL(404, stranger.post(store.path, rose()).status);
        CPPUNIT_ASSERT_EQUAL(401, visitorOf(createUser(0)).post(store.path, rose()).status);
        CPPUNIT_ASSERT(store.images().empty());
    }

    void testNothingIsAddedWithoutTheSessionAndItsToken() {
        Store store;
        const HttpHeaders headers{{"Content-Type", "application/json"}};
        CPPUNIT_ASSERT_EQUAL(401, store.visitor.send("POST", store.path, headers, rose().dump(), false).status);
        CPPUNIT_ASSERT_EQUAL(401, Visitor().post(store.path, rose()).status);
        auto key = fixture().server().rootClient(fixture().server().createKey(store.user.supplierId));
        CPPUNIT_ASSERT_EQUAL(401, key.post(store.path, rose()).status);
        CPPUNIT_ASSERT(store.images().empty());
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(PicturesTest);

} // namespace supplierd::tests
