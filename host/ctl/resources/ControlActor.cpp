#include "host/ctl/resources/ControlActor.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace supplierd::host {

namespace {

constexpr std::size_t MAX_ACTOR = 64;

/// The column holds ASCII; what a terminal could take for a command stays out too.
char shown(char c) {
    const bool isGraphic = c > ' ' && c < '\x7f';
    return isGraphic ? c : '?';
}

std::string userName() {
    const uid_t user = ::getuid();
    const char* const behindSudo = std::getenv("SUDO_USER");
    if (user == 0 && behindSudo && *behindSudo) // root could be anybody anyway
        return behindSudo;
    const passwd* const entry = ::getpwuid(user);
    return entry ? std::string(entry->pw_name) : std::to_string(user);
}

} // namespace

std::string controlActor() {
    std::string actor = "supplierctl:";
    for (const char c : userName())
        actor += shown(c);
    if (actor.size() > MAX_ACTOR)
        actor.resize(MAX_ACTOR);
    return actor;
}

} // namespace supplierd::host
