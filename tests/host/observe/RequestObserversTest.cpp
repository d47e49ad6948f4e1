#include "host/observe/RequestObservers.h"

#include "tests/support/Test.h"

#include <supplierd/testing/FakeLogger.h>

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
        for (const auto& request : requests) {
            _seen.push_back(request.requestId);
            _last = request;
        }
    }

    bool wants(const RequestSummary& facts) override {
        if (_wantsFrom < 0)
            throw std::runtime_error("tulips");
        return facts.status >= _wantsFrom;
    }
    void wantFrom(int status) { _wantsFrom = status; }

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
    const AnsweredRequest& last() const { return _last; }

private:
    std::mutex _mutex;
    std::condition_variable _changed;
    bool _isHeld = false;
    bool _isBusy = false;
    bool _isBroken = false;
    std::vector<std::string> _seen;
    AnsweredRequest _last;
    int _wantsFrom = 0;
};

} // namespace

class RequestObserversTest : public CppUnit::TestFixture {
protected:
    void note(const std::string& id) {
        AnsweredRequest request;
        request.requestId = id;
        note(request);
    }
    void note(const AnsweredRequest& request) {
        RequestSummary facts;
        facts.status = request.status;
        _observers.note(facts, [&] {
            ++_made;
            return request;
        });
    }

    int _made = 0;
    Witness _one;
    Witness _other;
    prometheus::Counter _dropped;
    testing::FakeLogger _log;
    host::RequestObservers _observers{_dropped, _log};
};

TEST(RequestObserversTest, allAreToldInOrderBeforeTheEnd) {
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

TEST(RequestObserversTest, slowObserverLosesRequestsAndDelaysNobody) {
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

TEST(RequestObserversTest, failureIsLoggedAndTheNextOnesAreTold) {
    _one.breakDown();
    _observers.add("broken", _one);
    _observers.add("watch", _other);
    note("a");
    _observers.stop();
    CPPUNIT_ASSERT(_log.contains("an observer of requests failed"));
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _other.seen().size());
}

TEST(RequestObserversTest, withdrawnObserverIsToldOfNothingMore) {
    _observers.add("one", _one);
    _observers.add("other", _other);
    _observers.withdraw("one");
    note("a");
    _observers.stop();
    CPPUNIT_ASSERT(_one.seen().empty());
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _other.seen().size());
}

TEST(RequestObserversTest, eachIsToldWhatItAskedForAndNoMore) {
    _observers.add("plain", _one);
    CPPUNIT_ASSERT(_observers.wanted().requestBody == 0 && _observers.wanted().headers.empty());
    _observers.add("bodies", _other, {.requestBody = 4, .errorBody = 2, .headers = {"Content-TYPE"}});
    CPPUNIT_ASSERT_EQUAL(std::size_t{4}, _observers.wanted().requestBody);
    CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _observers.wanted().errorBody);
    CPPUNIT_ASSERT(std::vector<std::string>{"content-type"} == _observers.wanted().headers);
    AnsweredRequest request;
    request.requestBody = "tulips";
    request.errorBody = "roses";
    request.headers = {{"content-type", "text/plain"}, {"if-match", "x"}};
    note(request);
    _observers.stop();
    CPPUNIT_ASSERT(_one.last().requestBody.empty() && _one.last().errorBody.empty() && _one.last().headers.empty());
    CPPUNIT_ASSERT_EQUAL(std::string("tuli"), _other.last().requestBody);
    CPPUNIT_ASSERT_EQUAL(std::string("ro"), _other.last().errorBody);
    CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _other.last().headers.size());
    CPPUNIT_ASSERT_EQUAL(std::string("Content-TYPE"), _other.last().headers.front().first);
}

TEST(RequestObserversTest, bodiesThatWaitAreBound) {
    _observers.add("slow", _one, {.requestBody = std::size_t{1} << 20});
    _one.hold(true);
    note("first");
    _one.waitUntilBusy();
    AnsweredRequest large;
    large.requestBody = std::string(std::size_t{1} << 20, 'x');
    for (int i = 0; i < 20; ++i)
        note(large);
    note("small");
    CPPUNIT_ASSERT_EQUAL(4.0, _dropped.Value());
    _one.hold(false);
    _observers.stop();
    CPPUNIT_ASSERT_EQUAL(std::size_t{1 + 16 + 1}, _one.seen().size());
}

TEST(RequestObserversTest, secretHeadersAreToldNobody) {
    for (const char* name : {"Authorization", "COOKIE", "proxy-authorization"})
        CPPUNIT_ASSERT_THROW(host::RequestObservers::requireAllowed({.headers = {"Accept", name}}),
                             std::invalid_argument);
    CPPUNIT_ASSERT_NO_THROW(host::RequestObservers::requireAllowed({.headers = {"Accept"}}));
}

TEST(RequestObserversTest, onlyWhatIsWantedIsMadeAndTold) {
    _one.wantFrom(400);
    _other.wantFrom(500);
    _observers.add("errors", _one);
    _observers.add("faults", _other);
    for (const int status : {200, 404, 500, 304}) {
        AnsweredRequest request;
        request.status = status;
        request.requestId = std::to_string(status);
        note(request);
    }
    _other.wantFrom(-1); // throws
    note("0");
    _observers.stop();
    CPPUNIT_ASSERT_EQUAL(2, _made);
    CPPUNIT_ASSERT((std::vector<std::string>{"404", "500"} == _one.seen()));
    CPPUNIT_ASSERT((std::vector<std::string>{"500"} == _other.seen()));
}

} // namespace supplierd::tests
