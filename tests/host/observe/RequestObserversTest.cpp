#include "host/observe/RequestObservers.h"

#include <supplierd/testing/FakeLogger.h>

#include <cppunit/extensions/HelperMacros.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace supplierd::tests {

namespace {

class Witness final : public RequestObserver {
public:
    void answered(std::span<const AnsweredRequest> requests) override {
        std::unique_lock lock(_mutex);
        _isBusy = true;
        _changed.notify_all();
        _changed.wait(lock, [this] { return !_isHeld; });
        if (_isBroken)
            throw std::runtime_error("tulips");
        for (const auto& request : requests)
            _seen.push_back(request.requestId);
    }

    void hold(bool isHeld) {
        const std::lock_guard lock(_mutex);
        _isHeld = isHeld;
        _changed.notify_all();
    }
    void waitUntilBusy() {
        std::unique_lock lock(_mutex);
        _changed.wait(lock, [this] { return _isBusy; });
    }
    void breakDown() { _isBroken = true; }
    const std::vector<std::string>& seen() const { return _seen; }

private:
    std::mutex _mutex;
    std::condition_variable _changed;
    bool _isHeld = false;
    bool _isBusy = false;
    bool _isBroken = false;
    std::vector<std::string> _seen;
};

} // namespace

class RequestObserversTest : public CppUnit::TestFixture {
    CPPUNIT_TEST_SUITE(RequestObserversTest);
    CPPUNIT_TEST(testAllAreToldInOrderBeforeTheEnd);
    CPPUNIT_TEST(testSlowObserverLosesRequestsAndDelaysNobody);
    CPPUNIT_TEST(testFailureIsLoggedAndTheNextOnesAreTold);
    CPPUNIT_TEST(testWithdrawnObserverIsToldOfNothingMore);
    CPPUNIT_TEST_SUITE_END();

public:
    void testAllAreToldInOrderBeforeTheEnd() {
        CPPUNIT_ASSERT(!_observers.any());
        _observers.add("watch", _one);
        _observers.add("watch", _other);
        for (int i = 0; i < 100; ++i)
            note(std::to_string(i));
        _observers.stop();
        CPPUNIT_ASSERT_EQUAL(std::size_t{100}, _one.seen().size());
        for (std::size_t i = 0; i < 100; ++i)
            CPPUNIT_ASSERT_EQUAL(std::to_string(i), _one.seen()[i]);
        CPPUNIT_ASSERT(_one.seen() == _other.seen());
        CPPUNIT_ASSERT_EQUAL(0.0, _dropped.Value());
    }

    void testSlowObserverLosesRequestsAndDelaysNobody() {
        _observers.add("slow", _one);
        _observers.add("quick", _other);
        _one.hold(true);
        note("first");
        _one.waitUntilBusy();
        for (std::size_t i = 0; i < RequestObserver::QUEUE + 7; ++i)
            note("more"); // returns, though nobody listens
        CPPUNIT_ASSERT(_dropped.Value() >= 7.0);
        _one.hold(false);
        _observers.stop();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1} + RequestObserver::QUEUE, _one.seen().size());
    }

    void testFailureIsLoggedAndTheNextOnesAreTold() {
        _one.breakDown();
        _observers.add("broken", _one);
        _observers.add("watch", _other);
        note("a");
        _observers.stop();
        CPPUNIT_ASSERT(_log.contains("an observer of requests failed"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _other.seen().size());
    }

    void testWithdrawnObserverIsToldOfNothingMore() {
        _observers.add("one", _one);
        _observers.add("other", _other);
        _observers.withdraw("one");
        note("a");
        _observers.stop();
        CPPUNIT_ASSERT(_one.seen().empty());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _other.seen().size());
    }

private:
    void note(const std::string& id) {
        AnsweredRequest request;
        request.requestId = id;
        _observers.note(request);
    }

    Witness _one;
    Witness _other;
    prometheus::Counter _dropped;
    testing::FakeLogger _log;
    host::RequestObservers _observers{_dropped, _log};
};

CPPUNIT_TEST_SUITE_REGISTRATION(RequestObserversTest);

} // namespace supplierd::tests
