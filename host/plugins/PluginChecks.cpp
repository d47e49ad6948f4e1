#include "host/plugins/PluginChecks.h"

#include "host/observe/CurrentReason.h"
#include "host/observe/CurrentWork.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace supplierd::host {

std::vector<PluginChecks::Found> PluginChecks::run() {
    std::unique_lock lock(_mutex);
    if (_isStopping)
        return {};
    if (_isSetUnderWay) {
        _changed.wait(lock, [this, before = _sets] { return _sets != before; });
        return _found;
    }
    _isSetUnderWay = true;
    const auto set = begin();
    _changed.wait_for(lock, _limit,
                      [&] { return std::ranges::all_of(set, [](const Running* running) { return running->isOver; }); });
    _found.clear();
    for (const Running* const running : set)
        _found.push_back(found(*running));
    reap();
    _isSetUnderWay = false;
    ++_sets;
    _changed.notify_all();
    return _found;
}

void PluginChecks::stop() {
    std::unique_lock lock(_mutex);
    _isStopping = true;
    _changed.wait(lock, [this] {
        return !_isSetUnderWay && std::ranges::all_of(_running, [](const Running& running) { return running.isOver; });
    });
    reap();
}

/// With the mutex. Those that an earlier set left running are waited for once more.
std::vector<const PluginChecks::Running*> PluginChecks::begin() {
    reap();
    std::vector<const Running*> left;
    for (const Running& running : _running)
        left.push_back(&running);
    std::vector<const Running*> set;
    for (auto& [plugin, check] : _operations.checks()) {
        const auto same = std::ranges::find_if(left, [&, &id = plugin, &name = check.name](const Running* running) {
            return running->plugin == id && running->check.name == name;
        });
        if (same != left.end()) {
            set.push_back(*same);
            continue;
        }
        _running.push_back({plugin, check, "check " + check.name});
        Running& begun = _running.back();
        set.push_back(&begun);
        try {
            begun.thread = std::thread([this, &begun] { execute(begun); });
        } catch (const std::system_error& failure) {
            begun.result = {CheckResult::Level::Error, std::string("the check has no thread: ") + failure.what(), ""};
            begun.isOver = true;
        }
    }
    return set;
}

/// What a check throws is what it found.
void PluginChecks::execute(Running& running) {
    CheckResult result;
    try {
        const CurrentWork mark(running.plugin.c_str(), running.title.c_str());
        result = running.check.run();
    } catch (...) {
        result = {CheckResult::Level::Error, "the check failed: " + currentReason(), ""};
    }
    const std::lock_guard lock(_mutex);
    running.result = std::move(result);
    running.isOver = true;
    _changed.notify_all();
}

PluginChecks::Found PluginChecks::found(const Running& running) const {
    if (running.isOver)
        return {running.plugin, running.check.name, running.result};
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(_limit).count();
    return {running.plugin,
            running.check.name,
            {CheckResult::Level::Error, "did not answer within " + std::to_string(seconds) + " s", ""}};
}

/// With the mutex, which a thread that is over does not take again.
void PluginChecks::reap() {
    std::erase_if(_running, [](Running& running) {
        if (running.isOver && running.thread.joinable())
            running.thread.join();
        return running.isOver;
    });
}

} // namespace supplierd::host
