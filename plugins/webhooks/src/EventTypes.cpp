#include "EventTypes.h"

#include <algorithm>

namespace supplierd::webhooks {

namespace {

template <class Matches>
std::optional<std::size_t> placeOf(Matches matches) {
    const auto* const found = std::find_if(EVENT_TYPES.begin() + FIRST_CHOICE, EVENT_TYPES.end(), matches);
    if (found == EVENT_TYPES.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - EVENT_TYPES.begin());
}

} // namespace

std::string_view nameOf(Subject subject) {
    switch (subject) {
    case Subject::Product:
        return "product";
    case Subject::Order:
        return "order";
    case Subject::Key:
        return "key";
    case Subject::None:
        break;
    }
    return {};
}

std::string_view scopeOf(Subject subject) {
    switch (subject) {
    case Subject::Product:
        return "products:read";
    case Subject::Order:
        return "orders:read";
    case Subject::Key:
    case Subject::None:
        break;
    }
    return {};
}

std::vector<std::string_view> chosenNames() {
    std::vector<std::string_view> names;
    for (std::size_t event = FIRST_CHOICE; event < EVENT_TYPES.size(); ++event)
        names.push_back(EVENT_TYPES.at(event).name);
    return names;
}

std::optional<std::size_t> eventOfChange(std::string_view changeKind) {
    return placeOf([&](const EventType& type) { return type.changeKind == changeKind; });
}

std::optional<std::size_t> eventOfName(std::string_view name) {
    return placeOf([&](const EventType& type) { return type.name == name; });
}

} // namespace supplierd::webhooks
