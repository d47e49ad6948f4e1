#include "host/ctl/terminal/Terminal.h"

#include "host/ctl/terminal/Commands.h"

#include <supplierd/Validation.h>

#include <Poco/String.h>
#include <Poco/UTF8Encoding.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

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

} // namespace supplierd::host
