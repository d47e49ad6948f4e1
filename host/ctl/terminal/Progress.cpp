#include "host/ctl/terminal/Progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace supplierd::host {

namespace {

constexpr std::chrono::milliseconds DRAW_INTERVAL{100};
/// Before that an estimate jumps about.
constexpr std::chrono::milliseconds FIRST_ESTIMATE{500};
constexpr std::size_t USUAL_COLUMNS = 80;
constexpr std::size_t LONGEST_BAR = 40;
constexpr std::size_t SHORTEST_BAR = 5;

std::size_t terminalColumns() {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return USUAL_COLUMNS;
    return size.ws_col;
}

/// 12345 → "12,345"
std::string grouped(std::size_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3; at -= 3)
        text.insert(at - 3, ",");
    return text;
}

std::string shortTime(std::size_t seconds) {
    constexpr std::size_t MINUTE = 60;
    if (seconds < 2 * MINUTE)
        return fmt::format("{} s", seconds);
    return fmt::format("{} min", seconds / MINUTE);
}

std::string bar(std::size_t done, std::size_t total, std::size_t width) {
    const std::size_t filled = total == 0 ? width : std::min(width, done * width / total);
    std::string text(filled, '=');
    if (filled < width)
        text += '>';
    text.resize(width, ' ');
    return "[" + text + "]";
}

volatile std::sig_atomic_t raised = 0;

void raiseFlag(int) {
    raised = 1;
}

} // namespace

std::string Progress::line(std::size_t columns) const {
    const bool isEndKnown = total > 0 || what.empty();
    std::string text = " " + grouped(done);
    if (isEndKnown)
        text += " of " + grouped(total);
    if (!what.empty())
        text += " " + what;
    if (done > 0 && elapsed >= FIRST_ESTIMATE) {
        const double perSecond = static_cast<double>(done) * 1000 / static_cast<double>(elapsed.count());
        text += fmt::format(", {}/s", grouped(static_cast<std::size_t>(perSecond)));
        if (isEndKnown)
            text += fmt::format(", {} left", shortTime(static_cast<std::size_t>(
                                                 static_cast<double>(total - std::min(done, total)) / perSecond)));
    }
    // The last column stays free: writing into it makes some terminals go to the next line.
    const std::size_t brackets = 2;
    const std::size_t room = columns > text.size() + brackets + 1 ? columns - text.size() - brackets - 1 : 0;
    if (isEndKnown && room >= SHORTEST_BAR)
        text.insert(0, bar(done, total, std::min(room, LONGEST_BAR)));
    if (text.size() >= columns)
        text.resize(columns > 0 ? columns - 1 : 0);
    return text;
}

ProgressBar::ProgressBar(std::ostream& terminal, bool isVisible, std::size_t total, std::string what)
    : _terminal(terminal), _isVisible(isVisible) {
    _progress.total = total;
    _progress.what = std::move(what);
    draw();
}

ProgressBar::~ProgressBar() {
    if (_isVisible)
        _terminal << "\r\033[K" << std::flush;
}

void ProgressBar::show(std::size_t done) {
    _progress.done = done;
    if (Clock::now() >= _nextDraw)
        draw();
}

void ProgressBar::draw() {
    if (!_isVisible)
        return;
    const auto now = Clock::now();
    _progress.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - _start);
    _terminal << "\r" << _progress.line(terminalColumns()) << "\033[K" << std::flush;
    _nextDraw = now + DRAW_INTERVAL;
}

InterruptFlag::InterruptFlag() {
    raised = 0;
    struct sigaction action {};
    action.sa_handler = raiseFlag;
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, &_interrupt);
    ::sigaction(SIGTERM, &action, &_terminate);
}

InterruptFlag::~InterruptFlag() {
    ::sigaction(SIGINT, &_interrupt, nullptr);
    ::sigaction(SIGTERM, &_terminate, nullptr);
}

bool InterruptFlag::isRaised() const {
    return raised != 0;
}

} // namespace supplierd::host
