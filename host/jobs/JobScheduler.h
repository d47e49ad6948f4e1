#pragma once

#include "host/jobs/JobStore.h"

#include <supplierd/Log.h>
#include <supplierd/services/Jobs.h>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace supplierd::host {

/// Runs the jobs of this server's plugins when they are due, each on a thread of its own. Which server does, the table
/// decides: every server looks at it every two seconds, and whoever claims a row first has the run. Thread: any.
class JobScheduler {
public:
    /// As often as that, the table is looked at.
    static constexpr std::chrono::milliseconds LOOK_INTERVAL{2'000};

    /// Database::withTransaction() for somebody who acts (AuditEntry::actor).
    using Transact = std::function<void(const std::string& actor, const std::function<void(Transaction&)>& work)>;

    JobScheduler(Database& database, Logger& log, std::shared_ptr<prometheus::Registry> registry, Transact transact);
    ~JobScheduler();

    /// Throws std::logic_error: no name, one that is taken, no work.
    void add(const std::string& plugin, Job job);
    /// Forgets a plugin's jobs. Before start().
    void withdraw(const std::string& plugin);
    /// Job::command of a job of this server; "" when it has none, or another server has the job.
    std::string commandOf(const JobKey& key) const;
    /// Makes their rows, so that they can be asked for. What fails is tried again after start().
    void enroll();
    /// From now on they run.
    void start();
    /// A job was woken in a transaction that may not be committed as yet: looks for it sooner, and a few times.
    void lookSoon();
    /// Asks every run to end, and begins no other.
    void requestStop();
    /// requestStop(), and waits. The work of the jobs is gone afterwards.
    void stop();

    /// How long after so many failures in a row: grows from a second to an hour or `every`, and is random, so that what
    /// failed together is not tried together.
    static std::chrono::milliseconds pauseAfter(std::int64_t failures, std::chrono::milliseconds every, double random);

private:
    using Clock = std::chrono::steady_clock;
    class Run;

    struct Known {
        Job job;
        bool isEnrolled = false;
    };

    void work();
    void waitForLook(std::unique_lock<std::mutex>& lock);
    void round();
    void enrollNew();
    void warnOfLook(const std::exception& failure);
    void beginDue();
    void begin(const JobKey& key);
    void renewLeases();
    void reap();
    void execute(Run& run);
    void complete(Run& run);
    void count(const JobKey& key, const char* result, Clock::duration took);

    JobStore _store;
    const Transact _transact;
    Logger& _log;
    std::shared_ptr<prometheus::Registry> _registry;
    prometheus::Family<prometheus::Counter>& _ended;
    prometheus::Family<prometheus::Gauge>& _running;
    prometheus::Family<prometheus::Gauge>& _seconds;
    const std::string _server;

    mutable std::mutex _mutex; ///< of the following
    std::condition_variable _wake;
    std::map<JobKey, Known> _jobs;
    std::list<std::unique_ptr<Run>> _runs;
    bool _isLookDue = false;
    bool _isWoken = false;
    std::chrono::milliseconds _pause = LOOK_INTERVAL; ///< until the next look
    bool _isStopping = false;
    std::thread _thread;
};

} // namespace supplierd::host
