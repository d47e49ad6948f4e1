#include "tests/support/Concurrency.h"

#include <cppunit/Asserter.h>
#include <cppunit/SourceLine.h>

#include <atomic>
#include <barrier>
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

void together(int count, const std::function<void(int)>& work) {
    std::barrier start(count);
    std::vector<std::future<void>> running;
    for (int i = 0; i < count; ++i)
        running.push_back(std::async(std::launch::async, [&, i] {
            start.arrive_and_wait();
            work(i);
        }));
    for (auto& one : running)
        one.wait();
    for (auto& one : running)
        one.get();
}

void together(const std::vector<std::function<void()>>& works) {
    together(static_cast<int>(works.size()), [&](int i) { works[static_cast<std::size_t>(i)](); });
}

namespace {

bool comesTrue(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}

} // namespace

void waitUntil(const std::function<bool()>& condition, std::chrono::milliseconds limit,
               const std::source_location& where) {
    CPPUNIT_NS::Asserter::failIf(!comesTrue(condition, limit), "waited in vain",
                                 CPPUNIT_NS::SourceLine(where.file_name(), static_cast<int>(where.line())));
}

void waitFor(const std::string& what, const std::function<bool()>& condition, std::chrono::milliseconds limit) {
    if (!comesTrue(condition, limit))
        throw std::runtime_error("this did not come: " + what);
}

} // namespace supplierd::tests
