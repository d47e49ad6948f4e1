#include "host/services/SharedCacheMemory.h"

#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <supplierd/BoundedCache.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;
using host::SharedCacheMemory;

namespace {

/// Pieces of ten bytes, the one used longest ago first.
struct Pieces final : CacheMemory::Cache {
    std::optional<CacheMemory::Clock::time_point> oldestUse() noexcept override {
        return uses.empty() ? std::nullopt : std::optional(uses.front());
    }
    std::ptrdiff_t release() noexcept override {
        uses.erase(uses.begin());
        return 10 - std::exchange(unreported, 0);
    }
    void add(CacheMemory& memory, std::chrono::seconds ago) {
        uses.push_back(CacheMemory::Clock::now() - ago);
        memory.changed(*this, 10);
    }

    std::vector<CacheMemory::Clock::time_point> uses;
    std::ptrdiff_t unreported = 0;
};

std::string textOf(const prometheus::Registry& registry) {
    std::string text;
    for (const auto& family : registry.Collect())
        for (const auto& metric : family.metric)
            text += family.name + (metric.label.empty() ? "" : " " + metric.label.at(0).value) + " " +
                    std::to_string(static_cast<int>(metric.gauge.value)) + "\n";
    return text;
}

} // namespace

class SharedCacheMemoryTest : public CppUnit::TestFixture {
protected:
    SharedCacheMemory _memory{100};
    Pieces _first;
    Pieces _second;
};

TEST(SharedCacheMemoryTest, whatWasUsedLongestAgoGoesOfWhicheverCache) {
    _memory.add(_first, "first", 1);
    _memory.add(_second, "second", 1);
    for (int i = 0; i < 5; ++i) {
        _first.add(_memory, std::chrono::seconds(60 - 10 * i));
        _second.add(_memory, std::chrono::seconds(55 - 10 * i));
    }
    CPPUNIT_ASSERT_EQUAL(std::size_t{10}, _first.uses.size() + _second.uses.size());
    _second.add(_memory, 0s);
    CPPUNIT_ASSERT_EQUAL(std::size_t{4}, _first.uses.size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{5}, _second.uses.size()); // a little more goes than must
}

TEST(SharedCacheMemoryTest, whatIsDearerStaysForLonger) {
    _memory.add(_first, "first", 1);
    _memory.add(_second, "second", 4);
    for (int i = 0; i < 5; ++i) {
        _first.add(_memory, 30s);
        _second.add(_memory, 90s);
    }
    _first.add(_memory, 0s);
    CPPUNIT_ASSERT_EQUAL(std::size_t{4}, _first.uses.size());
    CPPUNIT_ASSERT_EQUAL(std::size_t{5}, _second.uses.size());
}

TEST(SharedCacheMemoryTest, whatCannotGoStays) {
    _memory.add(_first, "first", 1);
    _memory.add(_second, "second", 1);
    _memory.changed(_first, 110); // of which nothing can go
    _second.add(_memory, 1s);
    CPPUNIT_ASSERT(_second.uses.empty());
    _memory.changed(_first, -110);
    _second.add(_memory, 1s);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _second.uses.size());
}

TEST(SharedCacheMemoryTest, whatACacheHasGrownByMeanwhileCounts) {
    const auto registry = std::make_shared<prometheus::Registry>();
    SharedCacheMemory memory(100, registry);
    memory.add(_first, "first", 1);
    for (int i = 0; i < 10; ++i)
        _first.add(memory, 1s);
    _first.unreported = 35;
    _first.add(memory, 0s); // 110 and 35, of which 10 go each time
    CPPUNIT_ASSERT_EQUAL(std::size_t{6}, _first.uses.size());
    CPPUNIT_ASSERT_EQUAL(std::string("supplierd_cache_bound_bytes 100\nsupplierd_cache_bytes first 95\n"),
                         textOf(*registry));
}

TEST(SharedCacheMemoryTest, aCacheThatIsGoneTakesNothing) {
    _memory.add(_second, "second", 1);
    {
        BoundedCache<int, std::string> other(_memory, "other", 1);
        other.keep(1, std::make_shared<std::string>(), 0, [](const std::string&) { return true; });
    }
    for (int i = 0; i < 10; ++i)
        _second.add(_memory, 0s);
    CPPUNIT_ASSERT_EQUAL(std::size_t{10}, _second.uses.size());
    CPPUNIT_ASSERT_THROW(_memory.add(_first, "first", 0), std::invalid_argument);
}

TEST(SharedCacheMemoryTest, whatEachCacheTakesIsInTheMetrics) {
    const auto registry = std::make_shared<prometheus::Registry>();
    SharedCacheMemory memory(100, registry);
    memory.add(_first, "first", 1);
    _first.add(memory, 0s);
    CPPUNIT_ASSERT_EQUAL(std::string("supplierd_cache_bound_bytes 100\nsupplierd_cache_bytes first 10\n"),
                         textOf(*registry));
}

TEST(SharedCacheMemoryTest, cachesOfManyThreadsStayWithinTheBound) {
    constexpr std::size_t BOUND = 200'000;
    constexpr std::size_t BYTES = 500;
    SharedCacheMemory memory(BOUND);
    BoundedCache<int, int> numbers(memory, "numbers", 1);
    BoundedCache<std::string, int> texts(memory, "texts", 2);
    together(4, [&](int thread) {
        for (int i = 0; i < 5'000; ++i) {
            const int key = i % 1'000 + thread;
            const auto always = [](int) { return true; };
            numbers.keep(key, std::make_shared<int>(key), BYTES, always);
            texts.keep(std::to_string(key), std::make_shared<int>(key), BYTES, always);
            if (const auto found = numbers.find(key / 2))
                CPPUNIT_ASSERT_EQUAL(key / 2, *found);
            if (i % 10 == 0)
                texts.remove(std::to_string(key));
        }
    });
    int kept = 0;
    for (int key = 0; key < 1'010; ++key)
        kept += (numbers.find(key) ? 1 : 0) + (texts.find(std::to_string(key)) ? 1 : 0);
    CPPUNIT_ASSERT(kept > 0 && static_cast<std::size_t>(kept) * BYTES <= BOUND);
}

} // namespace supplierd::tests
