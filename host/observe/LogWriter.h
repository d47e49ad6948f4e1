#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace supplierd::host {

/// What a log cannot say of itself.
struct LogFailure {
    enum class Kind {
        LosingLines,  ///< since just now; `reason` says why
        Recovered,    ///< lines are written again; `lines` were lost meanwhile
        ReopenFailed, ///< the old file is written on
    };

    Kind kind = Kind::LosingLines;
    std::string target; ///< "standard output", "standard error", or the file
    std::string reason;
    std::size_t lines = 0;
};

/// Writes lines to a file descriptor from a thread of its own, so that no request waits for a disk. Lines appear within
/// 100 ms, and at once when the writer is closed. Nothing here waits for a target that takes nothing, such as a pipe
/// that nobody reads: lines beyond 8 MiB are dropped and counted, as are lines that a full disk refuses. Thread: any.
class LogWriter {
public:
    /// `target`: "-" for standard output, "stderr", or the path of a file to append to.
    /// Throws Poco::OpenFileException when the file cannot be opened.
    explicit LogWriter(std::string target);
    /// Writes what is left, and gives up when the target takes nothing for 200 ms.
    ~LogWriter();
    LogWriter(const LogWriter&) = delete;
    LogWriter& operator=(const LogWriter&) = delete;

    /// `line` ends with a newline.
    void write(std::string_view line);
    /// Waits until all lines so far are written or dropped; false when they are not within the limit.
    bool flush(std::chrono::milliseconds limit = std::chrono::seconds(10));
    /// Has the file opened anew, after it was moved away (SIGUSR1). Returns at once.
    void reopen();
    std::size_t droppedLines() const;

    /// Who is told of failures, on the writer's thread; must not throw. Once this returns, the previous one is not
    /// called any more.
    void onFailure(std::function<void(const LogFailure&)> report);

private:
    using Clock = std::chrono::steady_clock;

    // On the writer's thread, without the mutex.
    void run();
    void takePending(); // with it
    void open();
    void openAnew(std::uint64_t requests);
    bool isReopening() const { return _reopened != _reopenRequests; } ///< with the mutex
    void describeTarget();
    bool writeOut();
    bool waitForRoom(std::chrono::milliseconds limit) const;
    long put(std::string_view bytes) const;
    void drop(const std::string& reason);
    void noteLosses();
    void report(const LogFailure& failure);
    void settle(std::uint64_t upTo);

    const std::string _target;
    int _descriptor = -1;
    bool _isSocket = false;
    std::size_t _largestWrite = 0;

    std::string _out;         ///< being written
    std::size_t _done = 0;    ///< of it
    bool _isTorn = false;     ///< the target ends within a line whose rest was dropped
    bool _isLosing = false;   ///< and that was told
    bool _wroteSince = false; ///< something went out since the last loss
    std::size_t _toldLost = 0;
    std::size_t _lostBefore = 0;
    std::string _lossReason;
    Clock::time_point _lastLoss;

    mutable std::mutex _mutex;
    std::condition_variable _wake;
    std::condition_variable _settledMore;
    std::string _pending;
    std::uint64_t _accepted = 0; ///< bytes
    std::uint64_t _settled = 0;  ///< of them: written or dropped
    std::size_t _dropped = 0;
    bool _isAwaited = false;
    std::uint64_t _reopenRequests = 0;
    std::uint64_t _reopened = 0; ///< of these requests
    std::size_t _forOldFile = 0; ///< of what is pending, when reopening
    bool _stopping = false;

    std::mutex _reportMutex;
    std::function<void(const LogFailure&)> _report;

    std::thread _thread;
};

} // namespace supplierd::host
