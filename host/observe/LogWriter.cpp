#include "host/observe/LogWriter.h"

#include <Poco/Exception.h>

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

namespace supplierd::host {

namespace {

constexpr std::size_t MAX_PENDING = std::size_t{8} << 20;
constexpr std::size_t WRITE_AT = std::size_t{64} << 10;
constexpr auto FLUSH_INTERVAL = std::chrono::milliseconds(100);
/// How long one attempt waits for a target that takes nothing; the thread has other duties.
constexpr auto ROOM_WAIT = std::chrono::milliseconds(50);
/// For how long a target may take nothing at the end.
constexpr auto LAST_WAIT = std::chrono::milliseconds(200);
/// A log recovers when it has lost nothing for so long.
constexpr auto RECOVERED_AFTER = std::chrono::seconds(1);
constexpr mode_t LOG_FILE_MODE = 0640;

std::size_t linesIn(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

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
        // O_NONBLOCK: a named pipe that nobody reads is an error here, and never a wait.
        const int descriptor =
            ::open(_target.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, LOG_FILE_MODE);
        if (descriptor < 0)
            throw Poco::OpenFileException("cannot open the log file " + _target + ": " + std::strerror(errno));
        if (_descriptor > STDERR_FILENO)
            close(_descriptor);
        _descriptor = descriptor;
    }
    describeTarget();
}

/// A descriptor that other processes have too must not be made non-blocking: what is written to it at once is kept
/// within what poll() promises. A pipe with room takes PIPE_BUF bytes.
void LogWriter::describeTarget() {
    struct stat status {};
    const bool known = ::fstat(_descriptor, &status) == 0;
    _isSocket = known && S_ISSOCK(status.st_mode);
    const bool isFile = known && S_ISREG(status.st_mode);
    _largestWrite = isFile || _isSocket ? std::numeric_limits<std::size_t>::max() : PIPE_BUF;
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
        _accepted += line.size();
    }
    if (wake)
        _wake.notify_one();
}

bool LogWriter::flush(std::chrono::milliseconds limit) {
    std::unique_lock lock(_mutex);
    const auto upTo = _accepted;
    _isAwaited = true;
    _wake.notify_all();
    return _settledMore.wait_for(lock, limit, [&] { return _settled >= upTo && !isReopening(); });
}

void LogWriter::reopen() {
    {
        const std::lock_guard lock(_mutex);
        ++_reopenRequests;
        _forOldFile = _pending.size();
    }
    _wake.notify_all();
}

std::size_t LogWriter::droppedLines() const {
    const std::lock_guard lock(_mutex);
    return _dropped;
}

void LogWriter::onFailure(std::function<void(const LogFailure&)> report) {
    const std::lock_guard lock(_reportMutex);
    _report = std::move(report);
}

void LogWriter::run() {
    auto lastRoom = Clock::now();
    for (;;) {
        std::unique_lock lock(_mutex);
        _wake.wait_for(lock, FLUSH_INTERVAL,
                       [this] { return _stopping || isReopening() || _isAwaited || _pending.size() >= WRITE_AT; });
        const bool stopping = _stopping;
        const auto requests = _reopenRequests;
        const bool reopening = isReopening();
        _isAwaited = false;
        takePending();
        const auto upTo = _accepted - _pending.size();
        lock.unlock();

        const auto before = _done;
        const bool wroteAll = writeOut();
        if (reopening)
            openAnew(requests);
        if (wroteAll || _done != before)
            lastRoom = Clock::now();
        else if (stopping && Clock::now() - lastRoom >= LAST_WAIT)
            drop("nobody takes them");
        noteLosses();
        if (_out.empty())
            settle(upTo);
        lock.lock();
        if (stopping && _out.empty() && _pending.empty())
            return;
    }
}

/// With the mutex. Lines that came before reopen() go to the old file, those after it to the new one.
void LogWriter::takePending() {
    if (!_out.empty())
        return;
    if (!isReopening() || _forOldFile >= _pending.size()) {
        _out.swap(_pending);
        return;
    }
    _out = _pending.substr(0, _forOldFile);
    _pending.erase(0, _forOldFile);
    _isAwaited = true;
}

/// A request that comes meanwhile is for the next round: what was opened may be the file that it wants left.
void LogWriter::openAnew(std::uint64_t requests) {
    try {
        open();
    } catch (const Poco::Exception& failure) {
        report({LogFailure::Kind::ReopenFailed, {}, failure.message(), 0});
    }
    {
        const std::lock_guard lock(_mutex);
        _reopened = requests;
    }
    _settledMore.notify_all();
}

/// False when something is left that the target does not take now. What it refuses is dropped.
bool LogWriter::writeOut() {
    if (_isTorn && !_out.empty() && _done == 0)
        _out.insert(0, 1, '\n');
    while (_done < _out.size()) {
        if (!waitForRoom(ROOM_WAIT))
            return false;
        const auto wrote = put(std::string_view(_out).substr(_done, _largestWrite));
        if (wrote > 0) {
            _done += static_cast<std::size_t>(wrote);
            _isTorn = false;
        } else if (errno != EINTR && errno != EAGAIN) {
            drop(std::strerror(errno)); // a full disk or a closed pipe costs log lines, never the server
            return false;
        }
    }
    _wroteSince = _wroteSince || !_out.empty();
    _done = 0;
    _out.clear();
    return true;
}

bool LogWriter::waitForRoom(std::chrono::milliseconds limit) const {
    pollfd waited{_descriptor, POLLOUT, 0};
    return ::poll(&waited, 1, static_cast<int>(limit.count())) != 0;
}

long LogWriter::put(std::string_view bytes) const {
    return _isSocket ? ::send(_descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                     : ::write(_descriptor, bytes.data(), bytes.size());
}

/// Of a line that is written in part the rest is dropped, and the next one begins on a line of its own.
void LogWriter::drop(const std::string& reason) {
    const auto lost = linesIn(std::string_view(_out).substr(_done));
    _isTorn = _isTorn || (_done > 0 && _out[_done - 1] != '\n');
    _out.clear();
    _done = 0;
    _lossReason = reason;
    const std::lock_guard lock(_mutex);
    _dropped += lost;
}

void LogWriter::noteLosses() {
    const auto dropped = droppedLines();
    const auto now = Clock::now();
    if (dropped != _toldLost) {
        if (!_isLosing) {
            _lostBefore = _toldLost;
            report({LogFailure::Kind::LosingLines, {}, _lossReason.empty() ? "nobody takes them" : _lossReason, 0});
        }
        _isLosing = true;
        _toldLost = dropped;
        _lastLoss = now;
        _lossReason.clear();
        _wroteSince = false;
    } else if (_isLosing && _wroteSince && now - _lastLoss >= RECOVERED_AFTER) {
        _isLosing = false;
        report({LogFailure::Kind::Recovered, {}, {}, dropped - _lostBefore});
    }
}

void LogWriter::report(const LogFailure& failure) {
    auto complete = failure;
    complete.target = _target == "-" ? "standard output" : _target == "stderr" ? "standard error" : _target;
    const std::lock_guard lock(_reportMutex);
    if (_report)
        _report(complete);
}

void LogWriter::settle(std::uint64_t upTo) {
    {
        const std::lock_guard lock(_mutex);
        _settled = upTo;
    }
    _settledMore.notify_all();
}

} // namespace supplierd::host
