#include "list/Cursor.h"

#include "CatalogFixture.h"
#include "tests/support/Test.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <set>
#include <string>
#include <thread>

namespace supplierd::tests {

using catalog::Cursor;
using Ids = std::vector<std::int64_t>;

class CursorTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
    HttpResponse get(const std::string& query) { return _supplier->get("/products?" + query); }

    /// Of the page behind the first, as if that had shown one change more.
    std::string cursorOfTheNextChange(const std::string& query) {
        auto cursor = Cursor::decode(_supplier->list(query)["pagination"]["next_cursor"].get<std::string>());
        CPPUNIT_ASSERT_EQUAL(_supplier->changeSeq(), cursor->shownSeq);
        ++cursor->shownSeq;
        return cursor->encode();
    }

    Ids walk(const std::string& query, int perPage) {
        const json first = _supplier->list(query + "&per_page=" + std::to_string(perPage));
        Ids ids = idsOf(first["products"]);
        const Ids rest = walkFrom(query, perPage, first["pagination"]["next_cursor"]);
        ids.insert(ids.end(), rest.begin(), rest.end());
        return ids;
    }

    Ids walkFrom(const std::string& query, int perPage, json cursor) {
        Ids ids;
        while (!cursor.is_null()) {
            const json page = _supplier->list(query + "&per_page=" + std::to_string(perPage) +
                                              "&cursor=" + cursor.get<std::string>());
            const Ids some = idsOf(page["products"]);
            ids.insert(ids.end(), some.begin(), some.end());
            cursor = page["pagination"]["next_cursor"];
        }
        return ids;
    }

    std::unique_ptr<SupplierClient> _supplier;
    int _stock = 0;
};

TEST(CursorTest, cursorComesBackAsItWas) {
    for (std::size_t sort = 0; sort < catalog::SORT_NAMES.size(); ++sort) {
        Cursor cursor;
        cursor.sort = catalog::ListSort::fromNumber(sort);
        cursor.fingerprint = 0xfedcba9876543210ULL;
        cursor.position = 17;
        cursor.startSeq = 123;
        cursor.shownSeq = 124;
        cursor.last = {.number = 12, .nameWeights = {}, .id = 9'223'372'036'854'775'807};
        if (sort % 3 == 1) {
            cursor.phase = Cursor::Phase::LateChanges;
            cursor.last.number = 0;
            cursor.endId = 99;
        } else if (sort % 3 == 2) {
            cursor.phase = Cursor::Phase::Delta;
        } else if (cursor.sort.key == catalog::SortKey::Name) {
            cursor.last.nameWeights = std::string("\x00\x1c\xff", 3);
        }
        const std::string text = cursor.encode();
        CPPUNIT_ASSERT(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") ==
                       std::string::npos);
        const auto back = Cursor::decode(text);
        CPPUNIT_ASSERT(back.has_value());
        CPPUNIT_ASSERT(back->sort == cursor.sort && back->fingerprint == cursor.fingerprint &&
                       back->position == cursor.position && back->startSeq == cursor.startSeq &&
                       back->last.id == cursor.last.id && back->last.number == cursor.last.number &&
                       back->last.nameWeights == cursor.last.nameWeights && back->endId == cursor.endId &&
                       back->shownSeq == cursor.shownSeq && back->phase == cursor.phase);
    }
}

