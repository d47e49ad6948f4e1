#include "host/ctl/terminal/Terminal.h"

#include "host/ctl/terminal/CommandFailure.h"

#include <supplierd/Validation.h>

#include <Poco/String.h>

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
    const auto answer = readLine();
    if (!answer)
        throw noAnswer(question);
    const auto text = Poco::trim(*answer);
    return text.empty() ? preset : text;
}

std::string Terminal::askSecret(const std::string& question) {
    const HiddenTyping hidden(_input); // before the question: what is typed at once is hidden too
    say(question + ": ");
    const auto answer = readHiddenLine();
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

std::optional<std::string> Terminal::readLine() {
    std::string line;
    while (const auto character = readCharacter(_input)) {
        if (*character == '\n')
            return line;
        line += *character;
    }
    return line.empty() ? std::nullopt : std::optional(line);
}

std::optional<std::string> Terminal::readHiddenLine() {
    std::string line;
    while (const auto character = readCharacter(_input)) {
        if (*character == '\n' || *character == '\r')
            return line;
        if (*character == CTRL_C)
            throw CommandFailure("interrupted");
        if (*character == CTRL_D)
            break;
        if (*character != BACKSPACE && *character != DELETE)
            line += *character;
        else if (!line.empty())
            line.pop_back();
    }
    return line.empty() ? std::nullopt : std::optional(line);
}

namespace {

/// The length of a character by its first byte, in valid UTF-8.
std::size_t lengthOf(unsigned char first) {
    if (first < 0x80)
        return 1;
    if (first < 0xE0)
        return 2;
    return first < 0xF0 ? 3 : 4;
}

char32_t codePointOf(std::string_view character) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
    if (character.size() == 1)
        return byte(0);
    char32_t codePoint = byte(0) & (0x7FU >> character.size());
    for (std::size_t i = 1; i < character.size(); ++i)
        codePoint = codePoint << 6U | (byte(i) & 0x3FU);
    return codePoint;
}

bool isHarmful(char32_t c) {
    const bool isControl = c < 0x20 || (c >= 0x7F && c < 0xA0);
    const bool endsLine = c == 0x2028 || c == 0x2029;
    const bool turnsDirection =
        c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    return isControl || endsLine || turnsDirection;
}

std::string shown(std::string_view text, bool keepLines) {
    const bool isUtf8 = isValidUtf8(text);
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const auto first = static_cast<unsigned char>(text.front());
        const std::string_view character = text.substr(0, isUtf8 ? lengthOf(first) : 1);
        text.remove_prefix(character.size());
        if (!isUtf8 && first >= 0x80)
            result += fmt::format("\\x{:02x}", first);
        else if (const char32_t code = codePointOf(character); isHarmful(code) && !(keepLines && code == '\n'))
            result += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
        else
            result += character;
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
