#include "tests/support/Concurrency.h"

#include "CatalogFixture.h"
#include "list/Cursor.h"
#include "tests/support/Test.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>

namespace supplierd::tests {

namespace {

constexpr int WRITERS = 8;
constexpr int WRITES = 60;

/// What each product's stock is known to be at least: writers only ever raise it. A deleted product has no bound.
using Stocks = std::map<std::int64_t, std::int64_t>;

/// Creates, raises and deletes products from several threads and keeps what was acknowledged.
class Writers {
public:
    Writers(SupplierClient& supplier, const std::vector<std::int64_t>& products) : _supplier(supplier) {
        for (const std::int64_t id : products)
            _acknowledged[id] = 0;
        for (int i = 0; i < WRITERS; ++i)
            _threads.emplace_back([this, i] { run(static_cast<unsigned>(i)); });
    }
    ~Writers() { join(); }

    bool running() const { return _running > 0; }
    Stocks acknowledged() const {
        const std::lock_guard lock(_mutex);
        return _acknowledged;
    }
    /// Throws what a writer threw.
    void finish() {
        join();
        if (_failure)
            std::rethrow_exception(_failure);
    }

private:
    void join() {
        for (std::thread& thread : _threads)
            if (thread.joinable())
                thread.join();
    }

    void run(unsigned seed) {
        try {
            HttpClient client = _supplier.anotherClient();
            std::mt19937 random(seed);
            for (int i = 0; i < WRITES; ++i)
                write(client, static_cast<unsigned>(random()));
        } catch (...) {
            const std::lock_guard lock(_mutex);
            _failure = std::current_exception();
        }
        --_running;
    }

    void write(HttpClient& client, unsigned dice) {
        if (dice % 10 == 0) {
            const HttpResponse response = client.post("/products", _supplier.productBody({{"stock_qty", ++_counter}}));
            const json product = response.data()["product"];
            const std::lock_guard lock(_mutex);
            _acknowledged[product["id"]] = product["stock_qty"];
            return;
        }
        const std::int64_t id = pick(dice / 10);
        const std::string path = "/products/" + std::to_string(id);
        if (dice % 10 == 1) {
            {
                const std::lock_guard lock(_mutex);
                _acknowledged.erase(id);
            }
            client.postEmpty(path + "/delete");
            return;
        }
        // The larger value may be committed first, by another writer: what was acknowledged is then no bound.
        const std::lock_guard one(_oneProduct[static_cast<std::size_t>(id) % 64]);
        const std::int64_t stock = ++_counter;
        const HttpResponse response = client.post(path, {{"stock_qty", stock}});
        const std::lock_guard lock(_mutex);
        if (response.status == 200 && _acknowledged.contains(id))
            _acknowledged[id] = stock;
    }

    std::int64_t pick(unsigned number) const {
        const std::lock_guard lock(_mutex);
        return std::next(_acknowledged.begin(), static_cast<std::ptrdiff_t>(number % _acknowledged.size()))->first;
    }

    SupplierClient& _supplier;
    mutable std::mutex _mutex;
    std::mutex _oneProduct[64];
    Stocks _acknowledged;
    std::exception_ptr _failure;
    std::atomic<std::int64_t> _counter{0};
    std::atomic<int> _running{WRITERS};
    std::vector<std::thread> _threads;
};

void take(Stocks& mirror, const json& products) {
    for (const json& product : products)
        mirror[product["id"]] = product["stock_qty"];
}

/// Everything that was acknowledged before the last request is in the mirror, as it was or newer.
void requireNothingSkipped(const Stocks& acknowledged, const Stocks& mirror) {
    for (const auto& [id, stock] : acknowledged) {
        const auto seen = mirror.find(id);
        CPPUNIT_ASSERT_MESSAGE("product " + std::to_string(id) + " was never seen", seen != mirror.end());
        CPPUNIT_ASSERT_MESSAGE("product " + std::to_string(id) + " was seen with a stock of " +
                                   std::to_string(seen->second) + ", not yet " + std::to_string(stock),
                               seen->second >= stock);
    }
}

} // namespace

class ConcurrencyTest : public CppUnit::TestFixture {
public:
    void setUp() override { _supplier = std::make_unique<SupplierClient>(); }

protected:
    static bool isInLateChanges(const json& data) {
        const auto cursor = catalog::Cursor::decode(data["pagination"]["next_cursor"].get<std::string>());
        return cursor && cursor->phase == catalog::Cursor::Phase::LateChanges;
    }

