#pragma once

#include "host/ctl/client/CommandInputs.h"

#include <utility>

namespace supplierd::host {

class ControlContext;

/// One command of a server's table: what was typed for it becomes a request, and the answer is printed. Lifetime: as
/// long as the command line. Thread: one.
class CommandCall {
public:
    CommandCall(ControlContext& context, ResponseJson row) : _context(context), _row(std::move(row)) {}

    /// Gives the command its arguments and options.
    void declare(CLI::App& command) { _inputs.declare(command); }
    /// Throws CommandFailure, and ReportedFailure once everything was said and not all is well.
    void run();

private:
    void confirm();
    /// Several requests for `each`.
    void runEach();
    void runOnce(const CommandInputs::Places& places);
    ResponseJson send(const CommandInputs::Places& places);
    ResponseJson sendBodies(ServerRequest request);
    ResponseJson sendForAllPages(ServerRequest request);
    void save(ServerRequest& request);

    ControlContext& _context;
    const ResponseJson _row;
    CommandInputs _inputs{_row};
};

} // namespace supplierd::host
