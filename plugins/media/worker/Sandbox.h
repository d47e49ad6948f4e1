#pragma once

#include <cstddef>

namespace supplierd::media {

struct SandboxLimits {
    /// The worst accepted picture, a progressive CMYK JPEG of 40 megapixels, needs about 410 MiB; most need 100.
    std::size_t addressSpaceBytes = std::size_t{512} << 20U;
};

/// Gives up, for good, everything that decoding does not need: new privileges, files, network, processes, debugging,
/// core dumps. Afterwards the process can read and write descriptor 0, the only one left, compute, take memory up to
/// the limit, and end. To reach for a program, a socket, a process or a debugger ends it at once (SIGSYS); other calls
/// fail with EPERM. The process must have one thread. Under a sanitizer, whose runtime has threads and a huge address
/// space of its own, these two are left out. Throws std::system_error, std::logic_error.
void enterSandbox(const SandboxLimits& limits);

/// The processor time that the process may use from now on, sandbox or not; the kernel ends it at the limit.
/// The server's own limit is shorter: this one holds when the server is gone.
void limitCpuTime(unsigned seconds);

} // namespace supplierd::media
