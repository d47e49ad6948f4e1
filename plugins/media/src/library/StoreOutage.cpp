#include "library/StoreOutage.h"

#include <string>
#include <utility>

namespace supplierd::media {

void StoreOutage::failed(Use use, const MediaStoreError& failure, Clock::time_point now) {
    _metrics.storeFailed();
    State& state = _states.at(static_cast<std::size_t>(use));
    const std::lock_guard lock(_mutex);
    state.lastFailure = now;
    ++state.failures;
    const bool isOther = std::exchange(state.kind, failure.kind()) != failure.kind();
    if (!state.isOn.exchange(true) || isOther)
        _log.error(use == Use::Reading ? "images cannot be read; requests for them are 503 until they can"
                                       : "images cannot be stored; requests with new ones are 503 until they can",
                   {{"reason", std::string(failure.what())}});
}

void StoreOutage::worked(Use use, Clock::time_point now) {
    State& state = _states.at(static_cast<std::size_t>(use));
    if (!state.isOn)
        return;
    const std::lock_guard lock(_mutex);
    if (now < state.lastFailure + QUIET || !state.isOn.exchange(false))
        return;
    _log.information(use == Use::Reading ? "images can be read again" : "images can be stored again",
                     {{"failures", state.failures}});
    state.failures = 0;
}

} // namespace supplierd::media
