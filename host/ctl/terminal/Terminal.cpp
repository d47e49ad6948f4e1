#include "host/ctl/terminal/Terminal.h"

#include "host/ctl/terminal/Commands.h"

#include <supplierd/Validation.h>

#include <Poco/String.h>
#include <Poco/UTF8Encoding.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

namespace supplierd::host {

namespace {

constexpr char CTRL_C = '\x03';
constexpr char CTRL_D = '\x04';
constexpr char BACKSPACE = '\b';
constexpr char DELETE = '\x7f';
constexpr int ATTEMPTS = 5;

/// Lines unseen, and Ctrl-C as a character that ends one: whatever happens, the terminal is as before at the end. It
/// stays in its line mode: after a change of that, Linux can take the next line for the end of the input.
class HiddenTyping {
public:
    explicit HiddenTyping(int terminal) : _terminal(terminal), _isTerminal(::tcgetattr(terminal, &_before) == 0) {
        if (!_isTerminal)
            return;
        termios hidden = _before;
        hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL | ISIG);
        hidden.c_cc[VEOL] = CTRL_C;
        ::tcsetattr(terminal, TCSAFLUSH, &hidden);
    }
    ~HiddenTyping() {
        if (_isTerminal)
            ::tcsetattr(_terminal, TCSADRAIN, &_before);
    }
    HiddenTyping(const HiddenTyping&) = delete;
    HiddenTyping& operator=(const HiddenTyping&) = delete;

private:
    int _terminal;
    termios _before{}; // filled while _isTerminal is initialised
    bool _isTerminal;
};

std::optional<char> readCharacter(int input) {
    char character = 0;
    ssize_t got = 0;
    do
        got = ::read(input, &character, 1);
    while (got < 0 && errno == EINTR);
    return got == 1 ? std::optional(character) : std::nullopt;
}

CommandFailure noAnswer(const std::string& question) {
    return CommandFailure("no answer to \"" + question + "\"; answer it, or give what it asks for by options and --yes",
                          ExitCode::Usage);
}

} // namespace

Terminal::Terminal()
    : _terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)),
      _input(_terminal >= 0 ? _terminal : STDIN_FILENO),
      _output(_terminal >= 0 ? _terminal : STDERR_FILENO) {}

Terminal::~Terminal() {
    if (_terminal >= 0)
        ::close(_terminal);
}

std::string Terminal::ask(const std::string& question, const std::string& preset) {
    say(question + (preset.empty() ? "" : " [" + preset + "]") + ": ");
    const auto answer = readLine(false);
    if (!answer)
        throw noAnswer(question);
    const auto text = Poco::trim(*answer);
    return text.empty() ? preset : text;
}

std::string Terminal::askSecret(const std::string& question) {
    const HiddenTyping hidden(_input); // before the question: what is typed at once is hidden too
    say(question + ": ");
    const auto answer = readLine(true);
    say("\n");
    if (!answer)
        throw noAnswer(question);
    return *answer;
}

bool Terminal::confirm(const std::string& question, bool preset) {
    for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
        const auto answer = Poco::toLower(ask(question + " (yes or no)", preset ? "yes" : "no"));
        if (answer == "y" || answer == "yes")
            return true;
        if (answer == "n" || answer == "no")
            return false;
        say("Please answer yes or no.\n");
    }
    throw noAnswer(question);
}

void Terminal::say(const std::string& text) {
    for (std::string_view rest = text; !rest.empty();) {
        const auto written = ::write(_output, rest.data(), rest.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return; // nobody sees the question; the answer decides
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

std::optional<std::string> Terminal::readLine(bool isHidden) {
    std::string line;
    while (const auto character = readCharacter(_input)) {
        const bool isErased = isHidden && (*character == BACKSPACE || *character == DELETE);
        if (*character == '\n' || (isHidden && *character == '\r'))
            return line;
        if (isHidden && *character == CTRL_C)
            throw CommandFailure("interrupted");
        if (isHidden && *character == CTRL_D)
            break;
        if (!isErased)
            line += *character;
        else if (!line.empty())
            line.pop_back();
    }
    return line.empty() ? std::nullopt : std::optional(line);
}

namespace {

bool isHarmful(char32_t c) {
    const bool isControl = c < 0x20 || (c >= 0x7F && c < 0xA0);
    const bool endsLine = c == 0x2028 || c == 0x2029;
    const bool turnsDirection =
        c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    return isControl || endsLine || turnsDirection;
}

std::string shown(std::string_view text, bool keepLines) {
    static const Poco::UTF8Encoding ENCODING;
    const bool isUtf8 = isValidUtf8(text);
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
        const int length = isUtf8 ? ENCODING.sequenceLength(bytes, 1) : 1;
        const int code = isUtf8 ? ENCODING.queryConvert(bytes, length) : *bytes;
        if (!isUtf8 && code >= 0x80)
            result += fmt::format("\\x{:02x}", code);
        else if (isHarmful(static_cast<char32_t>(code)) && !(keepLines && code == '\n'))
            result += fmt::format("\\u{:04x}", code);
        else
            result += text.substr(0, static_cast<std::size_t>(length));
        text.remove_prefix(static_cast<std::size_t>(length));
    }
    return result;
}

} // namespace

std::string terminalText(std::string_view text) {
    return shown(text, false);
}

std::string terminalLines(std::string_view text) {
    return shown(text, true);
}

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
