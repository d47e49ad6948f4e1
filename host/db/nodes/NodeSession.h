#pragma once

#include <cstddef>
#include <cstdint>

namespace supplierd::host {

/// Where a session was opened to: the node, how often that had been lost before, and the epoch of its target
/// (DatabaseNodes).
struct NodeSession {
    std::size_t node = 0;
    std::uint64_t losses = 0;
    std::uint64_t epoch = 0;
};

} // namespace supplierd::host
