#pragma once

#include <chrono>
#include <functional>
#include <source_location>
#include <string>
#include <vector>

namespace supplierd::tests {

/// Calls `read` some thousand times (SUPPLIERD_TEST_READS: that often) while another thread calls `write` again and
/// again. Rethrows what either threw. Thread: `read` on the caller's.
void readBesideWriter(const std::function<void()>& read, const std::function<void()>& write);

/// Runs `work` with 0 to count - 1, each in a thread of its own; all begin together. Rethrows what one of them threw.
void together(int count, const std::function<void(int)>& work);
void together(const std::vector<std::function<void()>>& works);

/// Asks again and again; fails the test at the caller's line when the condition does not come true within `limit`,
/// which is longer than the lease of a job that nobody gave back.
void waitUntil(const std::function<bool()>& condition, std::chrono::milliseconds limit = std::chrono::minutes(3),
               const std::source_location& where = std::source_location::current());
/// The same; throws std::runtime_error, naming `what`.
void waitFor(const std::string& what, const std::function<bool()>& condition,
             std::chrono::milliseconds limit = std::chrono::minutes(3));

} // namespace supplierd::tests
