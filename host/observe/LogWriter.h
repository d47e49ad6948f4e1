#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace supplierd::host {

/// Writes lines to a file descriptor from a thread of its own, so that no request waits for a disk. Lines appear within
/// 100 ms, and at once when the writer is closed. When the target is slower than the lines come, lines beyond 8 MiB are
/// dropped and counted. Thread: any.
class LogWriter {
public:
    /// `target`: "-" for standard output, "stderr", or the path of a file to append to.
    /// Throws Poco::OpenFileException when the file cannot be opened.
    explicit LogWriter(std::string target);
    ~LogWriter();
    LogWriter(const LogWriter&) = delete;
    LogWriter& operator=(const LogWriter&) = delete;

    /// `line` ends with a newline.
    void write(std::string_view line);
    void flush();
    /// Opens the file anew, after it was moved away (SIGHUP).
    void reopen();
    std::size_t droppedLines() const;

private:
    void run();
    void open();
    void writeOut(const std::string& bytes) const;

    const std::string _target;
    int _descriptor = -1;
    mutable std::mutex _mutex;
    std::mutex _outMutex;
    std::condition_variable _wake;
    std::string _pending;
    std::size_t _dropped = 0;
    bool _stopping = false;
    std::thread _thread;
};

} // namespace supplierd::host
