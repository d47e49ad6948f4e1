#pragma once

#include <optional>
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

} // namespace supplierd::host
