#include "host/http/pipeline/UnavailableLog.h"

#include <utility>

namespace supplierd::host {

void UnavailableLog::note(const std::string& reason, std::vector<LogField> where, Clock::time_point now) {
    std::uint64_t since = 0;
    {
        const std::lock_guard lock(_mutex);
        if (_told.size() >= REASONS && !_told.contains(reason))
            _told.clear();
        Told& told = _told[reason];
        if (now < told.nextAt) {
            ++told.since;
            return;
        }
        told.nextAt = now + PAUSE;
        since = std::exchange(told.since, 0);
    }
    if (since > 0)
        where.emplace_back("requests_since_last_told", since);
    _log.write(LogLevel::Warning, reason, where);
}

} // namespace supplierd::host
