#pragma once

#include "host/base/PeriodicThread.h"
#include "host/db/PooledSession.h"
#include "host/db/SessionSettings.h"

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace supplierd::host {

/// How long a change of the schema waits for another one.
inline constexpr std::chrono::seconds LEASE_PATIENCE{60};

/// The right to change the schema, held by one process at a time: a row that its holder renews from a thread and a
/// session of its own while it works. After a holder's death it falls free within its duration. (GET_LOCK would be
/// granted on two nodes of a cluster at once.)
class SchemaLease {
public:
    static constexpr std::chrono::seconds DURATION{15};

    /// Waits for another holder to finish or die, and tells `notice` (may be empty) whom it waits for. Throws
    /// MigrationError when that takes longer than `patience`, and DatabaseError.
    SchemaLease(const SessionSettings& settings, std::chrono::milliseconds patience,
                const std::function<void(const std::string&)>& notice = {}, std::chrono::seconds duration = DURATION);
    ~SchemaLease();
    SchemaLease(const SchemaLease&) = delete;
    SchemaLease& operator=(const SchemaLease&) = delete;

    /// Throws MigrationError when the lease may have passed to somebody else. One that ran out untaken is renewed.
    void requireHeld();
    /// What stands in the row while it is held, so that a write can depend on it.
    const std::string& owner() const { return _owner; }

private:
    using Clock = std::chrono::steady_clock;

    bool acquire();
    std::string holder();
    void keepRenewed();
    bool renew();
    void release() noexcept;

    SessionSettings _settings;
    std::chrono::seconds _duration;
    PooledSession _session;
    std::string _owner;
    std::mutex _mutex;
    Clock::time_point _heldUntil;
    std::optional<PeriodicThread> _renewal;
};

} // namespace supplierd::host
