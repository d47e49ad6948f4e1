#pragma once

#include <stdexcept>
#include <string>

namespace supplierd::host {

/// What supplierctl ends with; scripts rely on the numbers.
enum class ExitCode { Ok = 0, Failed = 1, Usage = 2, NotAllowed = 4 };

/// A command cannot do what it was asked. The message is for the operator: what was found and what to do.
class CommandFailure : public std::runtime_error {
public:
    explicit CommandFailure(const std::string& message, ExitCode exitCode = ExitCode::Failed)
        : std::runtime_error(message), _exitCode(exitCode) {}

    ExitCode exitCode() const noexcept { return _exitCode; }

private:
    ExitCode _exitCode;
};

} // namespace supplierd::host
