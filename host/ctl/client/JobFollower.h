#pragma once

#include "host/ctl/client/ServerConnection.h"

#include <chrono>
#include <optional>

namespace supplierd::host {

class ControlContext;

/// Waits for work that goes on in the server after its answer, and shows how far it is. Thread: one.
class JobFollower {
public:
    /// `rule`: the member `follow` of a command's row.
    JobFollower(ControlContext& context, const ResponseJson& rule) : _context(context), _rule(rule) {}

    /// The last answer, or its part that the rule names. Throws CommandFailure: it failed, or nobody can say.
    ResponseJson follow(const ResponseJson& begun, bool& isGood);

private:
    std::optional<ResponseJson> askWhileAway(const ServerRequest& request,
                                             std::chrono::steady_clock::time_point& answeredAt);

    ControlContext& _context;
    const ResponseJson& _rule;
};

} // namespace supplierd::host
