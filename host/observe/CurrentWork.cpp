#include "host/observe/CurrentWork.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <memory>

namespace supplierd::host {

namespace {

struct WorkSlot {
    std::atomic<bool> isTaken{false};
    std::atomic<const char*> plugin{nullptr};
    std::atomic<const char*> work{nullptr};
};

/// More threads than that are not listed; they still know their own work.
constexpr std::size_t WORK_SLOTS = 4'096;
/// For the handler of a crash, which may be that the thread's own stack is full.
constexpr std::size_t SPARE_STACK = std::size_t{64} << 10;

std::array<WorkSlot, WORK_SLOTS> workSlots;

/// Without a constructor, so that a signal's handler can read it in any thread.
constinit thread_local WorkSlot* workOfThread = nullptr;

/// A thread's slot and spare stack, from its first work to its end.
class ThreadWork {
public:
    ThreadWork() : _stack(std::make_unique_for_overwrite<char[]>(SPARE_STACK)) {
        const auto free = std::find_if(workSlots.begin(), workSlots.end(),
                                       [](WorkSlot& slot) { return !slot.isTaken.exchange(true); });
        _slot = free == workSlots.end() ? &_unlisted : &*free;
        workOfThread = _slot;
        stack_t spare{};
        spare.ss_sp = _stack.get();
        spare.ss_size = SPARE_STACK;
        ::sigaltstack(&spare, nullptr);
    }
    ~ThreadWork() {
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        ::sigaltstack(&none, nullptr);
        workOfThread = nullptr;
        _slot->isTaken = false;
    }
    ThreadWork(const ThreadWork&) = delete;
    ThreadWork& operator=(const ThreadWork&) = delete;

    WorkSlot& slot() { return *_slot; }

private:
    std::unique_ptr<char[]> _stack;
    WorkSlot _unlisted;
    WorkSlot* _slot;
};

WorkSlot& ownSlot() {
    thread_local ThreadWork own;
    return own.slot();
}

void setWork(WorkSlot& slot, const CurrentWork::Texts& texts) noexcept {
    slot.plugin.store(texts.plugin, std::memory_order_relaxed);
    slot.work.store(texts.work, std::memory_order_relaxed);
}

} // namespace

CurrentWork::CurrentWork(const char* plugin, const char* work) {
    WorkSlot& slot = ownSlot();
    _outer = {slot.plugin.load(std::memory_order_relaxed), slot.work.load(std::memory_order_relaxed)};
    setWork(slot, {plugin, work});
}

CurrentWork::~CurrentWork() {
    setWork(*workOfThread, _outer);
}

CurrentWork::Texts CurrentWork::ofThisThread() noexcept {
    if (!workOfThread)
        return {};
    return {workOfThread->plugin.load(std::memory_order_relaxed), workOfThread->work.load(std::memory_order_relaxed)};
}

std::vector<std::string> CurrentWork::ofAllThreads() {
    std::vector<std::string> all;
    for (const WorkSlot& slot : workSlots) {
        const char* const plugin = slot.plugin.load(std::memory_order_relaxed);
        const char* const work = slot.work.load(std::memory_order_relaxed);
        if (plugin && *plugin && work)
            all.push_back(std::string(plugin) + ": " + work);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

} // namespace supplierd::host
