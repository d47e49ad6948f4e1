#pragma once

#include "host/plugins/PluginOperations.h"

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace supplierd::host {

/// Runs the plugins' checks for operators: each on a thread of its own, and no longer than a limit. Thread: any.
class PluginChecks {
public:
    struct Found {
        std::string plugin;
        std::string name;
        CheckResult result;
    };

    /// `operations` must outlive it.
    explicit PluginChecks(const PluginOperations& operations, std::chrono::milliseconds limit = std::chrono::seconds(5))
        : _operations(operations), _limit(limit) {}
    ~PluginChecks() { stop(); }
    PluginChecks(const PluginChecks&) = delete;
    PluginChecks& operator=(const PluginChecks&) = delete;

    /// What all found, by plugin. One set runs at a time: who asks meanwhile gets what that one finds. A check that
    /// does not end in time is an error that was found, and is not begun again before it has ended.
    std::vector<Found> run();
    /// Waits for every check that has begun, and begins none any more: then the plugins may go.
    void stop();

private:
    struct Running {
        std::string plugin;
        Check check;
        std::string title = {}; ///< for CurrentWork
        CheckResult result = {};
        bool isOver = false;
        std::thread thread = {};
    };

    std::vector<const Running*> begin();
    void execute(Running& running);
    Found found(const Running& running) const;
    void reap();

    const PluginOperations& _operations;
    const std::chrono::milliseconds _limit;
    std::mutex _mutex; ///< of the following
    std::condition_variable _changed;
    std::list<Running> _running; ///< those that are not over, once a set has ended
    std::vector<Found> _found;   ///< by the last set
    std::size_t _sets = 0;       ///< that have ended
    bool _isSetUnderWay = false;
    bool _isStopping = false;
};

} // namespace supplierd::host
