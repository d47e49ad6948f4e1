#include "host/ctl/client/JobFollower.h"

#include "host/ctl/client/ResponsePrinter.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/Terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace supplierd::host {

namespace {

constexpr auto FIRST_LOOK = std::chrono::milliseconds(100);
constexpr auto LONGEST_LOOK = std::chrono::milliseconds(1'000);
/// Each costs one of the key's requests.
constexpr auto LONGEST_REMOTE_LOOK = std::chrono::milliseconds(15'000);
constexpr auto ABSENCE = std::chrono::minutes(2);

bool isBefore(const ResponseJson& run, const ResponseJson& wanted) {
    return run.is_number() && wanted.is_number() && run < wanted;
}

} // namespace

/// Nothing while the server is restarted, or wants fewer requests of this key.
std::optional<ResponseJson> JobFollower::askWhileAway(const ServerRequest& request,
                                                      std::chrono::steady_clock::time_point& answeredAt) {
    constexpr int TOO_MANY = 429;
    constexpr int FIRST_OF_SERVER = 500;
    constexpr int FIRST_BAD = 300;
    std::optional<ServerResponse> answer;
    try {
        answer = _context.connection().send(request);
    } catch (const CommandFailure&) {
        if (std::chrono::steady_clock::now() - answeredAt > ABSENCE)
            throw CommandFailure("the server does not answer any more; the job goes on when it is back: see "
                                 "`supplierctl job list`");
        return std::nullopt;
    }
    if (answer->status < FIRST_OF_SERVER)
        answeredAt = std::chrono::steady_clock::now();
    if (answer->status == TOO_MANY)
        std::this_thread::sleep_for(LONGEST_REMOTE_LOOK);
    if (answer->status == TOO_MANY ||
        (answer->status >= FIRST_OF_SERVER && std::chrono::steady_clock::now() - answeredAt <= ABSENCE))
        return std::nullopt;
    if (answer->status >= FIRST_BAD)
        throw ServerConnection::failureOf(*answer);
    return ServerConnection::dataOf(*answer);
}

/// Asks for work of the server until it has ended.
ResponseJson JobFollower::follow(const ResponseJson& begun, bool& isGood) {
    const auto states = _rule.at("while").get<std::set<std::string>>();
    const auto path = filledIn(_rule.value("path", ""), begun, {});
    const InterruptFlag interrupt;
    std::optional<ProgressBar> bar;
    std::size_t total = 0;
    std::string phase; // each has a bar of its own, since each counts something else
    const bool isLocal = _context.connection().address().url.empty();
    const auto wanted = valueAt(begun, "job.run");
    auto pause = FIRST_LOOK;
    auto answeredAt = std::chrono::steady_clock::now();
    ResponseJson now = begun;
    while (states.contains(textAt(now, _rule.value("state", ""))) || isBefore(valueAt(now, "job.run"), wanted)) {
        if (interrupt.isRaised())
            throw CommandFailure("the server goes on with it; see `supplierctl job list`");
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 3 / 2, isLocal ? LONGEST_LOOK : LONGEST_REMOTE_LOOK);
        if (auto answer = askWhileAway({.path = path}, answeredAt))
            now = std::move(*answer);
        else
            continue;
        if (const auto& run = valueAt(now, "job.run"); wanted.is_number() && run.is_number() && run > wanted)
            throw CommandFailure("another run of this job has begun since, so its result is not known any more; see "
                                 "`supplierctl audit`");
        const auto& done = valueAt(now, _rule.value("done", "-"));
        const auto& all = valueAt(now, _rule.value("total", "-"));
        if (!done.is_number())
            continue;
        const auto size = all.is_number() ? all.get<std::size_t>() : 0;
        if (const auto what = textAt(now, _rule.value("what", "-")); !bar || size != total || what != phase)
            bar.emplace(_context.err(), _context.isInteractive(), total = size, phase = what);
        bar->show(done.get<std::size_t>());
    }
    bar.reset();
    const auto good = _rule.value("good", std::set<std::string>());
    const auto state = textAt(now, _rule.value("state", ""));
    isGood = good.contains(state);
    const auto& result = valueAt(now, _rule.value("result", "-"));
    if (!isGood && result.is_null())
        throw CommandFailure(fmt::format("{}: {}", state, textAt(now, _rule.value("message", "job.message"))));
    return result.is_null() ? now : ResponseJson(result);
}

} // namespace supplierd::host
