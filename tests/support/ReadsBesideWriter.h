#pragma once

#include <functional>

namespace supplierd::tests {

/// Calls `read` some thousand times (SUPPLIERD_TEST_READS: that often) while another thread calls `write` again and
/// again. Rethrows what either threw. Thread: `read` on the caller's.
void readBesideWriter(const std::function<void()>& read, const std::function<void()>& write);

} // namespace supplierd::tests
