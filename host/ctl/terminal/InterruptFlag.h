#pragma once

#include <csignal>

namespace supplierd::host {

/// While it lives, the first SIGINT or SIGTERM only raises the flag, so that a long command ends between two pieces of
/// work and says how far it came; the second one ends the process. Thread: one; one object at a time.
class InterruptFlag {
public:
    InterruptFlag();
    ~InterruptFlag();
    InterruptFlag(const InterruptFlag&) = delete;
    InterruptFlag& operator=(const InterruptFlag&) = delete;

    bool isRaised() const;

private:
    struct sigaction _interrupt {};
    struct sigaction _terminate {};
};

} // namespace supplierd::host
