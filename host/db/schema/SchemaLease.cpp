#include "host/db/schema/SchemaLease.h"

#include "host/db/Connector.h"
#include "host/db/schema/MigrationError.h"

#include <Poco/Environment.h>
#include <Poco/UUIDGenerator.h>

#include <unistd.h>

#include <string_view>

namespace supplierd::host {

namespace {

constexpr std::chrono::seconds RENEWAL_INTERVAL{4};
constexpr std::chrono::milliseconds WAIT_INTERVAL{250};

constexpr std::string_view CREATE_TABLE_SQL = R"sql(
CREATE TABLE IF NOT EXISTS schema_lease (
    id         TINYINT NOT NULL,
    owner      CHAR(36) NOT NULL,
    holder     VARCHAR(255) NOT NULL,
    expires_at DATETIME(6) NOT NULL,
    PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin
)sql";

constexpr std::string_view CREATE_ROW_SQL = R"sql(
INSERT IGNORE INTO schema_lease (id, owner, holder, expires_at) VALUES (1, '', '', '2000-01-01')
)sql";

constexpr std::string_view ACQUIRE_SQL = R"sql(
UPDATE schema_lease
SET owner = ?, holder = ?, expires_at = UTC_TIMESTAMP(6) + INTERVAL ? SECOND
WHERE id = 1 AND expires_at < UTC_TIMESTAMP(6)
)sql";

constexpr std::string_view RENEW_SQL = R"sql(
UPDATE schema_lease SET expires_at = UTC_TIMESTAMP(6) + INTERVAL ? SECOND WHERE id = 1 AND owner = ?
)sql";

constexpr std::string_view RELEASE_SQL = R"sql(
UPDATE schema_lease SET expires_at = '2000-01-01' WHERE id = 1 AND owner = ?
)sql";

constexpr std::string_view HOLDER_SQL = R"sql(
SELECT holder FROM schema_lease WHERE id = 1
)sql";

} // namespace

SchemaLease::SchemaLease(const SessionSettings& settings, std::chrono::milliseconds patience,
                         const std::function<void(const std::string&)>& notice, std::chrono::seconds duration)
    : _settings(settings),
      _duration(duration),
      _session(openSession(settings)),
      _owner(Poco::UUIDGenerator::defaultGenerator().createRandom().toString()) {
    _session.run(CREATE_TABLE_SQL);
    _session.execute(CREATE_ROW_SQL);
    const auto deadline = Clock::now() + patience;
    for (bool isTold = !notice; !acquire(); isTold = true) {
        if (Clock::now() >= deadline)
            throw MigrationError("the schema is being migrated by " + holder() + "; try again when that has finished");
        if (!isTold)
            notice("waiting for " + holder() + ", which migrates the schema, or was interrupted while it did");
        std::this_thread::sleep_for(WAIT_INTERVAL);
    }
    _renewal.emplace(RENEWAL_INTERVAL, [this] {
        keepRenewed();
        return RENEWAL_INTERVAL;
    });
}

SchemaLease::~SchemaLease() {
    _renewal.reset();
    release();
}

bool SchemaLease::acquire() {
    const auto before = Clock::now();
    const std::string name = Poco::Environment::nodeName() + ", process " + std::to_string(getpid());
    try {
        if (_session.execute(ACQUIRE_SQL, {_owner, name, _duration.count()}) == 0)
            return false;
    } catch (const DatabaseError& error) {
        if (!error.isRetryable())
            throw;
        return false; // somebody took it at the same moment on another node of the cluster
    }
    _heldUntil = before + _duration;
    return true;
}

std::string SchemaLease::holder() {
    Rows& rows = _session.query(HOLDER_SQL);
    return rows.next() ? std::string(rows.text(0)) : std::string("another process");
}

/// A process that stood still for longer than the lease still holds it unless another one took it meanwhile.
void SchemaLease::requireHeld() {
    const auto now = Clock::now();
    {
        std::lock_guard lock(_mutex);
        if (now < _heldUntil)
            return;
    }
    if (!renew())
        throw MigrationError::leaseLost();
    std::lock_guard lock(_mutex);
    _heldUntil = now + _duration;
}

void SchemaLease::keepRenewed() {
    const auto before = Clock::now();
    if (!renew())
        return;
    const std::lock_guard lock(_mutex);
    _heldUntil = before + _duration;
}

/// When it fails, the lease runs out and requireHeld() says so.
bool SchemaLease::renew() {
    try {
        PooledSession session(openSession(_settings));
        return session.execute(RENEW_SQL, {_duration.count(), _owner}) == 1;
    } catch (const DatabaseError&) {
        return false;
    }
}

void SchemaLease::release() noexcept {
    try {
        _session.execute(RELEASE_SQL, {_owner});
    } catch (const std::exception&) {
        // It runs out by itself.
    }
}

} // namespace supplierd::host
