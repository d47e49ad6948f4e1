#include "tests/dashboard/DashboardFixture.h"
#include "tests/support/Places.h"
#include "tests/support/Test.h"

#include <string>

namespace supplierd::tests {

/// Pictures that come from the computer of whoever is signed in.
class PicturesTest : public CppUnit::TestFixture {
protected:
    static std::string rose() { return readWholeFile(sourcePath("packaging/demo/pictures/rose-red.jpg")); }

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
            path = "/api/v1/supplier/products/" + std::to_string(product) + "/images/upload?name=rose.jpg";
        }

        HttpResponse add(const std::string& bytes) { return addAs(visitor, bytes); }
        HttpResponse addAs(Visitor& who, const std::string& bytes, bool withToken = true) const {
            return who.send("POST", path, {{"Content-Type", "image/jpeg"}}, bytes, withToken);
        }

        json images() {
            return visitor.get("/api/v1/supplier/products/" + std::to_string(product) + "/images").data().at("images");
        }
    };

    static std::string codeOf(const HttpResponse& response) {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(response.body, 422, response.status);
        return response.error().at("details").at(0).at("code");
    }
};

TEST(PicturesTest, aFileBecomesAPictureOfTheProductAndIsServed) {
    Store store;
    const auto added = store.add(rose());
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

TEST(PicturesTest, theAuditLogNamesWhoAddedIt) {
    Store store;
    const json image = store.add(rose()).data().at("images").at(0);
    auto operatorVisitor = visitorOf(createUser(0));
    const json entry = operatorVisitor.get("/api/v1/platform/audit?object=product&id=" + std::to_string(store.product))
                           .data()
                           .at("entries")
                           .at(0);
    CPPUNIT_ASSERT_EQUAL(json(store.user.email), entry.at("actor"));
    CPPUNIT_ASSERT_EQUAL(json("product.update"), entry.at("action"));
    CPPUNIT_ASSERT_EQUAL(json({image.at("id")}), entry.at("after").at("images"));
}

TEST(PicturesTest, whatIsNoPictureIsRefusedInTheWordsOfTheApi) {
    Store store;
    CPPUNIT_ASSERT_EQUAL(std::string("type"), codeOf(store.add("<html>no picture")));
    std::string half = readWholeFile(sourcePath("packaging/demo/pictures/rose-red.jpg"));
    half.resize(half.size() / 2);
    CPPUNIT_ASSERT_EQUAL(std::string("damaged"), codeOf(store.add(half)));
    CPPUNIT_ASSERT_EQUAL(std::string("type"), codeOf(store.add("")));
    CPPUNIT_ASSERT(store.images().empty());
}

TEST(PicturesTest, aFileOfMoreThanFiveMebibytesIsRefused) {
    Store store;
    CPPUNIT_ASSERT_EQUAL(std::string("too_large"), codeOf(store.add(std::string(5'242'881, '\xff'))));
    CPPUNIT_ASSERT_EQUAL(413, store.add(std::string(5'400'000, '\xff')).status);
}

TEST(PicturesTest, anEleventhPictureIsRefusedWithoutALookAtIt) {
    Store store;
    for (int i = 0; i < 10; ++i)
        CPPUNIT_ASSERT_EQUAL(201, store.add(rose()).status);
    CPPUNIT_ASSERT_EQUAL(std::string("too_many"), codeOf(store.add("no picture")));
    CPPUNIT_ASSERT_EQUAL(std::size_t{10}, store.images().size());
}

TEST(PicturesTest, theProductOfAnotherStoreIsNotThere) {
    Store store;
    auto stranger = visitorOf(createSupplierUser());
    CPPUNIT_ASSERT_EQUAL(404, store.addAs(stranger, rose()).status);
    auto operatorVisitor = visitorOf(createUser(0));
    CPPUNIT_ASSERT_EQUAL(401, store.addAs(operatorVisitor, rose()).status);
    CPPUNIT_ASSERT(store.images().empty());
}

TEST(PicturesTest, nothingIsAddedWithoutTheSessionAndItsToken) {
    Store store;
    Visitor nobody;
    CPPUNIT_ASSERT_EQUAL(401, store.addAs(store.visitor, rose(), false).status);
    CPPUNIT_ASSERT_EQUAL(401, store.addAs(nobody, rose()).status);
    CPPUNIT_ASSERT(store.images().empty());
    auto key = fixture().server().rootClient(fixture().server().createKey(store.user.supplierId));
    CPPUNIT_ASSERT_EQUAL(201, key.request("POST", store.path, {{"Content-Type", "image/jpeg"}}, rose()).status);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, store.images().size());
}

} // namespace supplierd::tests