TEST(CursorTest, noOtherTextIsACursor) {
    Cursor cursor;
    cursor.sort = catalog::ListSort{catalog::SortKey::StockQty, true};
    cursor.last.number = 12;
    const std::string good = cursor.encode();
    CPPUNIT_ASSERT(Cursor::decode(good).has_value());
    for (std::size_t length = 0; length + 2 < good.size(); ++length)
        CPPUNIT_ASSERT_MESSAGE(good.substr(0, length), !Cursor::decode(good.substr(0, length)).has_value());
    for (const std::string& wrong : {good + "=", good + "A", " " + good, std::string("abc"), std::string("!"),
                                     std::string(3'000, 'A'), std::string("\xff\xfe")})
        CPPUNIT_ASSERT(!Cursor::decode(wrong).has_value());
    cursor.last.number = -1;
    CPPUNIT_ASSERT(!Cursor::decode(cursor.encode()).has_value());
    cursor.last.number = 12;
    cursor.last.nameWeights = "12"; // only the order of names has any
    CPPUNIT_ASSERT(!Cursor::decode(cursor.encode()).has_value());
    cursor.last.nameWeights.clear();
    for (const std::int64_t position : {std::int64_t{0}, std::int64_t{9'223'372'036'854'775'807}}) {
        cursor.position = position;
        CPPUNIT_ASSERT(!Cursor::decode(cursor.encode()).has_value());
    }
    cursor.position = 1;
    cursor.shownSeq = -1;
    CPPUNIT_ASSERT(!Cursor::decode(cursor.encode()).has_value());
    cursor.shownSeq = 0;
    cursor.phase = Cursor::Phase::LateChanges;
    cursor.endId = -1;
    CPPUNIT_ASSERT(!Cursor::decode(cursor.encode()).has_value());
    cursor.endId = 0;
    for (const int phase : {0, 4, 255}) {
        cursor.phase = static_cast<Cursor::Phase>(phase);
        CPPUNIT_ASSERT(!Cursor::decode(cursor.encode()).has_value());
    }
}

TEST(CursorTest, walkMeetsEveryProductOnceInOrder) {
    const Ids live = _supplier->fill(137);
    _supplier->remove(live[5]);
    for (const char* filter : {"", "status=pending&", "type=flower&", "search=tulipa&", "include_deleted=true&",
                               "updated_since=2020-01-01T00:00:00Z&"})
        for (const char* sort : {"id", "-id", "name", "-name", "base_price", "-base_price", "stock_qty", "-stock_qty",
                                 "updated_at", "-updated_at"}) {
            const std::string query = std::string(filter) + "sort=" + sort;
            Ids whole = _supplier->ids(query + "&per_page=100");
            const Ids rest = _supplier->ids(query + "&per_page=100&page=2");
            whole.insert(whole.end(), rest.begin(), rest.end());
            CPPUNIT_ASSERT_MESSAGE(query, walk(query, 23) == whole);
        }
}

TEST(CursorTest, productThatMovedBehindTheWalkIsMetAfterItsEnd) {
    const Ids ids = _supplier->fill(30);
    const json first = _supplier->list("sort=base_price&per_page=10");
    const Ids seen = idsOf(first["products"]);
    const std::int64_t last = _supplier->ids("sort=-base_price&per_page=1").front();
    CPPUNIT_ASSERT(std::find(seen.begin(), seen.end(), last) == seen.end());
    _supplier->update(last, {{"base_price", 0.01}});
    Ids rest = walkFrom("sort=base_price", 10, first["pagination"]["next_cursor"]);
    CPPUNIT_ASSERT_EQUAL(last, rest.back());
    CPPUNIT_ASSERT_EQUAL(ids.size(), seen.size() + rest.size());
}

TEST(CursorTest, productCreatedDuringTheWalkIsMet) {
    _supplier->fill(30);
    const json first = _supplier->list("per_page=10");
    const std::int64_t fresh = _supplier->create()["id"];
    const Ids rest = walkFrom("", 10, first["pagination"]["next_cursor"]);
    CPPUNIT_ASSERT_EQUAL(fresh, rest.back());
}

TEST(CursorTest, productThatIsChangedAgainAndAgainIsMetOnce) {
    const Ids ids = _supplier->fill(30);
    {
        json data = _supplier->list("sort=id&per_page=10");
        std::int64_t met = 0;
        int pages = 0;
        while (!data["pagination"]["next_cursor"].is_null()) {
            const std::string cursor = data["pagination"]["next_cursor"];
            const bool isLate = Cursor::decode(cursor)->phase == Cursor::Phase::LateChanges;
            if (isLate)
                CPPUNIT_ASSERT_EQUAL(ids.back(), Cursor::decode(cursor)->endId);
            for (std::size_t i = 0; i < 15; ++i)
                _supplier->update(ids[i], {{"stock_qty", ++_stock}});
            data = _supplier->list("sort=id&per_page=10&cursor=" + cursor);
            if (isLate)
                met += static_cast<std::int64_t>(data["products"].size());
            CPPUNIT_ASSERT(++pages < 10);
        }
        CPPUNIT_ASSERT_EQUAL(std::int64_t{15}, met);
    }
}

TEST(CursorTest, lateChangesKeepTheFilters) {
    _supplier->fill(30);
    const json first = _supplier->list("search=tulipa&per_page=10");
    _supplier->create({{"name", "Rosa"}});
    const std::int64_t tulip = _supplier->create({{"name", "Late Tulipa"}})["id"];
    const Ids rest = walkFrom("search=tulipa", 10, first["pagination"]["next_cursor"]);
    CPPUNIT_ASSERT_EQUAL(tulip, rest.back());
    CPPUNIT_ASSERT_EQUAL(std::size_t{21}, rest.size());
}

TEST(CursorTest, walkWithTombstonesMeetsWhatWasDeletedMeanwhile) {
    const Ids ids = _supplier->fill(30);
    const json first = _supplier->list("sort=id&include_deleted=true&per_page=10");
    _supplier->remove(ids[0]);
    const Ids rest = walkFrom("sort=id&include_deleted=true", 10, first["pagination"]["next_cursor"]);
    CPPUNIT_ASSERT_EQUAL(ids[0], rest.back());
}

/// As when the page before came from another server, whose node of the cluster was ahead.
TEST(CursorTest, aPageThatTheServerDoesNotSeeYetIsRefused) {
    _supplier->fill(30);
    for (const std::string& query : {std::string("per_page=10"), std::string("per_page=10&changed_after=0")}) {
        const std::string path = "per_page=10&cursor=" + cursorOfTheNextChange(query);
        const HttpResponse refused = get(path);
        requireStatus(503, refused);
        CPPUNIT_ASSERT_EQUAL(std::string("1"), refused.header("Retry-After"));
        _supplier->create();
        requireStatus(200, get(path));
    }
}

TEST(CursorTest, aPageWaitsForWhatThePageBeforeShowed) {
    constexpr int ATTEMPTS = 20;
    _supplier->fill(30);
    HttpClient reader = _supplier->anotherClient();
    const auto asked = [&] { return fixture().server().metric("supplierd_version_question_requests_total"); };
    for (int attempt = 1;; ++attempt) {
        const std::string path = "/products?per_page=10&cursor=" + cursorOfTheNextChange("per_page=10");
        const double before = asked();
        auto waiting = std::async(std::launch::async, [&] { return reader.get(path); });
        while (asked() < before + 2 && waiting.wait_for(std::chrono::seconds(0)) == std::future_status::timeout)
            std::this_thread::yield();
        _supplier->create();
        const HttpResponse page = waiting.get();
        if (page.status == 503 && attempt < ATTEMPTS)
            continue; // it stood still here for longer than the server waits
        requireStatus(200, page);
        CPPUNIT_ASSERT_EQUAL(std::to_string(_supplier->changeSeq()), page.header("X-Change-Seq"));
        return;
    }
}

} // namespace supplierd::tests
