#include "host/observe/LogWriter.h"

#include <Poco/Exception.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace supplierd::host {

namespace {

constexpr std::size_t MAX_PENDING = std::size_t{8} << 20;
constexpr std::size_t WRITE_AT = std::size_t{64} << 10;
constexpr auto FLUSH_INTERVAL = std::chrono::milliseconds(100);
constexpr mode_t LOG_FILE_MODE = 0640;

} // namespace

LogWriter::LogWriter(std::string target) : _target(std::move(target)) {
    open();
    _thread = std::thread([this] { run(); });
}

LogWriter::~LogWriter() {
    {
        const std::lock_guard lock(_mutex);
        _stopping = true;
    }
    _wake.notify_all();
    _thread.join();
    if (_descriptor > STDERR_FILENO)
        close(_descriptor);
}

void LogWriter::open() {
    if (_target == "-")
        _descriptor = STDOUT_FILENO;
    else if (_target == "stderr")
        _descriptor = STDERR_FILENO;
    else {
        const int descriptor = ::open(_target.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, LOG_FILE_MODE);
        if (descriptor < 0)
            throw Poco::OpenFileException("cannot open the log file " + _target + ": " + std::strerror(errno));
        if (_descriptor > STDERR_FILENO)
            close(_descriptor);
        _descriptor = descriptor;
    }
}

void LogWriter::write(std::string_view line) {
    bool wake = false;
    {
        const std::lock_guard lock(_mutex);
        if (_pending.size() + line.size() > MAX_PENDING) {
            ++_dropped;
            return;
        }
        wake = _pending.size() < WRITE_AT && _pending.size() + line.size() >= WRITE_AT;
        _pending += line;
    }
    if (wake)
        _wake.notify_one();
}

void LogWriter::run() {
    std::unique_lock lock(_mutex);
    while (!_stopping) {
        _wake.wait_for(lock, FLUSH_INTERVAL, [this] { return _stopping || _pending.size() >= WRITE_AT; });
        lock.unlock();
        flush();
        lock.lock();
    }
    lock.unlock();
    flush();
}

void LogWriter::flush() {
    const std::lock_guard out(_outMutex);
    std::string bytes;
    {
        const std::lock_guard lock(_mutex);
        bytes.swap(_pending);
    }
    writeOut(bytes);
    bytes.clear();
    const std::lock_guard lock(_mutex);
    if (_pending.empty())
        _pending.swap(bytes); // gives the memory back
}

void LogWriter::reopen() {
    const std::lock_guard out(_outMutex);
    open();
}

std::size_t LogWriter::droppedLines() const {
    const std::lock_guard lock(_mutex);
    return _dropped;
}

void LogWriter::writeOut(const std::string& bytes) const {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto wrote = ::write(_descriptor, bytes.data() + done, bytes.size() - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return; // a full disk or a closed pipe costs log lines, never the server
        done += static_cast<std::size_t>(wrote);
    }
}

} // namespace supplierd::host
