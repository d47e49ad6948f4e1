#pragma once

#include <cppunit/TestAssert.h>
#include <cppunit/TestFixture.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>

/// A test of a fixture, which registers itself:
///
///     TEST(CursorTest, aCursorOfAnotherSortIsRefused) { ... }
///
/// The body sees what the fixture's class shows its children. A new fixture is made for each test: setUp(), the body,
/// tearDown(). Tests run in the order in which they stand in their files.
// NOLINTBEGIN(bugprone-macro-parentheses): they are names
#define TEST(Fixture, name)                                                                                            \
    namespace {                                                                                                        \
    class Fixture##_##name final : public Fixture {                                                                    \
    public:                                                                                                            \
        void testBody();                                                                                               \
    };                                                                                                                 \
    const ::supplierd::tests::RegisteredTest register_##Fixture##_##name(                                              \
        typeid(Fixture), #name,                                                                                        \
        [] { return std::unique_ptr<CppUnit::TestFixture>(std::make_unique<Fixture##_##name>()); },                    \
        [](CppUnit::TestFixture& fixture) { static_cast<Fixture##_##name&>(fixture).testBody(); });                    \
    }                                                                                                                  \
    void Fixture##_##name::testBody()
// NOLINTEND(bugprone-macro-parentheses)

namespace supplierd::tests {

/// Thrown by a test that cannot run here: it is reported as skipped, with what is missing and how to get it. With
/// CI=true tests/run refuses what tests/may-skip does not name.
class Skip : public std::runtime_error {
public:
    explicit Skip(const std::string& reason) : std::runtime_error(reason) {}
};

/// Made by TEST before main().
class RegisteredTest {
public:
    /// Why the test that ran last was skipped; "": it was not.
    static const std::string& skipped();

    using Make = std::function<std::unique_ptr<CppUnit::TestFixture>()>;
    using Body = std::function<void(CppUnit::TestFixture&)>;

    RegisteredTest(const std::type_info& fixture, const std::string& name, const Make& make, const Body& body);
    /// With its whole name.
    RegisteredTest(const std::string& name, const Make& make, const Body& body);
};

} // namespace supplierd::tests
