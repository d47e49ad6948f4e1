#include "index/CatalogCache.h"

#include "index/MemoryCheck.h"
#include "index/OwnChanges.h"

#include <supplierd/Errors.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace supplierd::catalog {

namespace {

constexpr std::size_t LOADERS = 2;
/// A catalog that was too large is tried again after so long: products may have gone.
constexpr std::chrono::minutes TRY_AGAIN{10};

using Clock = std::chrono::steady_clock;

/// So long a list waits for changes that this server makes itself, when the database shows them already. As a rule
/// their COMMIT is about to be acknowledged.
constexpr std::chrono::milliseconds OWN_PATIENCE{100};

/// When loading has taken so much since the last time, what is free goes back to the system: the allocator keeps what
/// was freed between small things that stay. That takes milliseconds.
constexpr std::size_t MUCH = std::size_t{16} << 20;

void trimHeap() {
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

} // namespace

struct CatalogCache::Entry {
    enum class State { Absent, Loading, Loaded, TooLarge };

    explicit Entry(std::int64_t id) : supplierId(id) {}

    const std::int64_t supplierId;
    /// One at a time brings it up to date, the others wait and find it so.
    std::mutex refreshing;
    const std::shared_ptr<OwnChanges> own = std::make_shared<OwnChanges>();
    // Guarded by the cache's mutex.
    State state = State::Absent;
    std::shared_ptr<CatalogIndex> index;
    std::exception_ptr failure; ///< of the last loading, until the next one begins
    std::ptrdiff_t bytes = 0;
    /// What a product of it takes at least.
    std::size_t bytesEach = CatalogReader::BYTES_AT_LEAST;
    /// There was no room for it beside others that were being loaded: it is loaded when none is.
    bool isPostponed = false;
    Clock::time_point triedAt;
    Clock::time_point usedAt;
    /// The number that it is to be brought up to without being asked for; 0: none.
    std::int64_t wantedSeq = 0;
    Clock::time_point notRefreshedBefore;
    std::list<std::int64_t>::iterator use;
};

struct CatalogCache::CacheMetrics {
    explicit CacheMetrics(Metrics& metrics)
        : suppliers(metrics.gauge("index_suppliers", "Suppliers whose products are in memory")),
          bytes(
              metrics.gauge("index_bytes", "Memory that the products in memory take, and those that are being loaded")),
          tooLarge(metrics.gauge("index_too_large_suppliers", "Suppliers whose products alone take more than "
                                                              "memory has for them; their lists are slow")),
          loads(metrics.counter("index_loads_total", "Catalogs loaded into memory")),
          loadSeconds(metrics.histogram("index_load_seconds", "Time to load a catalog into memory",
                                        {0.001, 0.005, 0.02, 0.1, 0.5, 1, 3, 10, 30})),
          refreshes(metrics.counter("index_refreshes_total", "Times a catalog in memory was brought up to date")),
          refreshedRows(metrics.counter("index_refreshed_products_total", "Products read for that")),
          ownChanges(metrics.counter("index_own_changes_total",
                                     "Changes made by this server that its catalogs in memory took without reading")),
          refreshSeconds(metrics.histogram("index_refresh_seconds",
                                           "Time to bring a catalog in memory up to date, for which its lists wait",
                                           {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.2, 1})),
          evictions(metrics.counter("index_evictions_total", "Catalogs that left memory for what was used later")) {}

