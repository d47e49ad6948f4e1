#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <future>
#include <vector>

namespace supplierd::media {

/// Calls `work(i)` for every i below `count`, some at once: what waits for a store over the network is not waited for
/// one by one. After an exception nothing more is begun; it is thrown when all have ended.
template <class Work>
void forEachInParallel(std::size_t count, const Work& work) {
    constexpr std::size_t AT_ONCE = 8;
    std::atomic<std::size_t> next = 0;
    std::vector<std::future<void>> threads;
    for (std::size_t thread = 0; thread < std::min(AT_ONCE, count); ++thread)
        threads.push_back(std::async(std::launch::async, [&] {
            try {
                for (std::size_t i = next++; i < count; i = next++)
                    work(i);
            } catch (const std::exception&) {
                next = count;
                throw;
            }
        }));
    for (auto& thread : threads)
        thread.wait();
    for (auto& thread : threads)
        thread.get();
}

} // namespace supplierd::media
