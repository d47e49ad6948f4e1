#pragma once

#include <sys/types.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace supplierd::tests {

/// Until the thread waits for something, or has ended.
inline void awaitSleep(pid_t thread) {
    for (;;) {
        std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
        std::string fields;
        if (!std::getline(file, fields) || fields.find(") S ") != std::string::npos)
            return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

} // namespace supplierd::tests