    Gauge& suppliers;
    Gauge& bytes;
    Gauge& tooLarge;
    Counter& loads;
    Histogram& loadSeconds;
    Counter& refreshes;
    Counter& refreshedRows;
    Counter& ownChanges;
    Histogram& refreshSeconds;
    Counter& evictions;
};

CatalogCache::CatalogCache(const Dependencies& dependencies)
    : _dependencies(dependencies),
      _reader(dependencies.changes),
      _largest(largestIndex(dependencies.memory.bound())),
      _beingLoadedAtMost(static_cast<std::ptrdiff_t>(dependencies.memory.bound() - dependencies.memory.bound() / 8)),
      _metrics(std::make_unique<CacheMetrics>(dependencies.metrics)) {
    _dependencies.memory.add(*this, "catalog: indexes", 1);
}

CatalogCache::~CatalogCache() {
    stop();
    _dependencies.memory.remove(*this);
}

void CatalogCache::stop() {
    {
        const std::lock_guard lock(_mutex);
        _isEnding = true;
    }
    _wanted.notify_all();
    _loaded.notify_all();
    _loaders.clear();
}

CatalogCache::Found CatalogCache::find(std::int64_t supplierId, std::int64_t changeSeq,
                                       std::chrono::milliseconds patience) {
    const auto deadline = Clock::now() + patience;
    while (true) {
        EntryPointer entry;
        {
            std::unique_lock lock(_mutex);
            entry = entryOf(supplierId);
            if (entry->state == Entry::State::TooLarge && Clock::now() - entry->triedAt > TRY_AGAIN)
                entry->state = Entry::State::Absent;
            if (entry->state == Entry::State::Absent)
                startLoading(entry);
            const bool isDone =
                _loaded.wait_until(lock, deadline, [&] { return entry->state != Entry::State::Loading || _isEnding; });
            if (entry->state == Entry::State::TooLarge)
                return {nullptr, Absence::TooLarge};
            if (!isDone || _isEnding)
                return {nullptr, Absence::Loading};
            if (entry->failure)
                std::rethrow_exception(entry->failure);
        }
        if (auto index = upToDate(entry, changeSeq))
            return {std::move(index)};
    }
}

std::shared_ptr<const CatalogIndex> CatalogCache::findCurrent(std::int64_t supplierId, std::int64_t changeSeq) {
    EntryPointer entry;
    std::shared_ptr<CatalogIndex> index;
    {
        const std::lock_guard lock(_mutex);
        entry = loadedEntry(supplierId);
        if (!entry)
            return nullptr;
        index = entry->index;
        entryOf(supplierId); // it is used
    }
    if (index->changeSeq() < changeSeq) // that waits for who changes the index, so without the lock
        tryApplyOwn(entry, index);
    if (index->changeSeq() >= changeSeq)
        return index;
    const std::lock_guard lock(_mutex);
    if (entry->wantedSeq == 0 && Clock::now() >= entry->notRefreshedBefore) {
        _outdated.push_back(entry);
        entry->wantedSeq = changeSeq;
        _wanted.notify_one();
    }
    return nullptr;
}

bool CatalogCache::withPinned(std::int64_t supplierId,
                              const std::function<bool(SqlSession&, const CatalogIndex&)>& use) {
    EntryPointer entry;
    std::shared_ptr<CatalogIndex> index;
    {
        const std::lock_guard lock(_mutex);
        entry = entryOf(supplierId);
        index = entry->index;
    }
    if (!index)
        return false;
    const std::lock_guard refreshing(entry->refreshing);
    bool isUpToDate = false;
    _dependencies.database.withSnapshot(
        [&](SqlSession& snapshot) { isUpToDate = refreshWithin(snapshot, *entry, *index) && use(snapshot, *index); });
    if (!isUpToDate)
        drop(entry, index);
    return isUpToDate;
}

void CatalogCache::note(SqlSession& session, Change& change, std::int64_t supplierId, std::string_view kind,
                        std::vector<ChangedNumbers> numbers) {
    std::vector<std::int64_t> ids;
    ids.reserve(numbers.size());
    for (const ChangedNumbers& product : numbers)
        ids.push_back(product.id);
    const EntryPointer entry = [&] {
        const std::lock_guard lock(_mutex);
        return loadedEntry(supplierId);
    }();
    const auto updatedAt =
        entry && !ids.empty() ? CatalogReader::updatedAt(session, supplierId, ids.front()) : std::nullopt;
    if (!updatedAt) {
        change.note(kind, ids);
        return;
    }
    const std::int64_t seq = change.seq();
    const auto announced =
        std::make_shared<OwnChanges::Announced>(entry->own, seq, NumbersChange{*updatedAt, std::move(numbers)});
    change.note(kind, ids, [this, entry, announced, seq](bool isOnly) {
        announced->commit(isOnly);
        if (const auto index = indexOf(*entry)) {
            tryApplyOwn(entry, index);
            entry->own->forgetUnlessAll(index->changeSeq() + 1, seq);
        }
    });
}

/// With the cache's mutex, as are the functions below that have no lock of their own.
CatalogCache::EntryPointer CatalogCache::entryOf(std::int64_t supplierId) {
    const auto [place, isNew] = _entries.try_emplace(supplierId);
    if (isNew) {
        place->second = std::make_shared<Entry>(supplierId);
        _byUse.push_front(supplierId);
        place->second->use = _byUse.begin();
    } else {
        _byUse.splice(_byUse.begin(), _byUse, place->second->use);
    }
    place->second->usedAt = Clock::now();
    return place->second;
}

CatalogCache::EntryPointer CatalogCache::loadedEntry(std::int64_t supplierId) const {
    const auto found = _entries.find(supplierId);
    return found == _entries.end() || found->second->state != Entry::State::Loaded ? nullptr : found->second;
}

void CatalogCache::startLoading(const EntryPointer& entry) {
    entry->state = Entry::State::Loading;
    entry->failure = nullptr;
    entry->isPostponed = false;
    _queue.push_back(entry);
    while (_loaders.size() < LOADERS) // not before anybody wants a list: supplierctl starts the plugin, too
        _loaders.emplace_back([this] { loadThread(); });
    _wanted.notify_one();
}

void CatalogCache::loadThread() {
    std::unique_lock lock(_mutex);
    while (true) {
        const auto canLoad = [this] { return !_queue.empty() && (!_queue.front()->isPostponed || _underWay.empty()); };
        // By one thread at a time, so that another one always loads.
        const auto canRefresh = [this] { return !_outdated.empty() && !_isRefreshing; };
        _wanted.wait(lock, [&] { return _isEnding || canRefresh() || canLoad(); });
        if (_isEnding)
            return;
        if (canRefresh()) {
            const EntryPointer entry = _outdated.front();
            _outdated.pop_front();
            _isRefreshing = true;
            const std::int64_t wantedSeq = entry->wantedSeq;
            lock.unlock();
            refreshUnasked(entry, wantedSeq);
            lock.lock();
            _isRefreshing = false;
            continue;
        }
        const EntryPointer entry = _queue.front();
        _queue.pop_front();
        entry->isPostponed = false;
        _underWay.push_back(entry);
        lock.unlock();
        load(entry);
        lock.lock();
    }
}

void CatalogCache::load(const EntryPointer& entry) {
    const auto began = Clock::now();
    std::shared_ptr<CatalogIndex> index;
    std::exception_ptr failure;
    try {
        _dependencies.database.withSnapshot([&](SqlSession& snapshot) {
            index.reset();
            index = _reader.load(snapshot, entry->supplierId, entry->bytesEach,
                                 [&](const CatalogReader::MemoryUse& taken) { return take(*entry, taken); });
        });
    } catch (...) {
        failure = std::current_exception(); // those who wait for it get it
    }
    if (index) {
        _metrics->loads.add();
        _metrics->loadSeconds.observe(std::chrono::duration<double>(Clock::now() - began).count());
    }
    endLoading(entry, index, failure);
}

void CatalogCache::refreshUnasked(const EntryPointer& entry, std::int64_t changeSeq) {
    constexpr int PART_OF_TIME = 10;
    constexpr Clock::duration LONGEST_PAUSE = std::chrono::seconds(1);
    const auto began = Clock::now();
    try {
        upToDate(entry, changeSeq);
    } catch (const std::exception&) {
        // Whoever needs it asks again, and hears of it.
    }
    const std::lock_guard lock(_mutex);
    entry->wantedSeq = 0;
    const auto now = Clock::now();
    entry->notRefreshedBefore = now + std::min(LONGEST_PAUSE, PART_OF_TIME * (now - began));
}

bool CatalogCache::take(Entry& entry, const CatalogReader::MemoryUse& taken) {
    {
        const std::lock_guard lock(_mutex);
        if (_isEnding)
            return false;
        if (taken.index > _largest) { // others stay, and the next time it is known before
            if (taken.products > 0)
                entry.bytesEach = std::max(entry.bytesEach, taken.index / taken.products * 9 / 10);
            return false;
        }
        setBytes(entry, taken.index + taken.besides);
        // What else is being loaded cannot be released: where there is no room for both, the one that began first goes
        // on, and all other caches keep theirs.
        std::ptrdiff_t beingLoaded = 0;
        for (const EntryPointer& other : _underWay)
            beingLoaded += other->bytes;
        entry.isPostponed = beingLoaded > _beingLoadedAtMost && _underWay.front().get() != &entry;
        if (entry.isPostponed)
            setBytes(entry, 0);
    }
    tellMemory();
    const std::lock_guard lock(_mutex);
    return !entry.isPostponed;
}

void CatalogCache::endLoading(const EntryPointer& entry, const std::shared_ptr<CatalogIndex>& index,
                              const std::exception_ptr& failure) {
    bool isTooLarge = false;
    bool isMuch = false;
    {
        const std::lock_guard lock(_mutex);
        std::erase(_underWay, entry);
        _untrimmed += static_cast<std::size_t>(entry->bytes);
        isMuch = _untrimmed >= MUCH;
        if (isMuch)
            _untrimmed = 0;
        setBytes(*entry, 0);
        entry->failure = failure;
        entry->index = index;
        entry->triedAt = Clock::now();
        isTooLarge = !index && !failure && !entry->isPostponed && !_isEnding;
        if (!failure && entry->isPostponed)
            _queue.push_front(entry);
        else
            entry->state = index ? Entry::State::Loaded : isTooLarge ? Entry::State::TooLarge : Entry::State::Absent;
        if (index) {
            entryOf(entry->supplierId); // as old as it is now, not as whoever asked first
            account(*entry, index->bytes());
        }
        show();
    }
    _loaded.notify_all();
    _wanted.notify_all();
    tellMemory();
    if (isTooLarge)
        warnOfTooLarge(*entry);
    if (isMuch)
        trimHeap();
}

std::shared_ptr<CatalogIndex> CatalogCache::upToDate(const EntryPointer& entry, std::int64_t changeSeq) {
    std::shared_ptr<CatalogIndex> index;
    std::ptrdiff_t accounted = 0;
    {
        const std::lock_guard lock(_mutex);
        index = entry->index;
        accounted = entry->bytes;
    }
    if (!index || (index->changeSeq() < changeSeq && !refresh(entry, index, changeSeq)))
        return nullptr;
    // It has grown by what was changed, or by a list that was asked for before.
    if (const std::size_t bytes = index->bytes(); static_cast<std::ptrdiff_t>(bytes) != accounted) {
        if (bytes > _largest)
            warnOfTooLarge(*entry);
        {
            const std::lock_guard lock(_mutex);
            if (entry->index == index)
                account(*entry, bytes);
        }
        tellMemory();
    }
    return index;
}

std::shared_ptr<CatalogIndex> CatalogCache::indexOf(const Entry& entry) const {
    const std::lock_guard lock(_mutex);
    return entry.index;
}

/// With `refreshing` of the entry: as far as nothing is missing. False when the index is another one by now.
bool CatalogCache::applyOwn(const EntryPointer& entry, const std::shared_ptr<CatalogIndex>& index, bool mayWait) {
    if (indexOf(*entry) != index)
        return false;
    try {
        std::int64_t seq = index->changeSeq() + 1;
        for (auto change = entry->own->find(seq); change; change = entry->own->find(++seq)) {
            const auto applied = index->apply(*change, seq, mayWait);
            if (applied == CatalogIndex::Applied::Busy)
                break;
            entry->own->forgetUpTo(seq); // one that is impossible is read
            if (applied == CatalogIndex::Applied::Impossible)
                break;
            _metrics->ownChanges.add();
        }
        entry->own->forgetUpTo(seq - 1);
    } catch (const std::exception&) {
        drop(entry, index); // half changed
        return false;
    }
    return true;
}

/// Whoever changes or reads the index now does not let it wait; whoever needs it next does it otherwise.
void CatalogCache::tryApplyOwn(const EntryPointer& entry, const std::shared_ptr<CatalogIndex>& index) {
    if (const std::unique_lock refreshing(entry->refreshing, std::try_to_lock); refreshing)
        applyOwn(entry, index, false);
}

/// False when it has to be loaded again.
bool CatalogCache::refresh(const EntryPointer& entry, const std::shared_ptr<CatalogIndex>& index,
                           std::int64_t changeSeq) {
    std::unique_lock refreshing(entry->refreshing);
    for (const auto deadline = Clock::now() + OWN_PATIENCE;;) {
        if (!applyOwn(entry, index, true))
            return false;
        const std::int64_t next = index->changeSeq() + 1;
        if (next > changeSeq)
            return true;
        if (!entry->own->haveAll(next, changeSeq) || Clock::now() >= deadline)
            break;
        refreshing.unlock();
        entry->own->wait(next, deadline);
        refreshing.lock();
    }
    bool isUpToDate = false;
    _dependencies.database.withSnapshot(
        [&](SqlSession& snapshot) { isUpToDate = refreshWithin(snapshot, *entry, *index).has_value(); });
    if (!isUpToDate)
        drop(entry, index);
    return isUpToDate;
}

void CatalogCache::warnOfTooLarge(const Entry& entry) {
    _dependencies.log.warning(
        "the products of a supplier take more memory than one supplier's may: its lists are answered by the database, "
        "rightly but slowly; raise `memory` in [server]",
        {{"supplier_id", std::to_string(entry.supplierId)}, {"bytes_at_most", std::to_string(_largest)}});
}

std::optional<std::size_t> CatalogCache::refreshWithin(SqlSession& snapshot, Entry& entry, CatalogIndex& index) {
    const auto began = Clock::now();
    std::optional<std::size_t> read;
    try {
        read = _reader.refresh(snapshot, entry.supplierId, index);
    } catch (const std::logic_error&) {
        return std::nullopt; // the log speaks of a product that never came: what is in memory cannot be trusted
    }
    if (read) {
        _metrics->refreshes.add();
        _metrics->refreshSeconds.observe(std::chrono::duration<double>(Clock::now() - began).count());
        _metrics->refreshedRows.add(static_cast<double>(*read));
    }
    return read;
}

void CatalogCache::drop(const EntryPointer& entry, const std::shared_ptr<CatalogIndex>& index) {
    {
        const std::lock_guard lock(_mutex);
        if (entry->index != index)
            return; // somebody else has dropped it, and it may be there again
        entry->state = Entry::State::Absent;
        entry->index.reset();
        entry->own->clear();
        setBytes(*entry, 0);
        show();
    }
    tellMemory();
}

void CatalogCache::setBytes(Entry& entry, std::size_t bytes) {
    const auto now = static_cast<std::ptrdiff_t>(bytes);
    _bytes += now - std::exchange(entry.bytes, now);
    _metrics->bytes.set(static_cast<double>(_bytes));
}

/// One that has outgrown the memory goes, whoever holds it still uses it to the end of his request.
void CatalogCache::account(Entry& entry, std::size_t bytes) {
    setBytes(entry, bytes);
    if (bytes <= _largest)
        return;
    entry.state = Entry::State::TooLarge;
    entry.triedAt = Clock::now();
    entry.index.reset();
    entry.own->clear();
    setBytes(entry, 0);
    show();
}

/// Without the cache's mutex.
void CatalogCache::tellMemory() {
    std::ptrdiff_t more = 0;
    {
        const std::lock_guard lock(_mutex);
        more = _bytes - std::exchange(_told, _bytes);
    }
    if (more != 0)
        _dependencies.memory.changed(*this, more);
}

CatalogCache::EntryPointer CatalogCache::oldestLoaded() const {
    for (auto last = _byUse.rbegin(); last != _byUse.rend(); ++last)
        if (EntryPointer entry = loadedEntry(*last))
            return entry;
    return nullptr;
}

std::optional<CacheMemory::Clock::time_point> CatalogCache::oldestUse() noexcept {
    const std::lock_guard lock(_mutex);
    const EntryPointer entry = oldestLoaded();
    return entry ? std::optional(entry->usedAt) : std::nullopt;
}

std::ptrdiff_t CatalogCache::release() noexcept {
    std::shared_ptr<CatalogIndex> index; // it goes without the lock
    const std::lock_guard lock(_mutex);
    if (const EntryPointer entry = oldestLoaded()) {
        index = std::move(entry->index);
        entry->state = Entry::State::Absent;
        setBytes(*entry, 0);
        _byUse.erase(entry->use);
        _entries.erase(entry->supplierId);
        _metrics->evictions.add();
        _metrics->suppliers.add(-1);
    }
    return std::exchange(_told, _bytes) - _bytes;
}

void CatalogCache::show() {
    const auto count = [this](Entry::State state) {
        return static_cast<double>(std::count_if(_entries.begin(), _entries.end(),
                                                 [&](const auto& entry) { return entry.second->state == state; }));
    };
    _metrics->suppliers.set(count(Entry::State::Loaded));
    _metrics->tooLarge.set(count(Entry::State::TooLarge));
    _metrics->bytes.set(static_cast<double>(_bytes));
}

} // namespace supplierd::catalog
