// The main function of every test program: `PROGRAM [--list] [PART-OF-A-NAME]`.
#include "tests/support/Test.h"

#include <cppunit/Exception.h>
#include <cppunit/SourceLine.h>
#include <cppunit/Test.h>
#include <cppunit/TestFailure.h>
#include <cppunit/TestListener.h>
#include <cppunit/TestResult.h>
#include <cppunit/extensions/TestFactoryRegistry.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

/// One line per test, at once, so that a hanging or crashing test names itself.
class ProgressPrinter : public CppUnit::TestListener {
public:
    void startTest(CppUnit::Test* test) override {
        _failed = false;
        _begin = std::chrono::steady_clock::now();
        std::printf("%s ... ", test->getName().c_str());
        std::fflush(stdout);
    }

    void addFailure(const CppUnit::TestFailure& failure) override {
        const auto line = failure.sourceLine();
        const auto message = failure.thrownException()->message();
        std::printf("%sFAILED\n    %s:%d: %s\n    %s\n", _failed ? "also " : "",
                    line.isValid() ? line.fileName().c_str() : "?", line.isValid() ? line.lineNumber() : 0,
                    message.shortDescription().c_str(), message.details().c_str());
        std::fflush(stdout);
        _failed = true;
    }

    void endTest(CppUnit::Test*) override {
        ++_tests;
        if (_failed) {
            ++_failures;
            return;
        }
        if (const std::string& reason = supplierd::tests::RegisteredTest::skipped(); !reason.empty()) {
            ++_skipped;
            std::printf("SKIPPED: %s\n", reason.c_str());
            std::fflush(stdout);
            return;
        }
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - _begin;
        std::printf("ok (%.2f s)\n", took.count());
        std::fflush(stdout);
    }

    /// The exit code; CTest shows a program as skipped of which no test ran.
    int summarize() const {
        constexpr int ALL_SKIPPED = 77;
        std::printf("%d tests, %d failed", _tests, _failures);
        if (_skipped > 0)
            std::printf(", %d skipped", _skipped);
        std::printf("\n");
        if (_tests == 0 || _failures > 0)
            return 1;
        return _skipped == _tests ? ALL_SKIPPED : 0;
    }

private:
    std::chrono::steady_clock::time_point _begin;
    bool _failed = false;
    int _tests = 0;
    int _failures = 0;
    int _skipped = 0;
};

void collectLeaves(CppUnit::Test* test, const std::string& filter, std::vector<CppUnit::Test*>& leaves) {
    if (test->getChildTestCount() > 0) {
        for (int i = 0; i < test->getChildTestCount(); ++i)
            collectLeaves(test->getChildTestAt(i), filter, leaves);
    } else if (test->countTestCases() == 1 && test->getName().find(filter) != std::string::npos) {
        leaves.push_back(test);
    }
}

} // namespace

int main(int argc, char** argv) {
    ::signal(SIGPIPE, SIG_IGN);
    const std::string argument = argc > 1 ? argv[1] : "";
    const bool listOnly = argument == "--list";
    const std::unique_ptr<CppUnit::Test> all(CppUnit::TestFactoryRegistry::getRegistry().makeTest());
    std::vector<CppUnit::Test*> tests;
    collectLeaves(all.get(), listOnly ? "" : argument, tests);
    if (listOnly) {
        for (const auto* test : tests)
            std::printf("%s\n", test->getName().c_str());
        return 0;
    }
    CppUnit::TestResult result;
    ProgressPrinter printer;
    result.addListener(&printer);
    for (auto* test : tests)
        test->run(&result);
    return printer.summarize();
}
