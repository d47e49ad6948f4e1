#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace supplierd::host {

/// Questions to the person at the terminal, or to whatever standard input is when there is none. Thread: one.
class Terminal {
public:
    Terminal();
    ~Terminal();
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    /// The answer without spaces around it; `preset` for an empty one. Throws CommandFailure when there is none to get.
    std::string ask(const std::string& question, const std::string& preset);
    /// Without showing what is typed. Throws as ask(), and when Ctrl-C is typed.
    std::string askSecret(const std::string& question);
    bool confirm(const std::string& question, bool preset);

private:
    void say(const std::string& text);
    /// Empty at the end of input.
    std::optional<std::string> readLine(bool isHidden);

    int _terminal; ///< -1: none, standard input and error serve
    int _input;
    int _output;
};

/// Text of unknown origin on one line of a terminal: what a terminal could take for a command, and what turns the
/// direction of writing, stands as `\u001b`; a byte of what is no UTF-8 as `\xff`. JSON needs none of this.
std::string terminalText(std::string_view text);

/// The same, but lines stay lines.
std::string terminalLines(std::string_view text);

/// How far a long command is.
struct Progress {
    std::size_t done = 0;
    std::size_t total = 0;
    std::chrono::milliseconds elapsed{0};
    std::string what = {}; ///< is counted: "files"; empty: that is clear. With it a total of 0 is one not known

    /// "[=====>    ] 2,500 of 5,000, 412/s, 7 s left", in ASCII, shorter than `columns`.
    std::string line(std::size_t columns) const;
};

/// A line of Progress on standard error, redrawn in place a few times a second; wiped when the object goes. Draws
/// nothing unless it is visible: into a file or a pipe it would be rubbish. Thread: one.
class ProgressBar {
public:
    ProgressBar(std::ostream& terminal, bool isVisible, std::size_t total, std::string what = {});
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void show(std::size_t done);

private:
    using Clock = std::chrono::steady_clock;

    void draw();

    std::ostream& _terminal;
    const bool _isVisible;
    Progress _progress;
    const Clock::time_point _start = Clock::now();
    Clock::time_point _nextDraw = _start;
};

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
