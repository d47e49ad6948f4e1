#pragma once

#include <cppunit/TestAssert.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A program at a terminal of its own, and the person before it.
class TerminalTalk {
public:
    explicit TerminalTalk(const std::vector<std::string>& command) {
        std::vector<char*> arguments;
        for (const auto& argument : command)
            arguments.push_back(const_cast<char*>(argument.c_str()));
        arguments.push_back(nullptr);
        _process = ::forkpty(&_terminal, nullptr, nullptr, nullptr);
        if (_process == 0) {
            ::execv(arguments[0], arguments.data());
            ::_exit(127);
        }
    }
    ~TerminalTalk() {
        if (_process > 0) {
            ::kill(_process, SIGKILL);
            ::waitpid(_process, nullptr, 0);
        }
        ::close(_terminal);
    }
    TerminalTalk(const TerminalTalk&) = delete;
    TerminalTalk& operator=(const TerminalTalk&) = delete;

    /// Reads on until the program has said this since the last time.
    void expect(const std::string& text) {
        for (auto found = _shown.find(text, _seen); (found = _shown.find(text, _seen)) == std::string::npos;)
            CPPUNIT_ASSERT_MESSAGE("no \"" + text + "\" after:\n" + _shown, readMore());
        _seen = _shown.find(text, _seen) + text.size();
    }
    void type(const std::string& text) {
        CPPUNIT_ASSERT_EQUAL(static_cast<ssize_t>(text.size()), ::write(_terminal, text.data(), text.size()));
    }
    int exitCode() {
        while (readMore()) {
        }
        int status = 0;
        ::waitpid(_process, &status, 0);
        _process = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    const std::string& shown() const { return _shown; }

private:
    bool readMore() {
        pollfd waited{_terminal, POLLIN, 0};
        std::array<char, 4096> buffer{};
        if (::poll(&waited, 1, 60'000) <= 0)
            return false;
        const auto got = ::read(_terminal, buffer.data(), buffer.size());
        if (got > 0)
            _shown.append(buffer.data(), static_cast<std::size_t>(got));
        return got > 0; // EIO when the program has ended
    }

    int _terminal = -1;
    pid_t _process = -1;
    std::string _shown;
    std::size_t _seen = 0;
};

} // namespace supplierd::tests
