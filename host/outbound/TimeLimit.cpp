#include "host/outbound/TimeLimit.h"

#include <supplierd/StopSignal.h>
#include <supplierd/services/HttpClient.h>

#include <Poco/Exception.h>

#include <algorithm>
#include <cerrno>

namespace supplierd::host {

using std::chrono::milliseconds;

TimeLimit TimeLimit::atMost(milliseconds duration) const {
    return TimeLimit(std::min(_end, Clock::now() + duration), _stop);
}

milliseconds TimeLimit::left() const {
    return std::max(std::chrono::ceil<milliseconds>(_end - Clock::now()), milliseconds(0));
}

void TimeLimit::check() const {
    if (_stop != nullptr && _stop->isRaised())
        throw HttpError(HttpErrorCode::Stopped, "the request was stopped");
    if (Clock::now() >= _end)
        throw HttpError(HttpErrorCode::Timeout, "the request took too long");
}

int TimeLimit::stopDescriptor() const {
    return _stop != nullptr ? _stop->descriptor() : -1;
}

void TimeLimit::wait(std::vector<pollfd>& descriptors, milliseconds atMost) const {
    check();
    const bool hasStop = _stop != nullptr;
    if (hasStop)
        descriptors.push_back({_stop->descriptor(), POLLIN, 0});
    const auto timeout = static_cast<int>(std::min(atMost, left()).count());
    const int result = ::poll(descriptors.data(), descriptors.size(), timeout);
    const int error = errno;
    if (hasStop)
        descriptors.pop_back();
    if (result < 0 && error != EINTR)
        throw Poco::SystemException("poll failed", error);
    if (result < 0)
        for (auto& descriptor : descriptors)
            descriptor.revents = 0;
    check();
}

} // namespace supplierd::host
