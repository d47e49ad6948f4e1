#pragma once

#include <supplierd/Abi.h>

#include <atomic>
#include <chrono>

namespace supplierd {

/// Wakes every wait that heeds it, once and for good: work that must end when a plugin or a job (JobRun::stopSignal())
/// does. Thread: any. Lifetime: longer than what heeds it. Since 1.0.
class SUPPLIERD_API StopSignal {
public:
    /// Throws std::system_error when the process has no descriptor left.
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    void raise();
    bool isRaised() const { return _isRaised; }
    /// Returns at once when it is raised, and after that time at the latest. Whether it is raised.
    bool waitFor(std::chrono::milliseconds limit) const;
    /// Readable from raise() on.
    int descriptor() const { return _descriptor; }

private:
    int _descriptor;
    std::atomic<bool> _isRaised = false;
    Reserved _reserved;
};

} // namespace supplierd
