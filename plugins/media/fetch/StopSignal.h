#pragma once

#include <atomic>

namespace supplierd::media {

/// Wakes every wait of the process part that shares it, once and for good. Thread: any.
class StopSignal {
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

} // namespace supplierd::media
