#pragma once

#include "EndpointStore.h"

#include <supplierd/services/ChangeReaders.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

namespace supplierd::webhooks {

/// Makes deliveries of changes, in the transaction that moves the reader's place: each change is told once to each
/// endpoint that wants it, whatever happens. Thread: the reader's.
class ChangeFanOut {
public:
    /// Entries of the change log that are made into deliveries at once: with 50 endpoints 400 rows.
    static constexpr std::size_t AT_ONCE = 8;

    /// `wake`: called when there may be something new to send; before it is committed.
    ChangeFanOut(EndpointStore& endpoints, const Settings& settings, std::function<void()> wake)
        : _endpoints(endpoints), _settings(settings), _wake(std::move(wake)) {}

    void work(Transaction& transaction, std::int64_t supplierId, const ChangePage& page);

private:
    using Clock = std::chrono::steady_clock;

    /// Until so many deliveries can have been sent, more or less. `waiting`: that are there already.
    void keepPace(std::int64_t supplierId, std::size_t count, std::int64_t waiting);
    bool isAhead(std::int64_t supplierId);

    EndpointStore& _endpoints;
    const Settings _settings;
    const std::function<void()> _wake;
    std::map<std::int64_t, Clock::time_point> _nextWork; ///< by supplier, where that is still to come
};

} // namespace supplierd::webhooks
