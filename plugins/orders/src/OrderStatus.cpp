#include "OrderStatus.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

namespace supplierd::orders {

namespace {

void requireNumber(std::int64_t number, std::size_t count, const char* what) {
    if (number < 0 || static_cast<std::size_t>(number) >= count)
        throw std::out_of_range("the database has the " + std::string(what) + " " + std::to_string(number));
}

} // namespace

bool isAllowed(OrderStatus from, OrderStatus to, Party by) {
    return std::any_of(STATUS_MOVES.begin(), STATUS_MOVES.end(),
                       [&](const StatusMove& move) { return move.from == from && move.to == to && move.by == by; });
}

std::vector<OrderStatus> allowedFrom(OrderStatus from, Party by) {
    std::vector<OrderStatus> allowed;
    for (const StatusMove& move : STATUS_MOVES)
        if (move.from == from && move.by == by)
            allowed.push_back(move.to);
    return allowed;
}

Party partyOf(const Actor& actor) {
    return actor.kind == Actor::Kind::Supplier ? Party::Supplier : Party::Platform;
}

std::string_view nameOf(OrderStatus status) {
    return STATUS_NAMES.at(static_cast<std::size_t>(status));
}

std::string_view nameOf(Party party) {
    return PARTY_NAMES.at(static_cast<std::size_t>(party));
}

std::optional<OrderStatus> statusNamed(std::string_view name) {
    const auto found = std::find(STATUS_NAMES.begin(), STATUS_NAMES.end(), name);
    if (found == STATUS_NAMES.end())
        return std::nullopt;
    return static_cast<OrderStatus>(std::distance(STATUS_NAMES.begin(), found));
}

OrderStatus statusNumbered(std::int64_t number) {
    requireNumber(number, STATUS_NAMES.size(), "order status");
    return static_cast<OrderStatus>(number);
}

Party partyNumbered(std::int64_t number) {
    requireNumber(number, PARTY_NAMES.size(), "author of a status");
    return static_cast<Party>(number);
}

} // namespace supplierd::orders
