#include "OrderedDeliveries.h"

#include "tests/support/Test.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace supplierd::tests {

using namespace std::chrono_literals;
using webhooks::Clock;
using webhooks::Delivery;
using webhooks::OrderedDeliveries;

namespace {

/// The same, by looking at all that is in front of each.
class PlainModel {
public:
    void add(const Delivery& delivery) { _entries.push_back({delivery, false}); }

    /// The id; 0: there is none.
    std::int64_t take(Clock::time_point now) {
        std::set<std::pair<webhooks::Subject, std::int64_t>> before;
        for (Entry& entry : _entries) {
            const auto subject = webhooks::EVENT_TYPES.at(entry.delivery.message.event).subject;
            const auto& objects = entry.delivery.message.objects;
            const bool isFree = std::ranges::none_of(objects, [&](std::int64_t id) {
                return before.contains({subject, id});
            });
            if (isFree && !entry.isUnderWay && entry.delivery.due <= now) {
                entry.isUnderWay = true;
                return entry.delivery.id;
            }
            for (const std::int64_t id : objects)
                before.insert({subject, id});
        }
        return 0;
    }

    void putBack(std::int64_t id, Clock::time_point due) {
        Entry& entry = *find(id);
        entry.isUnderWay = false;
        entry.delivery.due = due;
    }

    void remove(std::int64_t id) { _entries.erase(find(id)); }
    std::size_t size() const { return _entries.size(); }

    Clock::time_point earliestDue() const {
        return std::ranges::min(_entries, {}, [](const Entry& entry) { return entry.delivery.due; }).delivery.due;
    }

private:
    struct Entry {
        Delivery delivery;
        bool isUnderWay = false;
    };

    std::vector<Entry>::iterator find(std::int64_t id) {
        return std::ranges::find(_entries, id, [](const Entry& entry) { return entry.delivery.id; });
    }

    std::vector<Entry> _entries;
};

/// What a queue is asked, at random, of both at once.
class Course {
public:
    explicit Course(unsigned seed) : _random(seed), _seed(seed) {}

    void step() {
        _now += std::chrono::milliseconds(upTo(2));
        switch (upTo(5)) {
        case 0:
        case 1:
            return add();
        case 2:
        case 3:
            return take();
        default:
            return end();
        }
    }

    /// All of it goes in the end, whatever had failed.
    void drain() {
        for (int round = 0; _model.size() > 0 && round < 10'000; ++round) {
            _now += 1ms;
            take();
            while (!_underWay.empty())
                end();
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, _model.size());
        CPPUNIT_ASSERT(_deliveries.empty());
    }

    int taken() const { return _taken; }
    int heldBack() const { return _heldBack; }

private:
    static constexpr std::size_t PRODUCT = 3;
    static constexpr std::size_t ORDER = 10;

    int upTo(int most) { return std::uniform_int_distribution<int>(0, most)(_random); }

    void add() {
        Delivery delivery;
        delivery.id = ++_lastId;
        delivery.message.event = upTo(2) > 0 ? PRODUCT : upTo(1) > 0 ? ORDER : webhooks::MISSED_EVENT;
        if (delivery.message.event != webhooks::MISSED_EVENT)
            for (int i = upTo(4); i > 0; --i)
                delivery.message.objects.push_back(1 + upTo(11)); // one may stand there twice
        delivery.due = _now + std::chrono::milliseconds(upTo(3));
        _model.add(delivery);
        _deliveries.add(std::move(delivery));
        requireSame();
    }

    void take() {
        const std::int64_t expected = _model.take(_now);
        const Delivery* const delivery = _deliveries.take(_now);
        CPPUNIT_ASSERT_EQUAL_MESSAGE("seed " + std::to_string(_seed), expected, delivery ? delivery->id : 0);
        if (delivery != nullptr)
            _underWay.push_back(expected);
        _taken += delivery != nullptr ? 1 : 0;
        _heldBack += delivery == nullptr && _model.size() > _underWay.size() && _model.earliestDue() <= _now ? 1 : 0;
    }

    void end() {
        if (_underWay.empty())
            return;
        const auto place = _underWay.begin() + upTo(static_cast<int>(_underWay.size()) - 1);
        const std::int64_t id = *place;
        _underWay.erase(place);
        CPPUNIT_ASSERT_EQUAL(id, _deliveries.find(id)->id);
        if (upTo(2) > 0) {
            const auto due = _now + std::chrono::milliseconds(upTo(8));
            _model.putBack(id, due);
            _deliveries.putBack(id, due);
        } else {
            _model.remove(id);
            _deliveries.remove(id);
            CPPUNIT_ASSERT(_deliveries.find(id) == nullptr);
        }
        requireSame();
    }

    void requireSame() const {
        CPPUNIT_ASSERT_EQUAL(_model.size(), _deliveries.size());
        CPPUNIT_ASSERT(_model.size() == 0 || _model.earliestDue() == _deliveries.earliestDue());
    }

    std::mt19937 _random;
    const unsigned _seed;
    PlainModel _model;
    OrderedDeliveries _deliveries;
    Clock::time_point _now;
    std::int64_t _lastId = 0;
    std::vector<std::int64_t> _underWay;
    int _taken = 0;
    int _heldBack = 0;
};

} // namespace

class OrderedDeliveriesTest : public CppUnit::TestFixture {};

TEST(OrderedDeliveriesTest, orderIsThatOfThePlainModelWhateverHappens) {
    int taken = 0;
    int heldBack = 0;
    for (unsigned seed = 1; seed <= 40; ++seed) {
        Course course(seed);
        for (int i = 0; i < 300; ++i)
            course.step();
        course.drain();
        taken += course.taken();
        heldBack += course.heldBack();
    }
    CPPUNIT_ASSERT(taken > 2'000);
    CPPUNIT_ASSERT(heldBack > 200); // so the order was put to the test
}

} // namespace supplierd::tests