    /// The mirror of a synchronised client is what the database has, tombstones included.
    void requireSame(const Stocks& mirror) {
        Stocks truth;
        for (const TestRow& row : fixture().database().query("SELECT id, stock_qty FROM products WHERE supplier_id = " +
                                                             std::to_string(_supplier->id())))
            truth[std::stoll(*row[0])] = std::stoll(*row[1]);
        CPPUNIT_ASSERT(truth == mirror);
        _supplier->requireTrueTotals();
    }

    std::unique_ptr<SupplierClient> _supplier;
};

TEST(ConcurrencyTest, twoClientsThatPatchDifferentFieldsBothGetTheirWay) {
    const std::int64_t id = _supplier->create()["id"];
    const auto patch = [&](const std::function<json(int)>& change) {
        return std::thread([this, id, change] {
            HttpClient client = _supplier->anotherClient();
            for (int i = 1; i <= 500; ++i)
                client.post("/products/" + std::to_string(id), change(i));
        });
    };
    std::thread names = patch([](int i) { return json{{"name", "Name " + std::to_string(i)}}; });
    std::thread stocks = patch([](int i) { return json{{"stock_qty", i}}; });
    names.join();
    stocks.join();
    const json product = _supplier->read(id);
    CPPUNIT_ASSERT_EQUAL(json("Name 500"), product["name"]);
    CPPUNIT_ASSERT_EQUAL(json(500), product["stock_qty"]);
    CPPUNIT_ASSERT_EQUAL(json(1'001), product["version"]);
}

TEST(ConcurrencyTest, readerOfChangesBesideEightWritersSkipsNothing) {
    Writers writers(*_supplier, _supplier->fill(40));
    Stocks mirror;
    Stocks acknowledged;
    std::int64_t after = 0;
    bool more = true;
    while (writers.running() || more) {
        acknowledged = writers.acknowledged();
        const json data = _supplier->list("include_deleted=true&per_page=7&changed_after=" + std::to_string(after));
        take(mirror, data["products"]);
        after = data["pagination"]["last_change_seq"];
        more = data["pagination"]["has_more"];
        if (!more)
            requireNothingSkipped(acknowledged, mirror);
    }
    writers.finish();
    take(mirror,
         _supplier->list("include_deleted=true&per_page=100&changed_after=" + std::to_string(after))["products"]);
    requireSame(mirror);
}

TEST(ConcurrencyTest, walkBesideEightWritersSkipsNothing) {
    Writers writers(*_supplier, _supplier->fill(60));
    int walks = 0;
    for (const char* sort : {"stock_qty", "-stock_qty", "-id", "name", "updated_at", "-updated_at", "stock_qty"}) {
        const std::string query = std::string("per_page=9&sort=") + sort;
        Stocks mirror;
        Stocks acknowledged = writers.acknowledged();
        json data = _supplier->list(query);
        take(mirror, data["products"]);
        while (!data["pagination"]["next_cursor"].is_null()) {
            // What changes when the walk has come to the changes is left to the next one.
            if (!isInLateChanges(data))
                acknowledged = writers.acknowledged();
            data = _supplier->list(query + "&cursor=" + data["pagination"]["next_cursor"].get<std::string>());
            take(mirror, data["products"]);
        }
        // What was deleted since is in nobody's way: it is no longer among the acknowledged.
        const Stocks now = writers.acknowledged();
        std::erase_if(acknowledged, [&now](const auto& entry) { return !now.contains(entry.first); });
        requireNothingSkipped(acknowledged, mirror);
        ++walks;
    }
    writers.finish();
    CPPUNIT_ASSERT_EQUAL(7, walks);
    _supplier->requireTrueTotals();
}

TEST(ConcurrencyTest, walkBesideWritersWhoNeverRestEnds) {
    const std::vector<std::int64_t> ids = _supplier->fill(30);
    std::atomic<bool> done{false};
    std::atomic<int> writes{0};
    std::vector<std::thread> writers;
    for (int i = 0; i < 4; ++i)
        writers.emplace_back([&, i] {
            HttpClient client = _supplier->anotherClient();
            for (int stock = 0; !done; ++stock) {
                const auto id = ids[static_cast<std::size_t>(stock * 7 + i) % ids.size()];
                client.post("/products/" + std::to_string(id), {{"stock_qty", stock}});
                ++writes;
                if (i == 0 && stock % 10 == 0)
                    client.post("/products", _supplier->productBody());
            }
        });
    while (writes < 100)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::map<std::string, int> pages;
    std::set<std::int64_t> met;
    for (const std::string sort : {"stock_qty", "-updated_at", "-id"}) {
        json data = _supplier->list("per_page=2&sort=" + sort);
        for (;;) {
            ++pages[sort];
            for (const json& product : data["products"])
                met.insert(product["id"].get<std::int64_t>());
            const json& next = data["pagination"]["next_cursor"];
            if (next.is_null() || pages[sort] > 1'000)
                break;
            data = _supplier->list("per_page=2&sort=" + sort + "&cursor=" + next.get<std::string>());
        }
    }
    done = true;
    for (std::thread& writer : writers)
        writer.join();
    for (const auto& [sort, count] : pages)
        CPPUNIT_ASSERT_MESSAGE(sort + ": " + std::to_string(count) + " pages", count <= 1'000);
    for (const std::int64_t id : ids)
        CPPUNIT_ASSERT(met.contains(id));
}

TEST(ConcurrencyTest, oneLongChangeBesideAWriterIsFollowedWithoutALoss) {
    const std::vector<std::int64_t> ids = _supplier->fill(8'000);
    TestDatabase& database = fixture().database();
    database.exec("UPDATE products SET change_seq = (SELECT change_seq FROM supplier_state WHERE supplier_id = " +
                  std::to_string(_supplier->id()) + ") WHERE supplier_id = " + std::to_string(_supplier->id()));
    std::atomic<bool> done{false};
    std::thread writer([&] {
        HttpClient client = _supplier->anotherClient();
        std::mt19937 random(1);
        for (int stock = 1; !done; ++stock)
            client.post("/products/" + std::to_string(ids[random() % ids.size()]), {{"stock_qty", stock}});
    });
    const auto follow = [&](bool byCursor) {
        std::set<std::int64_t> met;
        std::set<std::pair<std::int64_t, std::int64_t>> versions;
        json data = _supplier->list("per_page=100&changed_after=0");
        for (;;) {
            CPPUNIT_ASSERT(data["products"].size() <= 100);
            for (const json& product : data["products"]) {
                const bool isNew = versions.emplace(product["id"], product["change_seq"]).second;
                CPPUNIT_ASSERT_MESSAGE("told twice: " + product.dump(), isNew || !byCursor);
                met.insert(product["id"].get<std::int64_t>());
            }
            const json& page = data["pagination"];
            // The writer goes on: all are met, and then some.
            if (!page["has_more"] || (met.size() == ids.size() && page["last_change_seq"] < (1LL << 52)))
                break;
            data = _supplier->list("per_page=100&" + (byCursor ? "cursor=" + page["next_cursor"].get<std::string>()
                                                               : "changed_after=" + page["last_change_seq"].dump()));
        }
        return met.size();
    };
    const std::size_t byCursor = follow(true);
    const std::size_t byNumbers = follow(false);
    done = true;
    writer.join();
    CPPUNIT_ASSERT_EQUAL(ids.size(), byCursor);
    CPPUNIT_ASSERT_EQUAL(ids.size(), byNumbers);
}

TEST(ConcurrencyTest, oneOfTwoRacingUpdatesWithIfMatchWins) {
    const std::int64_t id = _supplier->create()["id"];
    for (int version = 1; version <= 50; ++version) {
        std::atomic<int> won{0};
        std::atomic<int> lost{0};
        together(2, [&](int) {
            HttpClient client = _supplier->anotherClient();
            const int status = client
                                   .post("/products/" + std::to_string(id), {{"stock_qty", version}},
                                         {{"If-Match", "\"" + std::to_string(version) + "\""}})
                                   .status;
            won += status == 200 ? 1 : 0;
            lost += status == 412 ? 1 : 0;
        });
        CPPUNIT_ASSERT_EQUAL(1, won.load());
        CPPUNIT_ASSERT_EQUAL(1, lost.load());
    }
}

TEST(ConcurrencyTest, approvalsBesideUpdatesKeepTheTotals) {
    const std::vector<std::int64_t> ids = _supplier->fill(12);
    std::thread approvals([&ids] {
        for (const std::int64_t id : ids)
            fixture().server().approveProduct(id);
    });
    for (int i = 0; i < 300; ++i)
        _supplier->update(ids[static_cast<std::size_t>(i) % ids.size()], {{"is_active", i % 3 == 0}});
    approvals.join();
    _supplier->requireTrueTotals();
    CPPUNIT_ASSERT_EQUAL(json(0), _supplier->list("status=pending")["pagination"]["total_items"]);
}

} // namespace supplierd::tests
