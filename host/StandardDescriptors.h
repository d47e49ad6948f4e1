#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace supplierd::host {

/// Opens /dev/null for those of standard input, output and error that are closed: else the next file or connection that
/// is opened gets such a number, and what is meant for standard error goes there. First thing in main().
inline void openStandardDescriptors() {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
        if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != descriptor)
            ::_exit(127); // nothing can be said, and nothing that is opened from here on could be trusted
}

} // namespace supplierd::host
