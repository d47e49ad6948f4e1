#include "tests/support/Test.h"

#include <cppunit/TestCase.h>
#include <cppunit/TestSuite.h>
#include <cppunit/extensions/TestFactory.h>
#include <cppunit/extensions/TestFactoryRegistry.h>
#include <cppunit/extensions/TypeInfoHelper.h>

#include <deque>

namespace supplierd::tests {

namespace {

struct Entry {
    std::string name;
    RegisteredTest::Make make;
    RegisteredTest::Body body;
};

std::string& skipReason() {
    static std::string reason;
    return reason;
}

template <class Work>
void notingSkip(const Work& work) {
    try {
        work();
    } catch (const Skip& skip) {
        skipReason() = skip.what();
    }
}

/// Has its fixture only while it runs.
class Case final : public CppUnit::TestCase {
public:
    explicit Case(const Entry& entry) : CppUnit::TestCase(entry.name), _entry(entry) {}

    void setUp() override {
        skipReason().clear();
        notingSkip([&] {
            _fixture = _entry.make();
            _fixture->setUp();
        });
    }
    void runTest() override {
        if (skipReason().empty())
            notingSkip([&] { _entry.body(*_fixture); });
    }
    void tearDown() override {
        if (const auto fixture = std::move(_fixture)) // it is there unless making it failed
            fixture->tearDown();
    }

private:
    const Entry _entry;
    std::unique_ptr<CppUnit::TestFixture> _fixture;
};

/// All tests of the program.
class AllTests final : public CppUnit::TestFactory {
public:
    AllTests() { CppUnit::TestFactoryRegistry::getRegistry().registerFactory(this); }

    void add(const Entry& entry) { _entries.push_back(entry); }
    CppUnit::Test* makeTest() override {
        auto suite = std::make_unique<CppUnit::TestSuite>("all");
        for (const Entry& entry : _entries)
            suite->addTest(std::make_unique<Case>(entry).release());
        return suite.release();
    }

private:
    std::deque<Entry> _entries;
};

} // namespace

const std::string& RegisteredTest::skipped() {
    return skipReason();
}

RegisteredTest::RegisteredTest(const std::type_info& fixture, const std::string& name, const Make& make,
                               const Body& body)
    : RegisteredTest(CppUnit::TypeInfoHelper::getClassName(fixture) + "::" + name, make, body) {}

RegisteredTest::RegisteredTest(const std::string& name, const Make& make, const Body& body) {
    static AllTests all;
    all.add({name, make, body});
}

} // namespace supplierd::tests
