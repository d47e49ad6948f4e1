#pragma once

#include "host/db/PooledSession.h"
#include "host/db/SessionSettings.h"
#include "host/db/nodes/DatabaseNodes.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace supplierd::host {

struct PoolSettings {
    std::size_t size = 16;
    /// How long acquire() waits for a session to become free.
    std::chrono::milliseconds waitDeadline{2'000};
    /// A session that lay idle for longer is asked whether it still lives before it is lent.
    std::chrono::milliseconds checkAfterIdle{5'000};
    /// A session older than this is closed when it comes back; 0 is no limit.
    std::chrono::milliseconds maxAge{std::chrono::minutes(30)};
};

struct PoolStats {
    std::size_t size = 0;
    std::size_t inUse = 0;
    std::size_t idle = 0;
    std::size_t waiting = 0;
    std::uint64_t opened = 0;   ///< sessions opened since the start
    std::uint64_t timeouts = 0; ///< acquire() calls that got no session in time
};

/// The sessions of the server: opened when needed, lent last-in first-out, never more than `size`. Thread: any. Each
/// notes its run of the database (noteDatabaseRun()) before it is lent for the first time.
/// Of a database with several nodes they go to the one that DatabaseNodes names; when that changes, the idle ones are
/// closed, those on loan when they come back, and whoever waits for a node that was lost is interrupted.
/// Lifetime: leases may outlive the pool; a session that comes back to a closed pool is closed.
class SessionPool {
    class Sessions;

public:
    /// A session on loan; gives it back when destroyed. Thread: one at a time.
    class Lease {
    public:
        Lease(Lease&& other) noexcept = default;
        Lease& operator=(Lease&& other) noexcept;
        ~Lease() { release(); }

        PooledSession* operator->() const { return _session.get(); }
        PooledSession& operator*() const { return *_session; }
        /// Gives the session back now: rolled back and tidied, or closed when it is broken.
        void release() noexcept;

    private:
        friend class SessionPool;
        Lease(std::shared_ptr<Sessions> from, std::unique_ptr<PooledSession> session);

        std::shared_ptr<Sessions> _from;
        std::unique_ptr<PooledSession> _session;
    };

    /// Connects to nothing yet. `nodes` may be null: openSession() chooses. `log` too; else it outlives the pool.
    SessionPool(SessionSettings session, PoolSettings pool, std::shared_ptr<DatabaseNodes> nodes = {},
                NodeRole role = NodeRole::Writer, Logger* log = nullptr);
    ~SessionPool();
    SessionPool(const SessionPool&) = delete;
    SessionPool& operator=(const SessionPool&) = delete;

    /// Throws ApiError (Unavailable, Retry-After) when no session becomes free in time or the pool is closed, and
    /// DatabaseError when a session cannot be opened.
    Lease acquire();
    /// The same, but with a session that was opened just now: for what must not meet another dead connection. Waits
    /// until it is known whether its node is to be left.
    Lease acquireFresh();

    /// Whether a session that cannot be opened may soon be opened to another node.
    bool hasSeveralNodes() const noexcept;
    PoolStats stats() const noexcept;
    /// Closes the sessions that lie idle, and so gives up the statements that they keep prepared.
    void closeIdle() noexcept;
    /// Closes what is idle and refuses further loans; sessions on loan work on until they come back.
    void close() noexcept;

private:
    std::shared_ptr<Sessions> _sessions;
};

} // namespace supplierd::host
