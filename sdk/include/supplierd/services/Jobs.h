#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/Errors.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Request.h>
#include <supplierd/StopSignal.h>
#include <supplierd/services/AuditLog.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace supplierd {

/// Thrown by a job that ends before its work is done because it was asked to. It then runs again soon, here or on
/// another server, unless an operator stopped it, and does not count as failed. Since 1.0.
class SUPPLIERD_API JobStopped : public std::runtime_error {
public:
    JobStopped() : std::runtime_error("the job was stopped before it was done") {}

private:
    Reserved _reserved;
};

/// One run of a job. Thread: the run's. Lifetime: until the work returns. Since 1.0.
class SUPPLIERD_API JobRun {
public:
    /// Raised when the server drains or has lost the job to another one, and when an operator stops it. Look at it
    /// between two pieces of work, and give it to what waits (HttpRequest::stop); the server waits for the job until
    /// `server.shutdown_deadline`.
    virtual const StopSignal& stopSignal() const = 0;
    /// Database::withTransaction() that commits only while the job is this run's: should another server have taken the
    /// job over (this one was silent for longer than its lease), it throws JobStopped and changes nothing.
    virtual void withTransaction(const std::function<void(Transaction&)>& work) = 0;
    /// What came of it, for `supplierctl job list`: "removed 12 notes". The last one counts; at most 1000 bytes
    /// are kept.
    virtual void report(std::string_view message) = 0;
    /// What it was asked to do, a JSON object: "{}" unless it was requested (Jobs::request()). A run that was stopped
    /// has it again.
    virtual const std::string& input() const = 0;
    /// Who requested it, for AuditEntry::actor; "" for nobody.
    virtual const std::string& requestedBy() const = 0;
    /// How far it is: so many of `total` (0: not known), of what, at most 64 bytes. People see it within two seconds.
    /// Costs nothing, so it may be called as often as there is something to say.
    virtual void progress(std::int64_t done, std::int64_t total, std::string_view what) = 0;
    /// What came of it, for programs: a JSON object. The last one counts, and is kept once the run has ended. Throws
    /// std::invalid_argument for what is none, std::length_error beyond MAX_OUTPUT_BYTES bytes.
    virtual void output(std::string_view json) = 0;

    static constexpr std::size_t MAX_OUTPUT_BYTES = 16'384;

    /// Throws JobStopped once stopSignal() is raised.
    void throwIfStopped() const {
        if (stopSignal().isRaised())
            throw JobStopped();
    }
    /// Runs `work`, which says how much it did, in one transaction after the other until it says 0. All that was done.
    /// Throws JobStopped between two of them once stopSignal() is raised.
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
    /// Of a job that can do nothing without an input: the command of `supplierctl` that requests it with one,
    /// "media move". People who have it run by its name are refused, and told of this command. "": it needs no input.
    std::string command = {};
    Reserved reserved = {};
};

/// A service of the host: each plugin sees its own jobs. Thread: any. Since 1.0.
class SUPPLIERD_API Jobs {
public:
    static constexpr std::string_view ID = "supplierd.jobs/1";

    /// Call in start(); jobs begin once the server serves. Throws std::logic_error for a name that is none or taken,
    /// and for a job without work. `supplierctl plugin validate` runs none.
    virtual void add(Job job) = 0;
    /// Has the job run now, or once more after the run that is under way. In a transaction: once it is committed (at
    /// once where this server runs it, up to two seconds later where another one does). False when the database has no
    /// such job of the plugin. Throws DatabaseError.
    virtual bool wake(SqlSession& session, std::string_view name) = 0;
    /// The same for work that somebody wants done: the run has `input`, a JSON object, as JobRun::input(), and the
    /// actor's name as JobRun::requestedBy(). The audit log gets the entry "job.request" with both. One that fails is
    /// not tried again where the job has no interval of its own. Throws ApiError (Conflict) while a run that was
    /// requested has not ended, std::invalid_argument for an input that is no JSON object, std::length_error beyond
    /// MAX_INPUT_BYTES bytes, DatabaseError. Returns the number of the run; nothing when the database has no such job.
    virtual std::optional<std::int64_t> request(Transaction& transaction, std::string_view name, std::string_view input,
                                                const Actor& actor) = 0;

    static constexpr std::size_t MAX_INPUT_BYTES = 4'096;

protected:
    ~Jobs() = default;
};

/// What the handler of a route answers that has a job of its plugin do something: 202 with
/// `{ job: { plugin, name, run, state } }`, which is followed at `GET /api/v1/platform/jobs/{plugin}/{name}`. Throws
/// ApiError: Conflict, and Unavailable when no server has begun with the job. Since 1.0.
inline Response requestJob(Request& request, Jobs& jobs, std::string_view pluginId, std::string_view name,
                           std::string_view input) {
    const Actor actor = actorOf(request);
    return request.transact([&](Transaction& transaction) {
        const auto run = jobs.request(transaction, name, input, actor);
        if (!run)
            throw ApiError::unavailable("No server has begun with the job '" + std::string(name) + "'");
        Response response = request.reply(202);
        JsonWriter json(response.data);
        json.beginObject().key("job").beginObject();
        json.field("plugin", pluginId).field("name", name).field("run", *run).field("state", "waiting");
        json.endObject().endObject();
        return response;
    });
}

} // namespace supplierd
