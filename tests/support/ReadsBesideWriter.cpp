#include "tests/support/ReadsBesideWriter.h"

#include <atomic>
#include <cstdlib>
#include <future>

namespace supplierd::tests {

namespace {

constexpr int SOME_READS = 2'000;

int wantedReads() {
    const char* const given = std::getenv("SUPPLIERD_TEST_READS");
    return given != nullptr ? std::atoi(given) : SOME_READS;
}

/// Sets the flag when it goes, whatever ended the reading.
struct SetAtEnd {
    std::atomic<bool>& flag;
    ~SetAtEnd() { flag = true; }
};

} // namespace

void readBesideWriter(const std::function<void()>& read, const std::function<void()>& write) {
    std::atomic<bool> done{false};
    auto writer = std::async(std::launch::async, [&] {
        while (!done)
            write();
    });
    {
        const SetAtEnd end{done};
        for (int i = wantedReads(); i > 0; --i)
            read();
    }
    writer.get();
}

} // namespace supplierd::tests
