#include "host/services/SharedCacheMemory.h"

#include <prometheus/gauge.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

namespace supplierd::host {

namespace {

/// Of the bound: so much is released beyond what is too much, so that it is not done for each value.
constexpr std::ptrdiff_t SPARE_PART = 64;
constexpr int MOST_FAILURES = 3;
constexpr std::ptrdiff_t UNTRIMMED_AT_MOST = std::ptrdiff_t{16} << 20;
constexpr std::chrono::seconds TRIM_INTERVAL{10};

} // namespace

SharedCacheMemory::SharedCacheMemory(std::size_t bound, const std::shared_ptr<prometheus::Registry>& registry)
    : _bound(bound) {
    if (!registry)
        return;
    prometheus::BuildGauge()
        .Name("supplierd_cache_bound_bytes")
        .Help("Memory that all caches may take together: `memory` in [server]")
        .Register(*registry)
        .Add({})
        .Set(static_cast<double>(bound));
    _gauges = &prometheus::BuildGauge()
                   .Name("supplierd_cache_bytes")
                   .Help("Memory that a cache takes, of supplierd_cache_bound_bytes")
                   .Register(*registry);
}

void SharedCacheMemory::add(Cache& cache, std::string_view name, double worth) {
    if (!(worth > 0))
        throw std::invalid_argument("the worth of a cache is above 0");
    const std::lock_guard releasing(_releasing);
    const std::lock_guard lock(_mutex);
    auto* const gauge = _gauges ? &_gauges->Add({{"cache", std::string(name)}}) : nullptr;
    _accounts.push_back({&cache, worth, 0, gauge});
}

void SharedCacheMemory::remove(Cache& cache) noexcept {
    const std::lock_guard releasing(_releasing);
    const std::lock_guard lock(_mutex);
    const auto found = std::ranges::find(_accounts, &cache, &Account::cache);
    if (found == _accounts.end())
        return;
    count(cache, -found->bytes);
    _accounts.erase(found);
}

void SharedCacheMemory::changed(Cache& cache, std::ptrdiff_t bytes) {
    const auto bound = static_cast<std::ptrdiff_t>(_bound);
    {
        const std::lock_guard lock(_mutex);
        count(cache, bytes);
        if (_total <= bound)
            return;
    }
    const std::lock_guard releasing(_releasing);
    if (total() > bound)
        releaseDownTo(bound - bound / SPARE_PART);
}

void SharedCacheMemory::count(Cache& cache, std::ptrdiff_t bytes) {
    const auto account = std::ranges::find(_accounts, &cache, &Account::cache);
    if (account == _accounts.end())
        return;
    account->bytes += bytes;
    _total += bytes;
    if (account->gauge)
        account->gauge->Set(static_cast<double>(account->bytes));
}

std::ptrdiff_t SharedCacheMemory::total() const {
    const std::lock_guard lock(_mutex);
    return _total;
}

void SharedCacheMemory::releaseDownTo(std::ptrdiff_t bytes) {
    const std::ptrdiff_t before = total();
    int failures = 0; // what was the oldest may have been used meanwhile
    while (total() > bytes && failures < MOST_FAILURES) {
        Cache* const cache = nextToRelease();
        if (!cache)
            break; // what is left cannot go
        const std::ptrdiff_t released = cache->release();
        failures = released > 0 ? 0 : failures + 1;
        const std::lock_guard lock(_mutex);
        count(*cache, -released);
    }
    trim(before - total());
}

/// What is free lies between what stays, and in arenas of threads that may not need it: it goes back to the system now
/// and then, which takes milliseconds.
void SharedCacheMemory::trim(std::ptrdiff_t released) {
    _untrimmed += released;
    const auto now = Clock::now();
    if (_untrimmed < UNTRIMMED_AT_MOST || now < _trimmedAt + TRIM_INTERVAL)
        return;
    _untrimmed = 0;
    _trimmedAt = now;
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

/// The list of caches does not change while `_releasing` is held.
CacheMemory::Cache* SharedCacheMemory::nextToRelease() const {
    const auto now = Clock::now();
    Cache* next = nullptr;
    double greatestAge = 0;
    for (const Account& account : _accounts) {
        const auto oldest = account.cache->oldestUse();
        if (!oldest)
            continue;
        const double age = std::chrono::duration<double>(now - *oldest).count() / account.worth;
        if (next && age <= greatestAge)
            continue;
        next = account.cache;
        greatestAge = age;
    }
    return next;
}

} // namespace supplierd::host
