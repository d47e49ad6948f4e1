#include "OrderedDeliveries.h"

#include <algorithm>
#include <functional>

namespace supplierd::webhooks {

namespace {

template <class Value>
bool isAmong(const std::vector<Value>& values, const Value* place) {
    const std::less<> isBefore; // also of places in different vectors
    return !isBefore(place, values.data()) && isBefore(place, values.data() + values.size());
}

} // namespace

OrderedDeliveries::LineEnds& OrderedDeliveries::lineEndsOf(const Message& message) {
    return _lineEnds[EVENT_TYPES.at(message.event).subject];
}

void OrderedDeliveries::add(Delivery delivery) {
    const std::int64_t id = delivery.id;
    Entry& entry = _entries.try_emplace(_entries.end(), id)->second;
    entry.delivery = std::move(delivery);
    const std::vector<std::int64_t>& objects = entry.delivery.message.objects;
    entry.followers.resize(objects.size());
    LineEnds& ends = lineEndsOf(entry.delivery.message);
    for (std::size_t i = 0; i < objects.size(); ++i) {
        Entry** const place = &entry.followers[i];
        const auto [end, isFirst] = ends.try_emplace(objects[i], place);
        if (isFirst)
            continue;
        if (isAmong(entry.followers, end->second)) // it names the object twice
            continue;
        *end->second = &entry;
        end->second = place;
        ++entry.blockers;
    }
    if (entry.blockers == 0)
        setFree(entry);
}

const Delivery* OrderedDeliveries::take(Clock::time_point now) {
    while (!_waiting.empty() && _waiting.begin()->first <= now) {
        _ready.insert(_waiting.begin()->second);
        _waiting.erase(_waiting.begin());
    }
    if (_ready.empty())
        return nullptr;
    const Delivery& delivery = _entries.at(*_ready.begin()).delivery;
    _ready.erase(_ready.begin());
    return &delivery;
}

Delivery* OrderedDeliveries::find(std::int64_t id) {
    const auto entry = _entries.find(id);
    return entry == _entries.end() ? nullptr : &entry->second.delivery;
}

void OrderedDeliveries::putBack(std::int64_t id, Clock::time_point due) {
    Entry& entry = _entries.at(id);
    entry.delivery.due = due;
    setFree(entry);
}

/// It was the first in all of its lines.
void OrderedDeliveries::remove(std::int64_t id) {
    const auto place = _entries.find(id);
    Entry& entry = place->second;
    const std::vector<std::int64_t>& objects = entry.delivery.message.objects;
    LineEnds& ends = lineEndsOf(entry.delivery.message);
    for (std::size_t i = 0; i < objects.size(); ++i) {
        if (Entry* const follower = entry.followers[i]) {
            if (--follower->blockers == 0)
                setFree(*follower);
        } else if (const auto end = ends.find(objects[i]); end != ends.end() && end->second == &entry.followers[i]) {
            ends.erase(end);
        }
    }
    _entries.erase(place);
}

Clock::time_point OrderedDeliveries::earliestDue() const {
    const auto dueOf = [](const auto& entry) { return entry.second.delivery.due; };
    return dueOf(*std::ranges::min_element(_entries, {}, dueOf));
}

} // namespace supplierd::webhooks
