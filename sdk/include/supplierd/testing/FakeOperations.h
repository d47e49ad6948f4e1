#pragma once

#include <supplierd/services/Jobs.h>
#include <supplierd/services/Operations.h>
#include <supplierd/services/PluginSettings.h>
#include <supplierd/services/StateFolder.h>

#include <map>
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

    /// Runs it once; returns what it reported last. Throws what it throws, and std::out_of_range when there is none.
    std::string run(std::string_view name) {
        const auto found = _jobs.find(name);
        if (found == _jobs.end())
            throw std::out_of_range("no job '" + std::string(name) + "'");
        Run run(_database, stop.get_token());
        found->second.work(run);
        return run.reported;
    }
    const Job& job(std::string_view name) const { return _jobs.find(name)->second; }
    /// In the order of waking.
    const std::vector<std::string>& woken() const { return _woken; }

    /// Request a stop here to see the job end early.
    std::stop_source stop;

private:
    class Run final : public JobRun {
    public:
        Run(Database& database, std::stop_token token) : _database(database), _token(std::move(token)) {}
        std::stop_token stopToken() const override { return _token; }
        void withTransaction(const std::function<void(Transaction&)>& work) override {
            _database.withTransaction(work);
        }
        void report(std::string_view message) override { reported = message; }

        std::string reported;

    private:
        Database& _database;
        std::stop_token _token;
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
    void set(SqlSession& session, std::string_view name, std::string_view value) override {
        static_cast<void>(session);
        values.insert_or_assign(std::string(name), std::string(value));
    }
    void remove(SqlSession& session, std::string_view name) override {
        static_cast<void>(session);
        values.erase(std::string(name));
    }
};

/// A folder that the test gives; std::runtime_error until it does. Since 1.0.
class FakeStateFolder final : public StateFolder {
public:
    std::filesystem::path folder;

    std::filesystem::path path() override {
        if (folder.empty())
            throw std::runtime_error("the test has set no folder: FakeHost::stateFolder().folder");
        return folder;
    }
};

/// What came of a command.
struct CommandOutcome {
    std::vector<CommandTable> tables;
    std::vector<std::string> sentences;
    std::vector<std::string> hints;
    /// Each progress(): how many of how many.
    std::vector<std::pair<std::int64_t, std::int64_t>> progress;
};

/// What a plugin brings for operators; a test calls it. Thread: one. Since 1.0.
class FakeOperations final : public Operations {
public:
    void addCommand(Command command) override { _commands.push_back(std::move(command)); }
    void addCheck(Check check) override { _checks.push_back(std::move(check)); }
    void addReadiness(std::function<std::string()> reason) override { _readiness.push_back(std::move(reason)); }
    void addAuditKind(std::string kind) override { auditKinds.insert(std::move(kind)); }

    /// Calls a command, "list" or, of a group, "product list", with options by name, {"--product", "7"}; a flag has any
    /// value. Throws what it throws, and std::out_of_range when there is no such command, or one of the options was not
    /// declared.
    CommandOutcome call(std::string_view name, std::map<std::string, std::string, std::less<>> options = {}) {
        for (const Command& command : _commands) {
            if ((command.group.empty() ? command.name : command.group + ' ' + command.name) != name)
                continue;
            Run run(command, std::move(options));
            command.run(run);
            return std::move(run.outcome);
        }
        throw std::out_of_range("no command '" + std::string(name) + "'");
    }
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
    class Run final : public CommandRun {
    public:
        Run(const Command& command, std::map<std::string, std::string, std::less<>> options)
            : _command(command), _options(std::move(options)) {
            for (const auto& [option, value] : _options)
                declared(option);
        }
        std::optional<std::string> text(std::string_view name) const override {
            declared(name);
            const auto found = _options.find(name);
            return found == _options.end() ? std::nullopt : std::optional(found->second);
        }
        std::optional<std::int64_t> integer(std::string_view name) const override {
            const auto value = text(name);
            return value ? std::optional<std::int64_t>(std::stoll(*value)) : std::nullopt;
        }
        bool flag(std::string_view name) const override { return text(name).has_value(); }
        const std::string& actor() const override { return _actor; }
        void print(const CommandTable& table) override { outcome.tables.push_back(table); }
        void print(std::string_view sentence) override { outcome.sentences.emplace_back(sentence); }
        void hint(std::string_view line) override { outcome.hints.emplace_back(line); }
        void progress(std::int64_t done, std::int64_t total) override { outcome.progress.emplace_back(done, total); }

        CommandOutcome outcome;

    private:
        void declared(std::string_view name) const {
            for (const CommandOption& option : _command.options)
                if (option.name == name)
                    return;
            throw std::out_of_range("the command has no option '" + std::string(name) + "'");
        }

        const Command& _command;
        std::map<std::string, std::string, std::less<>> _options;
        std::string _actor = "supplierctl:test";
    };

    std::vector<Command> _commands;
    std::vector<Check> _checks;
    std::vector<std::function<std::string()>> _readiness;
};

} // namespace supplierd::testing
