#include "host/jobs/JobScheduler.h"

#include "host/observe/CurrentReason.h"
#include "host/observe/CurrentWork.h"

#include <Poco/Environment.h>
#include <Poco/UUIDGenerator.h>

#include <unistd.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <utility>

namespace supplierd::host {

namespace {

constexpr std::chrono::milliseconds SHORTEST_RETRY{1'000};
constexpr std::chrono::milliseconds LONGEST_RETRY{3'600'000};
constexpr std::size_t MAX_JOB_NAME = 64;
/// Before the first look for a job that was woken.
constexpr std::chrono::milliseconds SHORTEST_PAUSE{10};
/// Leases are renewed this often within one.
constexpr int RENEWALS = 4;

bool isJobName(const std::string& name) {
    return !name.empty() && name.size() <= MAX_JOB_NAME &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

double randomShare() {
    static thread_local std::mt19937 generator{std::random_device{}()};
    return std::uniform_real_distribution<>(0, 1)(generator);
}

std::string describeJob(const JobKey& key) {
    return "job '" + key.name + "' of plugin '" + key.plugin + "'";
}

} // namespace

/// One run on this server, from its claim to its last word in the table.
class JobScheduler::Run final : public JobRun {
public:
    Run(JobClaim c, JobRequest request, const Job& job, const Transact& transact)
        : claim(std::move(c)),
          title("job " + claim.key.name),
          work(job.work),
          every(job.every),
          _request(std::move(request)),
          _transact(transact) {}

    const StopSignal& stopSignal() const override { return _stop; }
    void withTransaction(const std::function<void(Transaction&)>& function) override {
        _transact("job:" + claim.key.plugin + "." + claim.key.name, [&](Transaction& transaction) {
            if (!JobStore::lockIfHeld(transaction, claim))
                throw JobStopped();
            function(transaction);
        });
    }
    void report(std::string_view text) override {
        const std::lock_guard lock(_mutex);
        _report.message = text;
    }
    const std::string& input() const override { return _request.input; }
    const std::string& requestedBy() const override { return _request.actor; }
    void progress(std::int64_t done, std::int64_t total, std::string_view what) override {
        const std::lock_guard lock(_mutex);
        _report.progress = JobProgress{done, total, std::string(what)};
    }
    void output(std::string_view json) override {
        JobStore::requireJson(json, MAX_OUTPUT_BYTES);
        const std::lock_guard lock(_mutex);
        _report.output = json;
    }

    /// An operator wants it to end, and not to go on elsewhere.
    void end(const std::string& actor) {
        {
            const std::lock_guard lock(_mutex);
            _stoppedBy = actor;
        }
        _stop.raise();
    }
    /// It may go on elsewhere.
    void askToStop() { _stop.raise(); }
    std::string stoppedBy() const {
        const std::lock_guard lock(_mutex);
        return _stoppedBy;
    }

    JobReport said() const {
        const std::lock_guard lock(_mutex);
        return _report;
    }

    const JobClaim claim;
    const std::string title; ///< for CurrentWork
    const std::function<void(JobRun&)> work;
    const std::chrono::milliseconds every;
    Clock::time_point heldUntil;      ///< the scheduler's thread only
    Clock::time_point renewAt;        ///< as that
    std::optional<JobProgress> shown; ///< as that: what the table has
    std::atomic<bool> isOver{false};
    std::thread thread;

private:
    StopSignal _stop;
    const JobRequest _request;
    const Transact& _transact;
    mutable std::mutex _mutex; ///< of the following
    JobReport _report;
    std::string _stoppedBy; ///< "": by nobody
};

JobScheduler::JobScheduler(Database& database, Logger& log, std::shared_ptr<prometheus::Registry> registry,
                           Transact transact)
    : _store(database),
      _transact(std::move(transact)),
      _log(log),
      _registry(std::move(registry)),
      _ended(prometheus::BuildCounter()
                 .Name("supplierd_job_runs_total")
                 .Help("Runs of jobs that ended on this server, by result: done, failed or stopped")
                 .Register(*_registry)),
      _running(prometheus::BuildGauge()
                   .Name("supplierd_job_running")
                   .Help("1 while this server runs the job")
                   .Register(*_registry)),
      _seconds(prometheus::BuildGauge()
                   .Name("supplierd_job_last_run_seconds")
                   .Help("How long the job's last run on this server took")
                   .Register(*_registry)),
      _server(Poco::Environment::nodeName() + ":" + std::to_string(::getpid())) {}

JobScheduler::~JobScheduler() {
    stop();
}

void JobScheduler::add(const std::string& plugin, Job job) {
    const JobKey key{plugin, job.name};
    if (!isJobName(job.name))
        throw std::logic_error(describeJob(key) + ": its name must be 1 to 64 of a-z, 0-9 and -");
    if (!job.work)
        throw std::logic_error(describeJob(key) + " has no work");
    if (job.every.count() < 0)
        throw std::logic_error(describeJob(key) + " runs at negative intervals");
    const std::lock_guard lock(_mutex);
    if (_thread.joinable())
        throw std::logic_error(describeJob(key) + " comes too late: jobs are added in start()");
    if (!_jobs.emplace(key, Known{std::move(job)}).second)
        throw std::logic_error(describeJob(key) + " is there already");
    for (const char* result : {"done", "failed", "stopped"}) // what is not there cannot be seen to rise
        _ended.Add({{"plugin", key.plugin}, {"job_name", key.name}, {"result", result}});
}

void JobScheduler::withdraw(const std::string& plugin) {
    const std::lock_guard lock(_mutex);
    std::erase_if(_jobs, [&](const auto& entry) { return entry.first.plugin == plugin; });
}

std::string JobScheduler::commandOf(const JobKey& key) const {
    const std::lock_guard lock(_mutex);
    const auto found = _jobs.find(key);
    return found == _jobs.end() ? "" : found->second.job.command;
}

void JobScheduler::enroll() {
    try {
        enrollNew();
    } catch (const std::exception& failure) {
        warnOfLook(failure);
    }
}

void JobScheduler::enrollNew() {
    for (auto& [key, known] : _jobs) { // they stay the same from start() to stop()
        if (known.isEnrolled)
            continue;
        _store.enroll(key, known.job.every);
        known.isEnrolled = true;
    }
}

void JobScheduler::start() {
    const std::lock_guard lock(_mutex);
    if (!_jobs.empty() && !_thread.joinable() && !_isStopping)
        _thread = std::thread([this] { work(); });
}

void JobScheduler::requestStop() {
    const std::lock_guard lock(_mutex);
    _isStopping = true;
    for (const auto& run : _runs)
        run->askToStop();
    _wake.notify_all();
}

void JobScheduler::stop() {
    requestStop();
    if (_thread.joinable())
        _thread.join();
    for (const auto& run : _runs) // nobody adds one any more
        run->thread.join();
    _runs.clear();
    _jobs.clear();
}

void JobScheduler::work() {
    std::unique_lock lock(_mutex);
    while (!_isStopping) {
        lock.unlock();
        try {
            round();
        } catch (const std::exception& failure) {
            warnOfLook(failure);
        }
        lock.lock();
        waitForLook(lock);
    }
}

void JobScheduler::warnOfLook(const std::exception& failure) {
    _log.warning("looking for jobs failed, next try in a few seconds", {{"reason", std::string(failure.what())}});
}

/// Once a job was woken the pauses begin short and grow.
void JobScheduler::waitForLook(std::unique_lock<std::mutex>& lock) {
    const auto isDue = [this] { return _isStopping || _isLookDue; };
    _wake.wait_for(lock, _pause, [&] { return isDue() || _isWoken; });
    _pause = std::min(_pause * 2, LOOK_INTERVAL);
    if (std::exchange(_isWoken, false)) {
        _wake.wait_for(lock, SHORTEST_PAUSE, isDue);
        _pause = SHORTEST_PAUSE;
    }
    _isLookDue = false;
}

void JobScheduler::lookSoon() {
    {
        const std::lock_guard lock(_mutex);
        _isWoken = true;
    }
    _wake.notify_all();
}

void JobScheduler::round() {
    reap();
    renewLeases();
    enrollNew();
    beginDue();
}

/// One whose lease ran out while it still runs here has to end first: what it is made of serves one run at a time.
void JobScheduler::beginDue() {
    const auto isRunning = [this](const JobKey& key) {
        return std::any_of(_runs.begin(), _runs.end(),
                           [&](const auto& run) { return run->claim.key == key && !run->isOver; });
    };
    for (const JobKey& key : _store.due())
        if (_jobs.contains(key) && !isRunning(key))
            begin(key);
}

void JobScheduler::begin(const JobKey& key) {
    const JobClaim claim{key, Poco::UUIDGenerator::defaultGenerator().createRandom().toString()};
    const auto asked = Clock::now();
    auto request = _store.claim(claim, _server);
    if (!request)
        return;
    auto run = std::make_unique<Run>(claim, std::move(*request), _jobs.at(key).job, _transact);
    run->heldUntil = asked + JobStore::LEASE;
    run->renewAt = asked + JobStore::LEASE / RENEWALS;
    const std::lock_guard lock(_mutex);
    if (_isStopping)
        run->askToStop();
    _runs.push_back(std::move(run));
    _runs.back()->thread = std::thread([this, &started = *_runs.back()] { execute(started); });
}

/// A run that cannot be sure any more to be the only one is asked to end. How far each is goes into the table, too.
void JobScheduler::renewLeases() {
    for (const auto& run : _runs) { // only this thread adds and removes any
        const auto asked = Clock::now();
        const auto progress = run->said().progress;
        if (run->isOver || (asked < run->renewAt && progress == run->shown))
            continue;
        try {
            run->shown = progress;
            const auto stoppedBy = _store.renew(run->claim, progress);
            if (stoppedBy)
                run->heldUntil = asked + JobStore::LEASE;
            if (stoppedBy && !stoppedBy->empty())
                run->end(*stoppedBy);
            else if (!stoppedBy && !run->isOver)
                run->askToStop();
            run->renewAt = asked + JobStore::LEASE / RENEWALS;
        } catch (const std::exception& failure) {
            _log.warning("the lease of a job was not renewed", {{"plugin", run->claim.key.plugin},
                                                                {"job", run->claim.key.name},
                                                                {"reason", std::string(failure.what())}});
        }
        if (Clock::now() > run->heldUntil)
            run->askToStop();
    }
}

void JobScheduler::reap() {
    const std::lock_guard lock(_mutex);
    std::erase_if(_runs, [](const std::unique_ptr<Run>& run) {
        if (run->isOver)
            run->thread.join();
        return run->isOver.load();
    });
}

void JobScheduler::execute(Run& run) {
    try {
        complete(run);
    } catch (const std::exception& failure) { // its lease runs out, then it is run again
        _log.warning(
            "how a job ended could not be written down",
            {{"plugin", run.claim.key.plugin}, {"job", run.claim.key.name}, {"reason", std::string(failure.what())}});
    }
    {
        const std::lock_guard lock(_mutex);
        _isLookDue = true;
        _wake.notify_all();
    }
    run.isOver = true; // last: whoever sees it joins this thread, perhaps with the mutex
}

void JobScheduler::complete(Run& run) {
    const auto& key = run.claim.key;
    auto& running = _running.Add({{"plugin", key.plugin}, {"job_name", key.name}});
    const auto began = Clock::now();
    running.Set(1);
    const char* result = "done";
    std::string reason;
    try {
        const CurrentWork mark(key.plugin.c_str(), run.title.c_str());
        run.work(run);
    } catch (const JobStopped& stopped) {
        result = run.stopSignal().isRaised() ? "stopped" : "failed"; // the job is another server's, or it is mistaken
        reason = stopped.what();
    } catch (...) {
        result = "failed";
        reason = currentReason();
    }
    running.Set(0);
    count(key, result, Clock::now() - began);
    JobReport said = run.said();
    if (result == std::string_view("done")) {
        _store.succeed(run.claim, said);
    } else if (const auto actor = run.stoppedBy(); result == std::string_view("stopped") && !actor.empty()) {
        said.message = "at the request of " + actor;
        _store.end(run.claim, said);
    } else if (result == std::string_view("stopped")) {
        if (said.message.empty())
            said.message = reason;
        _store.giveBack(run.claim, said);
    } else {
        const auto pause = pauseAfter(_store.failures(key) + 1, run.every, randomShare());
        _log.warning("a job failed", {{"plugin", key.plugin},
                                      {"job", key.name},
                                      {"reason", reason},
                                      {"next_try_ms", std::int64_t{pause.count()}}});
        said.message = reason;
        _store.fail(run.claim, said, pause);
    }
}

void JobScheduler::count(const JobKey& key, const char* result, Clock::duration took) {
    _ended.Add({{"plugin", key.plugin}, {"job_name", key.name}, {"result", result}}).Increment();
    _seconds.Add({{"plugin", key.plugin}, {"job_name", key.name}}).Set(std::chrono::duration<double>(took).count());
}

std::chrono::milliseconds JobScheduler::pauseAfter(std::int64_t failures, std::chrono::milliseconds every,
                                                   double random) {
    const auto longest = every.count() > 0 ? std::min(every, LONGEST_RETRY) : LONGEST_RETRY;
    const auto doublings = std::min<std::int64_t>(failures - 1, 20);
    const auto pause = std::min(SHORTEST_RETRY * (std::int64_t{1} << std::max<std::int64_t>(doublings, 0)), longest);
    return pause / 2 +
           std::chrono::milliseconds(static_cast<std::int64_t>(static_cast<double>(pause.count()) / 2 * random));
}

} // namespace supplierd::host
