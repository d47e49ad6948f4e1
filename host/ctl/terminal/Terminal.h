#pragma once

#include <optional>
#include <string>

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
    std::optional<std::string> readLine();
    std::optional<std::string> readHiddenLine();

    int _terminal; ///< -1: none, standard input and error serve
    int _input;
    int _output;
};

} // namespace supplierd::host
