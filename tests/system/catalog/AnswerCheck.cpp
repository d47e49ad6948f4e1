#include "AnswerCheck.h"

#include "CatalogTables.h"

#include <supplierd/internal/ChangePlace.h>

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <tuple>

namespace supplierd::tests {

using catalog::Cursor;

namespace {

constexpr std::int64_t LAST = std::numeric_limits<std::int64_t>::max();

/// UTC, as in the servers' logs.
std::string timeOf(const RecordedAnswer& answer) {
    const auto sinceEpoch = answer.sentAt.time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(sinceEpoch);
    const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(sinceEpoch - seconds);
    const std::time_t time = seconds.count();
    std::tm utc{};
    ::gmtime_r(&time, &utc);
    std::ostringstream text;
    text << std::put_time(&utc, "%H:%M:%S") << '.' << std::setw(3) << std::setfill('0') << rest.count();
    return text.str();
}

[[noreturn]] void fail(const RecordedAnswer& answer, const std::string& what) {
    std::string text = "wrong answer of server " + answer.server + " to supplier " + std::to_string(answer.supplierId) +
                       ": " + (answer.list ? answer.list->path() : "/products/" + std::to_string(answer.objectId)) +
                       "\n  at number " + std::to_string(answer.number) + ", when " + std::to_string(answer.heardOf) +
                       " was heard of, sent at " + timeOf(answer) + ": " + what;
    if (answer.next || answer.previous)
        text += "\n  a page of a walk";
    throw std::runtime_error(text + "\n  answer: " + answer.response.statusLine + " " +
                             answer.response.body.substr(0, 6'000));
}

template <class Value>
void requireEqual(const RecordedAnswer& answer, const std::string& what, const Value& expected, const Value& shown) {
    if (!(expected == shown))
        fail(answer, what + " must be " + json(expected).dump() + ", not " + json(shown).dump());
}

constexpr std::size_t ALL = std::numeric_limits<std::size_t>::max();

/// A page: which products, whether more follow, and what says where they begin.
struct ExpectedPage {
    catalog::IndexedPage found;
    std::optional<Cursor> next;
    std::optional<std::int64_t> lastSeq;
};

std::size_t limitOf(const RecordedAnswer& answer) {
    return static_cast<std::size_t>(answer.list->perPage);
}

std::int64_t wholePages(const RecordedAnswer& answer, std::int64_t position) {
    const std::int64_t perPage = answer.list->perPage;
    return (position + perPage - 1) / perPage * perPage;
}

std::int64_t positionOf(const RecordedAnswer& answer) {
    if (answer.previous)
        return answer.previous->next->position;
    return answer.list->changedAfter ? 0 : (answer.list->page - 1) * answer.list->perPage;
}

/// The products behind a place in the list's order.
ExpectedPage pageInOrder(const RecordedAnswer& answer, const CatalogReplay& replay) {
    ExpectedPage page;
    const auto filter = filterOf(*answer.list);
    const auto order = orderOf(*answer.list);
    const std::int64_t position = positionOf(answer);
    const std::int64_t startSeq = answer.previous ? answer.previous->next->startSeq : answer.number;
    page.found = answer.previous
                     ? replay.lists().pageAfter(filter, order, answer.previous->last, limitOf(answer))
                     : replay.lists().page(filter, order, static_cast<std::size_t>(position), limitOf(answer));
    if (page.found.hasMore) {
        page.next.emplace();
        page.next->position = position + answer.list->perPage;
        page.next->startSeq = startSeq;
        page.next->last.id = page.found.last.id;
    } else if (answer.previous && answer.number > startSeq) {
        page.next.emplace();
        page.next->phase = Cursor::Phase::LateChanges;
        page.next->position = wholePages(answer, position + static_cast<std::int64_t>(page.found.items.size()));
        page.next->startSeq = startSeq;
        page.next->endId = replay.greatestId();
    }
    return page;
}

ExpectedPage pageOfLateChanges(const RecordedAnswer& answer, const CatalogReplay& replay) {
    ExpectedPage page;
    const Cursor& cursor = *answer.previous->next;
    page.found = replay.lists().changedSince(filterOf(*answer.list), cursor.startSeq, cursor.last.id, cursor.endId,
                                             limitOf(answer));
    if (page.found.hasMore) {
        page.next = cursor;
        page.next->position += answer.list->perPage;
        page.next->last.id = page.found.last.id;
    }
    return page;
}

/// Behind which change and id a walk through changes goes on.
catalog::IndexPosition placeOf(const RecordedAnswer& answer, const CatalogReplay& replay) {
    if (answer.previous)
        return {answer.previous->next->last.number, {}, answer.previous->next->last.id};
    const auto place = ChangePlace::decode(*answer.list->changedAfter);
    if (!place)
        return {*answer.list->changedAfter, {}, LAST};
    const auto before = replay.lists().positionBeforeRest(filterOf(*answer.list), place->seq, place->seq, place->rest);
    return {place->seq, {}, before ? before->id : 0};
}

ExpectedPage pageOfChanges(const RecordedAnswer& answer, const CatalogReplay& replay) {
    ExpectedPage page;
    page.found = replay.lists().pageAfter(filterOf(*answer.list), {catalog::OrderBy::ChangeSeq, false},
                                          placeOf(answer, replay), ALL);
    page.lastSeq = answer.number;
    const auto rest = page.found.items;
    if (rest.size() <= limitOf(answer))
        return page;
    // A change that does not fit is left to the next page, unless it is the first.
    auto& items = page.found.items;
    items.resize(limitOf(answer));
    const std::int64_t cut = rest[limitOf(answer)].changeSeq;
    page.next.emplace();
    page.next->phase = Cursor::Phase::Delta;
    if (rest.front().changeSeq == cut) {
        const std::int64_t lastId = items.back().id;
        const auto left = std::count_if(rest.begin(), rest.end(), [&](const auto& product) {
            return product.changeSeq == cut && product.id > lastId;
        });
        page.lastSeq = ChangePlace{cut, left}.encode();
        page.next->last = {cut, {}, lastId};
    } else {
        while (items.back().changeSeq == cut)
            items.pop_back();
        page.lastSeq = items.back().changeSeq;
        page.next->last = {*page.lastSeq, {}, LAST};
    }
    // Until the changes are newer than the first page of a copy, its cursors say when it began.
    const std::int64_t copyOf = answer.previous                  ? answer.previous->next->startSeq
                                : answer.list->changedAfter == 0 ? answer.number
                                                                 : 0;
    page.next->startSeq = page.next->last.number > copyOf ? 0 : copyOf;
    page.next->position = wholePages(answer, positionOf(answer) + static_cast<std::int64_t>(items.size()));
    return page;
}

ExpectedPage expectedPage(const RecordedAnswer& answer, const CatalogReplay& replay) {
    using Phase = Cursor::Phase;
    const Phase phase = answer.list->changedAfter ? Phase::Delta
                        : answer.previous         ? answer.previous->next->phase
                                                  : Phase::Order;
    return phase == Phase::Delta         ? pageOfChanges(answer, replay)
           : phase == Phase::LateChanges ? pageOfLateChanges(answer, replay)
                                         : pageInOrder(answer, replay);
}

} // namespace

void AnswerCheck::check(std::vector<AnswerPointer> answers, std::vector<AcknowledgedWrite> writes) {
    for (auto& [supplierId, rows] : _log.takeNew()) {
        for (const CommitLog::Row& row : rows)
            if (row.kind == CatalogRow::CATEGORY)
                _categories[row.id].emplace_back(row.seq, row.values.at("name").get<std::string>());
        if (supplierId != 0)
            _replays[supplierId].add(std::move(rows));
    }
    std::sort(answers.begin(), answers.end(), [](const auto& a, const auto& b) {
        return std::tuple(a->supplierId, a->number, a->order) < std::tuple(b->supplierId, b->number, b->order);
    });
    std::sort(writes.begin(), writes.end(), [](const auto& a, const auto& b) {
        return std::tuple(a.supplierId, a.number) < std::tuple(b.supplierId, b.number);
    });
    auto answer = answers.begin();
    auto write = writes.begin();
    for (auto& [supplierId, replay] : _replays) {
        const std::int64_t end = replay.last();
        std::vector<AnswerPointer> gone;
        while (true) {
            const bool hasAnswer = answer != answers.end() && (*answer)->supplierId == supplierId;
            const bool hasWrite = write != writes.end() && write->supplierId == supplierId;
            if (!hasAnswer && !hasWrite)
                break;
            if (hasWrite && (!hasAnswer || write->number <= (*answer)->number)) {
                replay.advance(write->number);
                std::vector<const AcknowledgedWrite*> same;
                const std::int64_t number = write->number;
                for (; write != writes.end() && write->supplierId == supplierId && write->number == number; ++write)
                    same.push_back(&*write);
                checkWrites(same, replay);
                continue;
            }
            if ((*answer)->response.status == 404) {
                gone.push_back(*answer++);
                continue;
            }
            if ((*answer)->number > end)
                fail(**answer, "the last commit is " + std::to_string(end));
            replay.advance((*answer)->number);
            checkAnswer(**answer, replay);
            ++answer;
        }
        replay.advance(end);
        for (const auto& absent : gone)
            if (const auto* product = replay.find(absent->objectId); product && !product->isDeleted())
                fail(*absent, "the product is there");
    }
    if (answer != answers.end())
        fail(**answer, "a supplier without a commit");
}

std::size_t AnswerCheck::commits() const {
    std::size_t commits = 0;
    for (const auto& [supplierId, replay] : _replays)
        commits += replay.commits();
    return commits;
}

void AnswerCheck::checkWrites(const std::vector<const AcknowledgedWrite*>& writes, const CatalogReplay& replay) const {
    for (const auto* write : writes) {
        const auto* product = replay.find(write->productId);
        if (!product || product->values.at(write->field) != write->value)
            throw std::runtime_error("acknowledged under number " + std::to_string(write->number) + ", but not so: " +
                                     write->field + " of product " + std::to_string(write->productId) + " is " +
                                     write->value.dump() + "; it was " + (product ? product->values.dump() : "absent"));
    }
}

void AnswerCheck::checkAnswer(RecordedAnswer& answer, const CatalogReplay& replay) {
    if (answer.number < answer.heardOf)
        fail(answer, "it is stale");
    if (answer.list)
        checkList(answer, replay);
    else
        checkProduct(answer, replay);
}

void AnswerCheck::checkProduct(const RecordedAnswer& answer, const CatalogReplay& replay) const {
    const auto* product = replay.find(answer.objectId);
    if (!product || product->isDeleted())
        fail(answer, "there is no such product");
    requireShown(answer, shownAlone(*product), answer.response.data().at("product"));
}

void AnswerCheck::checkList(RecordedAnswer& answer, const CatalogReplay& replay) {
    const ExpectedPage expected = expectedPage(answer, replay);
    const json data = answer.response.data();
    const json& products = data.at("products");
    const json& pagination = data.at("pagination");
    std::vector<std::int64_t> expectedIds;
    std::vector<std::int64_t> ids;
    for (const auto& item : expected.found.items)
        expectedIds.push_back(item.id);
    for (const json& product : products)
        ids.push_back(product.at("id").get<std::int64_t>());
    requireEqual(answer, "the products", expectedIds, ids);
    for (std::size_t i = 0; i < products.size(); ++i) {
        json shown = shownInList(*replay.find(ids[i]), *answer.list);
        if (answer.list->changedAfter)
            shown["change_seq"] = expected.found.items[i].changeSeq;
        requireShown(answer, std::move(shown), products[i]);
    }
    const std::int64_t total = expected.found.total;
    const std::int64_t perPage = answer.list->perPage;
    requireEqual(answer, "total_items", json(total), pagination.at("total_items"));
    requireEqual(answer, "total_pages", json((total + perPage - 1) / perPage), pagination.at("total_pages"));
    requireEqual(answer, "current_page",
                 json(answer.previous ? answer.previous->next->pageNumber(perPage) : answer.list->page),
                 pagination.at("current_page"));
    if (expected.lastSeq) {
        requireEqual(answer, "last_change_seq", json(*expected.lastSeq), pagination.at("last_change_seq"));
        requireEqual(answer, "has_more", json(expected.next.has_value()), pagination.at("has_more"));
    }
    const json& cursor = pagination.at("next_cursor");
    requireEqual(answer, "that there is a next_cursor", expected.next.has_value(), cursor.is_string());
    if (expected.next) {
        const auto next = Cursor::decode(cursor.get<std::string>());
        if (!next)
            fail(answer, "next_cursor cannot be read");
        requireEqual(answer, "the walk's phase", static_cast<int>(expected.next->phase), static_cast<int>(next->phase));
        requireEqual(answer, "the walk's position", expected.next->position, next->position);
        requireEqual(answer, "the walk's begin", expected.next->startSeq, next->startSeq);
        requireEqual(answer, "the walk's last id", expected.next->last.id, next->last.id);
        if (next->endId < expected.next->endId)
            fail(answer, "the walk ends before products that are there");
        answer.next = next;
        answer.last = expected.found.last;
    }
    checkWalk(answer, replay, expected.found);
}

/// Every product that is there from the walk's begin to its end is delivered, and none twice without having changed.
void AnswerCheck::checkWalk(RecordedAnswer& answer, const CatalogReplay& replay, const catalog::IndexedPage& page) {
    if (answer.previous) {
        answer.walk = answer.previous->walk;
    } else if (answer.list->page == 1) {
        answer.walk = std::make_shared<RecordedAnswer::Walk>();
        if (!answer.list->hasFilter() && !answer.list->changedAfter)
            for (const auto& item : replay.lists().page(filterOf(*answer.list), orderOf(*answer.list), 0, ALL).items)
                answer.walk->atBegin.insert(item.id);
    }
    if (!answer.walk)
        return;
    auto& walk = *answer.walk;
    const bool isLate = answer.previous && answer.previous->next->phase == Cursor::Phase::LateChanges;
    for (const auto& item : page.items) {
        walk.seen.insert(item.id);
        if (isLate ? !walk.late.insert(item.id).second : !walk.delivered.emplace(item.id, item.changeSeq).second)
            fail(answer, "product " + std::to_string(item.id) + " came twice in one walk");
    }
    if (answer.next || !answer.previous)
        return;
    ++_walks;
    for (const std::int64_t id : walk.atBegin)
        if (!walk.seen.contains(id) && !replay.find(id)->isDeleted())
            fail(answer, "product " + std::to_string(id) + " was there throughout the walk and never came");
}

void AnswerCheck::requireShown(const RecordedAnswer& answer, json expected, json shown) const {
    ++_products;
    // A name that the category had at some time since what was heard of.
    const std::int64_t categoryId = expected.at("category").at("id").get<std::int64_t>();
    const std::string name = shown.at("category").at("name").get<std::string>();
    const auto& names = _categories.at(categoryId);
    bool isKnown = false;
    for (std::size_t i = 0; i < names.size(); ++i)
        isKnown |= names[i].second == name && (i + 1 == names.size() || names[i + 1].first > answer.marketplaceHeardOf);
    if (!isKnown)
        fail(answer, "category " + std::to_string(categoryId) + " was not called '" + name + "' any more, at " +
                         std::to_string(answer.marketplaceHeardOf));
    shown.at("category").erase("name");
    if (expected != shown)
        fail(answer, "a product differs\n  expected: " + expected.dump() + "\n  shown:    " + shown.dump());
}

} // namespace supplierd::tests
