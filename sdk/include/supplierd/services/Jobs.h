#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>

namespace supplierd {

/// Thrown by a job that ends before its work is done because it was asked to. It then runs again soon, here or on
/// another server, and does not count as failed. Since 1.0.
class SUPPLIERD_API JobStopped : public std::runtime_error {
public:
    JobStopped() : std::runtime_error("the job was stopped before it was done") {}

private:
    Reserved _reserved;
};

/// One run of a job. Thread: the run's. Lifetime: until the work returns. Since 1.0.
class SUPPLIERD_API JobRun {
public:
    /// Stop is requested when the server drains, and when this server has lost the job to another one. Look at it
    /// between two pieces of work; the server waits for the job until `server.shutdown_deadline`.
    virtual std::stop_token stopToken() const = 0;
    /// Database::withTransaction() that commits only while the job is this run's: should another server have taken the
    /// job over (this one was silent for longer than its lease), it throws JobStopped and changes nothing.
    virtual void withTransaction(const std::function<void(Transaction&)>& work) = 0;
    /// What came of it, for `supplierctl job list`: "removed 12 notes". The last one counts; at most 500 bytes are
    /// kept.
    virtual void report(std::string_view message) = 0;

    /// Throws JobStopped once stop is requested.
    void throwIfStopped() const {
        if (stopToken().stop_requested())
            throw JobStopped();
    }
    /// Runs `work`, which says how much it did, in one transaction after the other until it says 0. All that was done.
    /// Throws JobStopped between two of them once stop is requested.
    std::int64_t inPieces(const std::function<std::int64_t(Transaction&)>& work) {
        std::int64_t all = 0;
        for (std::int64_t done = 1; done != 0; all += done) {
            throwIfStopped();
            withTransaction([&](Transaction& transaction) { done = work(transaction); });
        }
        return all;
    }

protected:
    ~JobRun() = default;
};

/// Work in the background. However many servers share the database, one of them at a time runs it.
struct SUPPLIERD_API Job {
    /// 1 to 64 of a-z, 0-9 and -, unique within the plugin: "purge".
    std::string name;
    /// From the end of one run to the beginning of the next; the first run comes at once. 0: only when it is woken.
    std::chrono::milliseconds every{0};
    /// On a thread of its own. What it throws is logged and kept for `supplierctl job list`; it is tried again after a
    /// pause that grows from a second to an hour, but never beyond `every`.
    std::function<void(JobRun&)> work;
    Reserved reserved = {};
};

/// A service of the host: each plugin sees its own jobs. Thread: any. Since 1.0.
class SUPPLIERD_API Jobs {
public:
    static constexpr std::string_view ID = "supplierd.jobs/1";

    /// Call in start(); jobs begin once the server serves. Throws std::logic_error for a name that is none or taken,
    /// and for a job without work. `supplierctl` starts plugins too: no job runs there.
    virtual void add(Job job) = 0;
    /// Has the job run now, or once more after the run that is under way. In a transaction: once it is committed (at
    /// once where this server runs it, up to two seconds later where another one does). False when the database has no
    /// such job of the plugin. Throws DatabaseError.
    virtual bool wake(SqlSession& session, std::string_view name) = 0;

protected:
    ~Jobs() = default;
};

} // namespace supplierd
