#include "host/server/process/Supervisor.h"

#include <systemd/sd-daemon.h>

#include <ctime>

namespace supplierd::host {

namespace {

/// For what comes after the time that was asked for.
constexpr auto WATCHDOG_SPARE = std::chrono::seconds(15);

std::string microseconds(std::chrono::milliseconds time) {
    return std::to_string(std::chrono::microseconds(time + WATCHDOG_SPARE).count());
}

std::string monotonicNow() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::to_string(std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000);
}

} // namespace

void Supervisor::send(const std::string& state) const {
    if (!_isSilent)
        sd_notify(/* unset_environment */ 0, state.c_str());
}

void Supervisor::starting(const std::string& status, std::chrono::milliseconds longest) const {
    send("EXTEND_TIMEOUT_USEC=" + microseconds(longest) + "\nSTATUS=" + status);
}

void Supervisor::ready(const std::string& status) const {
    send("READY=1\nSTATUS=" + status);
}

void Supervisor::stopping(std::chrono::milliseconds longest) const {
    send("STOPPING=1\nEXTEND_TIMEOUT_USEC=" + microseconds(longest) + "\nSTATUS=finishing what runs");
}

void Supervisor::handingOver(std::chrono::milliseconds longest) const {
    send("RELOADING=1\nMONOTONIC_USEC=" + monotonicNow() + "\nEXTEND_TIMEOUT_USEC=" + microseconds(longest) +
         "\nSTATUS=starting a successor");
}

void Supervisor::handedOverTo(pid_t successor) const {
    send("MAINPID=" + std::to_string(successor) + "\nREADY=1\nSTATUS=serving");
}

} // namespace supplierd::host
