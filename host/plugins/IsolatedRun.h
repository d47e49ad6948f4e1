#pragma once

#include "host/plugins/Finding.h"

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace supplierd::host {

/// How work that runs in a process of its own tells what it finds. Thread: one.
class FindingWriter {
public:
    explicit FindingWriter(int descriptor) : _descriptor(descriptor) {}

    /// What comes next, in words that fit behind "while": "starting it". The time limit begins anew.
    void enter(std::string_view stage);
    void add(const Finding& finding);

private:
    void send(const std::string& message);

    int _descriptor;
};

struct IsolatedOutcome {
    enum class End { Finished, Crashed, TimedOut };

    Findings findings; ///< those that were told before the end
    End end = End::Finished;
    std::string stage; ///< the one that was not left
    int signal = 0;    ///< that ended it; 0: it exited
    int exitCode = 0;
    std::chrono::milliseconds limit{}; ///< of that stage
};

/// How it ended, when it did not finish: "it took longer than 10 s and was ended", "it crashed (Segmentation fault)".
std::string describeEnd(const IsolatedOutcome& outcome);

/// Of a stage.
using StageLimit = std::function<std::chrono::milliseconds(std::string_view stage)>;

/// Runs `work` in a child process, which and whose own children are gone afterwards. Call it while this process has one
/// thread. Throws std::system_error when there can be no child.
IsolatedOutcome runIsolated(const std::function<void(FindingWriter&)>& work, const StageLimit& limit);
IsolatedOutcome runIsolated(const std::function<void(FindingWriter&)>& work, std::chrono::milliseconds limit);

} // namespace supplierd::host
