#include "OrderAnswerCheck.h"

#include <supplierd/internal/ChangePlace.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace supplierd::tests {

namespace {

constexpr std::int64_t LAST = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void fail(const OrderAnswer& answer, const std::string& what) {
    throw std::runtime_error(
        "wrong answer of server " + answer.server + " to supplier " + std::to_string(answer.supplierId) + ": " +
        (answer.list ? answer.list->path() : "/orders/" + std::to_string(answer.objectId)) + "\n  at number " +
        std::to_string(answer.number) + ", when " + std::to_string(answer.heardOf) + " was heard of: " + what +
        "\n  answer: " + answer.response.statusLine + " " + answer.response.body.substr(0, 6'000));
}

template <class Value>
void requireEqual(const OrderAnswer& answer, const std::string& what, const Value& expected, const Value& shown) {
    if (!(expected == shown))
        fail(answer, what + " must be " + json(expected).dump() + ", not " + json(shown).dump());
}

struct ExpectedPage {
    OrderReplay::Found orders;
    std::optional<OrderAnswer::Next> next;
    std::int64_t total = 0;
    std::int64_t number = 1; ///< current_page
    std::optional<std::int64_t> lastSeq;
};

std::size_t limitOf(const OrderAnswer& answer) {
    return static_cast<std::size_t>(answer.list->perPage);
}

/// The page behind a place in the list's order, or of a number.
ExpectedPage pageInOrder(const OrderAnswer& answer, const OrderReplay& replay) {
    ExpectedPage page;
    const OrderRequest& request = *answer.list;
    const auto all = replay.list(request);
    page.total =
        answer.previous && request.isCounted() ? answer.previous->total : static_cast<std::int64_t>(all.size());
    std::int64_t position = (request.page - 1) * request.perPage;
    auto begin = all.begin() + std::min<std::ptrdiff_t>(position, std::distance(all.begin(), all.end()));
    if (answer.previous) {
        const OrderAnswer::Next& after = *answer.previous->next;
        position = after.position;
        begin = std::find_if(all.begin(), all.end(), [&](const auto* order) {
            return request.isByCreation()
                       ? std::pair(order->created(), order->id) < std::pair(after.lastCreated, after.lastId)
                       : order->id < after.lastId;
        });
    }
    page.number = position / request.perPage + 1;
    const bool hasMore = std::distance(begin, all.end()) > request.perPage;
    page.orders.assign(begin, hasMore ? begin + request.perPage : all.end());
    if (hasMore)
        page.next = {position + request.perPage, page.orders.back()->id, page.orders.back()->created()};
    return page;
}

/// Behind which (change, id) a walk through changes goes on.
std::pair<std::int64_t, std::int64_t> placeOf(const OrderAnswer& answer, const OrderReplay::Found& all) {
    if (answer.previous) {
        const OrderAnswer::Next& after = *answer.previous->next;
        return {after.lastSeq, after.lastId == 0 ? LAST : after.lastId};
    }
    const auto place = ChangePlace::decode(*answer.list->changedAfter);
    if (!place)
        return {*answer.list->changedAfter, LAST};
    std::vector<std::int64_t> ids;
    for (const auto* order : all)
        if (order->change() == place->seq)
            ids.push_back(order->id);
    const auto rest = static_cast<std::size_t>(place->rest);
    return {place->seq, rest < ids.size() ? ids[ids.size() - rest - 1] : 0};
}

ExpectedPage pageOfChanges(const OrderAnswer& answer, const OrderReplay& replay) {
    ExpectedPage page;
    const std::int64_t perPage = answer.list->perPage;
    const auto all = replay.byChange(*answer.list);
    const auto place = placeOf(answer, all);
    std::copy_if(all.begin(), all.end(), std::back_inserter(page.orders),
                 [&](const auto* order) { return std::pair(order->change(), order->id) > place; });
    page.total = static_cast<std::int64_t>(all.size());
    const std::int64_t position = answer.previous ? answer.previous->next->position : 0;
    page.number = position / perPage + 1;
    page.lastSeq = answer.number;
    if (page.orders.size() <= limitOf(answer))
        return page;
    // A change that does not fit is left to the next page, unless it is the first.
    const auto rest = page.orders;
    const std::int64_t cut = rest[limitOf(answer)]->change();
    page.orders.resize(limitOf(answer));
    page.next.emplace();
    if (rest.front()->change() == cut) {
        const std::int64_t lastId = page.orders.back()->id;
        const auto left = std::count_if(
            rest.begin(), rest.end(), [&](const auto* order) { return order->change() == cut && order->id > lastId; });
        page.lastSeq = ChangePlace{cut, left}.encode();
        page.next->lastSeq = cut;
        page.next->lastId = lastId;
    } else {
        while (page.orders.back()->change() == cut)
            page.orders.pop_back();
        page.lastSeq = page.orders.back()->change();
        page.next->lastSeq = *page.lastSeq;
    }
    const auto delivered = position + static_cast<std::int64_t>(page.orders.size());
    page.next->position = (delivered + perPage - 1) / perPage * perPage;
    return page;
}

} // namespace

void OrderAnswerCheck::check(std::vector<OrderAnswerPointer> answers, std::vector<AcknowledgedMove> moves) {
    for (auto& [supplierId, rows] : _log.takeNew())
        _replays[supplierId].add(std::move(rows));
    std::sort(answers.begin(), answers.end(), [](const auto& a, const auto& b) {
        return std::tuple(a->supplierId, a->number, a->order) < std::tuple(b->supplierId, b->number, b->order);
    });
    std::sort(moves.begin(), moves.end(), [](const auto& a, const auto& b) {
        return std::tuple(a.supplierId, a.number) < std::tuple(b.supplierId, b.number);
    });
    auto answer = answers.begin();
    auto move = moves.begin();
    for (const TestRow& row :
         _database.query("SELECT supplier_id, change_seq FROM supplier_state ORDER BY supplier_id")) {
        const std::int64_t supplierId = std::stoll(row[0].value());
        const std::int64_t end = std::stoll(row[1].value());
        OrderReplay& replay = _replays[supplierId];
        while (true) {
            const bool hasAnswer = answer != answers.end() && (*answer)->supplierId == supplierId;
            const bool hasMove = move != moves.end() && move->supplierId == supplierId;
            if (!hasAnswer && !hasMove)
                break;
            if (hasMove && (!hasAnswer || move->number <= (*answer)->number)) {
                replay.advance(move->number);
                const auto* order = replay.find(move->orderId);
                if (!order || order->status() != move->status || order->change() != move->number)
                    throw std::runtime_error("order group " + std::to_string(move->orderId) + " was not moved to " +
                                             move->status + " under number " + std::to_string(move->number));
                ++move;
                continue;
            }
            if ((*answer)->number > end)
                fail(**answer, "the last commit is " + std::to_string(end));
            replay.advance((*answer)->number);
            checkAnswer(**answer++, replay);
        }
        replay.advance(end);
    }
    if (answer != answers.end())
        fail(**answer, "an unknown supplier");
}

std::size_t OrderAnswerCheck::commits() const {
    std::size_t commits = 0;
    for (const auto& [supplierId, replay] : _replays)
        commits += replay.commits();
    return commits;
}

void OrderAnswerCheck::checkAnswer(OrderAnswer& answer, const OrderReplay& replay) {
    if (answer.number < answer.heardOf)
        fail(answer, "it is stale");
    if (answer.list)
        checkList(answer, replay);
    else
        checkOrder(answer, replay);
}

void OrderAnswerCheck::checkOrder(const OrderAnswer& answer, const OrderReplay& replay) {
    const auto* order = replay.find(answer.objectId);
    if (!order)
        fail(answer, "there is no such order");
    requireEqual(answer, "the order", shownAlone(*order), answer.response.data().at("order"));
    ++_compared;
}

void OrderAnswerCheck::checkList(OrderAnswer& answer, const OrderReplay& replay) {
    const ExpectedPage expected =
        answer.list->changedAfter ? pageOfChanges(answer, replay) : pageInOrder(answer, replay);
    const json data = answer.response.data();
    json orders = json::array();
    for (const auto* order : expected.orders) {
        orders.push_back(shownInList(*order));
        if (answer.list->changedAfter)
            orders.back()["change_seq"] = order->change();
    }
    requireEqual(answer, "the orders", orders, data.at("orders"));
    _compared += orders.size();
    const json& pagination = data.at("pagination");
    const std::int64_t perPage = answer.list->perPage;
    requireEqual(answer, "total_items", json(expected.total), pagination.at("total_items"));
    requireEqual(answer, "total_pages", json((expected.total + perPage - 1) / perPage), pagination.at("total_pages"));
    requireEqual(answer, "current_page", json(expected.number), pagination.at("current_page"));
    requireEqual(answer, "that there is a next_cursor", expected.next.has_value(),
                 pagination.at("next_cursor").is_string());
    if (expected.lastSeq) {
        requireEqual(answer, "last_change_seq", json(*expected.lastSeq), pagination.at("last_change_seq"));
        requireEqual(answer, "has_more", json(expected.next.has_value()), pagination.at("has_more"));
    }
    answer.next = expected.next;
    answer.total = expected.total;
    checkWalk(answer, replay, expected.orders);
}

/// Every order that was there when a walk began is delivered: once in the order of ids, at least once by changes.
void OrderAnswerCheck::checkWalk(OrderAnswer& answer, const OrderReplay& replay, const OrderReplay::Found& page) {
    const bool showsAll = answer.list->status.empty() && !answer.list->isCounted() && answer.list->page == 1 &&
                          answer.list->changedAfter.value_or(0) == 0;
    if (answer.previous) {
        answer.awaited = answer.previous->awaited;
    } else if (showsAll) {
        answer.awaited = std::make_shared<std::set<std::int64_t>>();
        for (const auto* order : replay.list(*answer.list))
            answer.awaited->insert(order->id);
    }
    if (!answer.awaited)
        return;
    for (const auto* order : page)
        if (answer.awaited->erase(order->id) == 0 && !answer.list->changedAfter)
            fail(answer,
                 "a walk delivered order group " + std::to_string(order->id) + " twice, or one that came later");
    if (answer.next)
        return;
    if (!answer.awaited->empty())
        fail(answer, "the walk left out order group " + std::to_string(*answer.awaited->begin()));
    ++_walks;
}

} // namespace supplierd::tests
