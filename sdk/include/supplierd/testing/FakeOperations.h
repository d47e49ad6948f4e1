#pragma once

#include <supplierd/services/Jobs.h>
#include <supplierd/services/Operations.h>
#include <supplierd/services/PluginSettings.h>
#include <supplierd/services/StateFolder.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::testing {

/// The jobs that a plugin has added; a test runs them. Thread: one. Since 1.0.
class FakeJobs final : public Jobs {
public:
    explicit FakeJobs(Database& database) : _database(database) {}

    void add(Job job) override {
        std::string name = job.name;
        if (!_jobs.emplace(std::move(name), std::move(job)).second)
            throw std::logic_error("a job of this name is there already");
    }
    bool wake(SqlSession& session, std::string_view name) override {
        static_cast<void>(session);
        _woken.emplace_back(name);
        return _jobs.contains(name);
    }
    std::optional<std::int64_t> request(Transaction& transaction, std::string_view name, std::string_view input,
                                        const Actor& actor) override {
        static_cast<void>(transaction);
        requests.push_back({std::string(name), std::string(input), actor.name});
        if (!_jobs.contains(name))
            return std::nullopt;
        return static_cast<std::int64_t>(requests.size());
    }

    /// Runs it once; returns what it reported last. Throws what it throws, and std::out_of_range when there is none.
    std::string run(std::string_view name, std::string input = "{}", std::string requestedBy = {}) {
        const auto found = _jobs.find(name);
        if (found == _jobs.end())
            throw std::out_of_range("no job '" + std::string(name) + "'");
        output.clear();
        progress.clear();
        Run run(*this, std::move(input), std::move(requestedBy));
        found->second.work(run);
        return run.reported;
    }
    const Job& job(std::string_view name) const { return _jobs.find(name)->second; }
    /// In the order of waking.
    const std::vector<std::string>& woken() const { return _woken; }

    /// Raise it to see the job end early.
    StopSignal stop;
    /// What was requested, in this order.
    struct Asked {
        std::string name;
        std::string input;
        std::string actor;
    };
    std::vector<Asked> requests;
    /// Of the last run: what it gave last, and each progress(): how many of how many.
    std::string output;
    std::vector<std::pair<std::int64_t, std::int64_t>> progress;

private:
    class Run final : public JobRun {
    public:
        Run(FakeJobs& jobs, std::string input, std::string requestedBy)
            : _jobs(jobs), _input(std::move(input)), _requestedBy(std::move(requestedBy)) {}
        const StopSignal& stopSignal() const override { return _jobs.stop; }
        void withTransaction(const std::function<void(Transaction&)>& work) override {
            _jobs._database.withTransaction(work);
        }
        void report(std::string_view message) override { reported = message; }
        const std::string& input() const override { return _input; }
        const std::string& requestedBy() const override { return _requestedBy; }
        void progress(std::int64_t done, std::int64_t total, std::string_view) override {
            _jobs.progress.emplace_back(done, total);
        }
        void output(std::string_view json) override { _jobs.output = json; }

        std::string reported;

    private:
        FakeJobs& _jobs;
        std::string _input;
        std::string _requestedBy;
    };

    Database& _database;
    std::map<std::string, Job, std::less<>> _jobs;
    std::vector<std::string> _woken;
};

/// Settings in memory. Thread: one. Since 1.0.
class FakePluginSettings final : public PluginSettings {
public:
    std::map<std::string, std::string, std::less<>> values;

    std::optional<std::string> get(SqlSession& session, std::string_view name) override {
        static_cast<void>(session);
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    }
    std::map<std::string, std::string> all(SqlSession& session) override {
        static_cast<void>(session);
        return {values.begin(), values.end()};
    }
    void set(Transaction& transaction, std::string_view name, std::string_view value) override {
        static_cast<void>(transaction);
        values.insert_or_assign(std::string(name), std::string(value));
    }
    void remove(Transaction& transaction, std::string_view name) override {
        static_cast<void>(transaction);
        values.erase(std::string(name));
    }
};

/// A folder that the test gives; std::runtime_error until it does. Since 1.0.
class FakeStateFolder final : public StateFolder {
public:
    std::string folder;

    std::string path() override {
        if (folder.empty())
            throw std::runtime_error("the test has set no folder: FakeHost::stateFolder().folder");
        return folder;
    }
};

/// What a plugin brings for operators; a test calls it. Thread: one. Since 1.0.
class FakeOperations final : public Operations {
public:
    void addCheck(Check check) override { _checks.push_back(std::move(check)); }
    void addReadiness(std::function<std::string()> reason) override { _readiness.push_back(std::move(reason)); }
    void addAuditKind(std::string kind) override { auditKinds.insert(std::move(kind)); }

    /// Runs a check.
    CheckResult check(std::string_view name) {
        for (const Check& check : _checks)
            if (check.name == name)
                return check.run();
        throw std::out_of_range("no check '" + std::string(name) + "'");
    }
    /// The first reason for not being ready, "" for none.
    std::string readiness() const {
        for (const auto& ask : _readiness)
            if (std::string reason = ask(); !reason.empty())
                return reason;
        return {};
    }

    std::set<std::string> auditKinds;

private:
    std::vector<Check> _checks;
    std::vector<std::function<std::string()>> _readiness;
};

} // namespace supplierd::testing
