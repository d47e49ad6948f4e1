#pragma once

#include <functional>
#include <vector>

namespace supplierd::tests {

/// Calls `read` some thousand times (SUPPLIERD_TEST_READS: that often) while another thread calls `write` again and
/// again. Rethrows what either threw. Thread: `read` on the caller's.
void readBesideWriter(const std::function<void()>& read, const std::function<void()>& write);

/// Runs `work` with 0 to count - 1, each in a thread of its own; all begin together. Rethrows what one of them threw.
void together(int count, const std::function<void(int)>& work);
void together(const std::vector<std::function<void()>>& works);

} // namespace supplierd::tests
