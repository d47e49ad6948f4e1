#pragma once

#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>

namespace supplierd::host {

/// Not readable until eventfd_write(); never blocks. The caller closes it. Throws std::system_error when the process
/// has no descriptor left.
inline int newEventDescriptor() {
    const int descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor < 0)
        throw std::system_error(errno, std::generic_category(), "cannot create an event descriptor");
    return descriptor;
}

} // namespace supplierd::host
