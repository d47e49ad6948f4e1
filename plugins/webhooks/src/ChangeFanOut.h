#pragma once

#include "EndpointStore.h"

#include <supplierd/services/ChangeReaders.h>

#include <functional>

namespace supplierd::webhooks {

/// Makes deliveries of changes, in the transaction that moves the reader's place: each change is told once to each
/// endpoint that wants it, whatever happens. Thread: the reader's.
class ChangeFanOut {
public:
    /// `wake`: called when there may be something new to send; before it is committed.
    ChangeFanOut(EndpointStore& endpoints, const Settings& settings, std::function<void()> wake)
        : _endpoints(endpoints), _settings(settings), _wake(std::move(wake)) {}

    void work(Transaction& transaction, std::int64_t supplierId, const ChangePage& page);

private:
    EndpointStore& _endpoints;
    const Settings _settings;
    const std::function<void()> _wake;
};

} // namespace supplierd::webhooks
