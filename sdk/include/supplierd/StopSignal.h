#pragma once

#include <supplierd/Abi.h>

#include <atomic>

namespace supplierd {

/// Wakes every wait that heeds it, once and for good: work that a plugin must end when it stops. In a job:
/// `std::stop_callback raise(run.stopToken(), [&] { signal.raise(); });`. Thread: any. Lifetime:
/// longer than what heeds it. Since 1.0.
class SUPPLIERD_API StopSignal {
public:
    /// Throws Poco::SystemException when the process has no descriptor left.
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    void raise();
    bool isRaised() const { return _isRaised; }
    /// Readable from raise() on.
    int descriptor() const { return _descriptor; }

private:
    int _descriptor;
    std::atomic<bool> _isRaised = false;
};

} // namespace supplierd
