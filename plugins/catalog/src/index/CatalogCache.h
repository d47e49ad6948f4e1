#pragma once

#include "index/CatalogReader.h"

#include <supplierd/Database.h>
#include <supplierd/Log.h>
#include <supplierd/Metrics.h>
#include <supplierd/services/CacheMemory.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

namespace supplierd::catalog {

/// The indexes of suppliers whose lists were asked for, within the memory of all caches. An index is loaded once for
/// all who wait for it, by threads of its own, and brought up to date by the first request that needs it so. What
/// loading takes is within the bound, too: of two that do not fit beside each other, the one that began later starts
/// again when the other one is done. Thread: any. Errors: DatabaseError; ApiError (Unavailable) when loading takes
/// longer than a request may wait.
class CatalogCache final : CacheMemory::Cache {
public:
    struct Dependencies {
        Database& database;
        ChangeLog& changes;
        CacheMemory& memory;
        Logger& log;
        Metrics& metrics;
    };

    explicit CatalogCache(const Dependencies& dependencies);
    ~CatalogCache();
    CatalogCache(const CatalogCache&) = delete;
    CatalogCache& operator=(const CatalogCache&) = delete;

    enum class Absence { Loading, TooLarge };
    struct Found {
        /// Null: `absence` says why.
        std::shared_ptr<const CatalogIndex> index;
        Absence absence = Absence::Loading;
    };
    /// The supplier's index as of `changeSeq` or later, waiting so long while it is loaded.
    Found find(std::int64_t supplierId, std::int64_t changeSeq, std::chrono::milliseconds patience);

    /// The supplier's index, if it is in memory and as of `changeSeq` or later. Waits for nothing: one that is older is
    /// brought up to date by a thread of the cache's, for a tenth of the time at most, and null is returned.
    std::shared_ptr<const CatalogIndex> findCurrent(std::int64_t supplierId, std::int64_t changeSeq);

    /// Calls use(snapshot, index) while the index shows just what the snapshot does, and goes on doing so. For who
    /// cannot have it otherwise: nobody else can bring this index up to date meanwhile. False when there is no index,
    /// and when use() says that the index is not what the snapshot is: then it is loaded again.
    bool withPinned(std::int64_t supplierId,
                    const std::function<bool(SqlSession& snapshot, const CatalogIndex& index)>& use);

    /// Notes of a change that one statement has set numbers of products as `numbers` says, in the order of their ids.
    /// Once the transaction is committed, the index has it, and need not read it. Reads when they were changed.
    void note(SqlSession& session, Change& change, std::int64_t supplierId, std::string_view kind,
              std::vector<ChangedNumbers> numbers);

    /// Waits for what is being loaded, and loads no more.
    void stop();

private:
    struct Entry;
    using EntryPointer = std::shared_ptr<Entry>;
    struct CacheMetrics;

    EntryPointer entryOf(std::int64_t supplierId);
    /// Null: its index is not there.
    EntryPointer loadedEntry(std::int64_t supplierId) const;
    std::shared_ptr<CatalogIndex> indexOf(const Entry& entry) const;
    void startLoading(const EntryPointer& entry);
    void loadThread();
    void load(const EntryPointer& entry);
    void refreshUnasked(const EntryPointer& entry, std::int64_t changeSeq);
    /// Accounts for what the loading of an entry has taken so far. False: it has to stop.
    bool take(Entry& entry, const CatalogReader::MemoryUse& taken);
    void endLoading(const EntryPointer& entry, const std::shared_ptr<CatalogIndex>& index,
                    const std::exception_ptr& failure);
    /// The entry's index, not older than `changeSeq`; null when it has to be loaded again.
    std::shared_ptr<CatalogIndex> upToDate(const EntryPointer& entry, std::int64_t changeSeq);
    /// Nothing when it has to be loaded again.
    std::optional<std::size_t> refreshWithin(SqlSession& snapshot, Entry& entry, CatalogIndex& index);
    bool applyOwn(const EntryPointer& entry, const std::shared_ptr<CatalogIndex>& index, bool mayWait);
    void tryApplyOwn(const EntryPointer& entry, const std::shared_ptr<CatalogIndex>& index);
    bool refresh(const EntryPointer& entry, const std::shared_ptr<CatalogIndex>& index, std::int64_t changeSeq);
    void warnOfTooLarge(const Entry& entry);
    void drop(const EntryPointer& entry, const std::shared_ptr<CatalogIndex>& index);
    void setBytes(Entry& entry, std::size_t bytes);
    void account(Entry& entry, std::size_t bytes);
    void tellMemory();
    EntryPointer oldestLoaded() const;
    std::optional<CacheMemory::Clock::time_point> oldestUse() noexcept override;
    std::ptrdiff_t release() noexcept override;
    void show();

    Dependencies _dependencies;
    CatalogReader _reader;
    const std::size_t _largest; ///< that an index may be
    const std::ptrdiff_t _beingLoadedAtMost;
    std::unique_ptr<CacheMetrics> _metrics;

    mutable std::mutex _mutex;
    std::condition_variable _wanted; ///< something is to be loaded, or it ends
    std::condition_variable _loaded;
    std::unordered_map<std::int64_t, EntryPointer> _entries;
    std::list<std::int64_t> _byUse; ///< the one used last in front
    std::deque<EntryPointer> _queue;
    std::deque<EntryPointer> _outdated; ///< nobody waits for these
    bool _isRefreshing = false;         ///< one of these
    std::deque<EntryPointer> _underWay; ///< in the order in which their loading began
    std::ptrdiff_t _bytes = 0;          ///< of those that are loaded, and of what is being loaded
    std::ptrdiff_t _told = 0;           ///< the memory of all caches
    std::size_t _untrimmed = 0;
    bool _isEnding = false;
    std::vector<std::jthread> _loaders;
};

} // namespace supplierd::catalog
