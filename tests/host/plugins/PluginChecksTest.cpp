#include "host/plugins/PluginChecks.h"

#include "tests/support/Concurrency.h"
#include "tests/support/Test.h"

#include <atomic>
#include <future>
#include <stdexcept>

namespace supplierd::tests {

using host::PluginChecks;
using namespace std::chrono_literals;

/// What operators are told of the plugins' checks, however long those take.
class PluginChecksTest : public CppUnit::TestFixture {
protected:
    void add(const std::string& name, const std::function<void()>& work) {
        _operations.addCheck("shop", {name, [this, work] {
                                          ++_begun;
                                          work();
                                          return CheckResult{CheckResult::Level::Good, "all well", ""};
                                      }});
    }
    static std::string textOf(const std::vector<PluginChecks::Found>& all) {
        std::string text;
        for (const auto& one : all)
            text += one.plugin + " " + one.name + ": " + one.result.message + "\n";
        return text;
    }

    host::PluginOperations _operations;
    std::atomic<int> _begun{0};
};

TEST(PluginChecksTest, aCheckThatHangsKeepsNoOtherFromItsAnswerAndIsNotBegunAgain) {
    PluginChecks checks(_operations, 1s);
    std::promise<void> water;
    add("hose", [flows = water.get_future().share()] { flows.wait(); });
    add("tank", [] { throw std::runtime_error("it is dry"); });
    const std::string hangs = "shop hose: did not answer within 1 s\nshop tank: the check failed: it is dry\n";
    CPPUNIT_ASSERT_EQUAL(hangs, textOf(checks.run()));
    CPPUNIT_ASSERT_EQUAL(hangs, textOf(checks.run()));
    CPPUNIT_ASSERT_EQUAL(3, _begun.load());
    water.set_value();
    waitUntil([&] { return textOf(checks.run()).starts_with("shop hose: all well\n"); });
}

TEST(PluginChecksTest, whoAsksWhileASetRunsGetsWhatItFinds) {
    PluginChecks checks(_operations, 1min);
    std::promise<void> water;
    add("hose", [flows = water.get_future().share()] { flows.wait(); });
    auto first = std::async(std::launch::async, [&] { return textOf(checks.run()); });
    waitUntil([&] { return _begun == 1; });
    auto second = std::async(std::launch::async, [&] { return textOf(checks.run()); });
    CPPUNIT_ASSERT(second.wait_for(100ms) == std::future_status::timeout);
    water.set_value();
    CPPUNIT_ASSERT_EQUAL(std::string("shop hose: all well\n"), first.get());
    CPPUNIT_ASSERT_EQUAL(std::string("shop hose: all well\n"), second.get());
    CPPUNIT_ASSERT_EQUAL(1, _begun.load());
}

TEST(PluginChecksTest, theEndWaitsForACheckAndNoneBeginsAfterIt) {
    PluginChecks checks(_operations, 1ms);
    std::promise<void> water;
    add("hose", [flows = water.get_future().share()] { flows.wait(); });
    checks.run();
    auto end = std::async(std::launch::async, [&] { checks.stop(); });
    CPPUNIT_ASSERT(end.wait_for(100ms) == std::future_status::timeout);
    water.set_value();
    end.get();
    CPPUNIT_ASSERT(checks.run().empty());
}

} // namespace supplierd::tests
