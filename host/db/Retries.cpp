#include "host/db/Retries.h"

#include <algorithm>
#include <random>
#include <thread>

namespace supplierd::host {

void Retries::pause() const {
    constexpr int SHORTEST_MS = 2;
    constexpr int LONGEST_MS = 64;
    thread_local std::minstd_rand random{std::random_device{}()};
    const int longest = std::min(LONGEST_MS, SHORTEST_MS << _taken);
    std::this_thread::sleep_for(
        std::chrono::milliseconds(std::uniform_int_distribution<int>(SHORTEST_MS, longest)(random)));
}

} // namespace supplierd::host
