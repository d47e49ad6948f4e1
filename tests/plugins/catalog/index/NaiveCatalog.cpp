#include "NaiveCatalog.h"

#include <cppunit/TestAssert.h>

#include <algorithm>

namespace supplierd::tests {

using namespace catalog;

namespace {

using Units = std::vector<std::uint32_t>;

Units unitsOf(std::string_view weights) {
    Units characters;
    bool isSecond = false;
    for (std::size_t i = 0; i + 1 < weights.size(); i += 2) {
        const std::uint32_t weight =
            static_cast<unsigned char>(weights[i]) * 256U + static_cast<unsigned char>(weights[i + 1]);
        if (isSecond)
            characters.back() = characters.back() * 65'536U + weight;
        else
            characters.push_back(weight);
        isSecond = !isSecond && weight >= 0xfb40U;
    }
    return characters;
}

int compare(const Units& a, const Units& b) {
    constexpr std::uint32_t SPACE = 0x020a;
    // Both weights of a character that has two.
    const auto at = [](const Units& text, std::size_t i) {
        const std::uint32_t character = i < text.size() ? text[i] : SPACE;
        return character > 0xffffU ? character : character << 16U;
    };
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
        if (at(a, i) != at(b, i))
            return at(a, i) < at(b, i) ? -1 : 1;
    return 0;
}

bool isOfApproval(const IndexedProduct& product, Approval approval) {
    const bool isApproved = product.state != ProductState::Pending;
    return approval == Approval::Approved ? isApproved
                                          : !isApproved && product.isRejected == (approval == Approval::Rejected);
}

bool isShown(const IndexedProduct& product, const IndexFilter& filter) {
    const bool isDeleted = product.state == ProductState::Deleted;
    const auto hasTerm = [&](const std::string& text) {
        return std::any_of(filter.searchWeights.begin(), filter.searchWeights.end(),
                           [&](const std::string& term) { return containsWeights(text, term); });
    };
    const auto isAskedFor = [&](const IndexedSku& sku) {
        return std::find(filter.skuHashes.begin(), filter.skuHashes.end(), sku.keyHash) != filter.skuHashes.end();
    };
    const auto& skus = product.texts->skus;
    return (isDeleted ? filter.includeDeleted
                      : (!filter.state || product.state == *filter.state) &&
                            (!filter.approval || isOfApproval(product, *filter.approval))) &&
           (!filter.type || product.type == *filter.type) &&
           (!filter.categoryId || product.categoryId == *filter.categoryId) &&
           (!filter.updatedSince || product.updatedAt >= *filter.updatedSince) &&
           (filter.skuHashes.empty() || std::any_of(skus.begin(), skus.end(), isAskedFor)) &&
           (filter.searchWeights.empty() || hasTerm(product.texts->nameWeights) ||
            std::any_of(skus.begin(), skus.end(), [&](const IndexedSku& sku) { return hasTerm(sku.weights); }));
}

std::int64_t numberOf(const IndexedProduct& product, OrderBy by) {
    switch (by) {
    case OrderBy::BasePrice:
        return product.basePrice;
    case OrderBy::StockQty:
        return product.stockQty;
    case OrderBy::UpdatedAt:
        return product.updatedAt;
    case OrderBy::ChangeSeq:
        return product.changeSeq;
    case OrderBy::Id:
    case OrderBy::Name:
        break;
    }
    return product.id;
}

IndexPosition positionOf(const IndexedProduct& product, OrderBy by) {
    IndexPosition position{numberOf(product, by), {}, product.id};
    if (by == OrderBy::Name)
        position.nameWeights = product.texts->nameWeights;
    return position;
}

bool isBefore(const IndexPosition& a, const IndexPosition& b, OrderBy by) {
    if (by == OrderBy::Name) {
        const int names = compareWeights(a.nameWeights, b.nameWeights);
        return names != 0 ? names < 0 : a.id < b.id;
    }
    if (by != OrderBy::Id && a.number != b.number)
        return a.number < b.number;
    return a.id < b.id;
}

} // namespace

void NaiveCatalog::apply(std::span<const IndexedProduct> products, std::span<const std::int64_t> removedIds,
                         std::int64_t changeSeq) {
    for (const IndexedProduct& product : products) {
        const auto old = _products.find(product.id);
        IndexedProduct& kept = _products[product.id];
        const auto texts = old == _products.end() ? product.texts : kept.texts;
        kept = product;
        if (!product.texts)
            kept.texts = texts;
    }
    for (const std::int64_t id : removedIds)
        _products.erase(id);
    _changeSeq = changeSeq;
}

IndexedPage NaiveCatalog::page(const IndexFilter& filter, IndexOrder order, std::size_t offset,
                               std::size_t limit) const {
    return cut(list(filter, order), offset, limit, order.by);
}

IndexedPage NaiveCatalog::pageAfter(const IndexFilter& filter, IndexOrder order, const IndexPosition& position,
                                    std::size_t limit) const {
    const Products all = list(filter, order);
    std::size_t from = 0;
    const auto isPast = [&](const IndexPosition& one) {
        return order.descending ? isBefore(one, position, order.by) : isBefore(position, one, order.by);
    };
    while (from < all.size() && !isPast(positionOf(*all[from], order.by)))
        ++from;
    return cut(all, from, limit, order.by);
}

IndexedPage NaiveCatalog::changedSince(const IndexFilter& filter, std::int64_t changeSeq, std::int64_t afterId,
                                       std::int64_t endId, std::size_t limit) const {
    Products all = list(filter, {OrderBy::Id, false});
    const auto total = static_cast<std::int64_t>(all.size());
    std::erase_if(all, [&](const IndexedProduct* product) {
        return product->changeSeq <= changeSeq || product->id <= afterId || product->id > endId;
    });
    IndexedPage page = cut(all, 0, limit, OrderBy::Id);
    page.total = total;
    return page;
}

std::int64_t NaiveCatalog::countChanges(const IndexFilter& filter, ChangePosition after, std::int64_t endSeq) const {
    const Products all = list(filter, {OrderBy::Id, false});
    return std::count_if(all.begin(), all.end(), [&](const IndexedProduct* product) {
        return product->changeSeq <= endSeq &&
               std::pair(product->changeSeq, product->id) > std::pair(after.seq, after.id);
    });
}

std::optional<ChangePosition> NaiveCatalog::positionBeforeRest(const IndexFilter& filter, std::int64_t firstSeq,
                                                               std::int64_t endSeq, std::int64_t rest) const {
    std::vector<ChangePosition> positions;
    for (const IndexedProduct* product : list(filter, {OrderBy::ChangeSeq, true}))
        if (product->changeSeq >= firstSeq && product->changeSeq <= endSeq)
            positions.push_back({product->changeSeq, product->id});
    if (rest < 0 || rest >= static_cast<std::int64_t>(positions.size()))
        return std::nullopt;
    return positions[static_cast<std::size_t>(rest)];
}

NaiveCatalog::Products NaiveCatalog::list(const IndexFilter& filter, IndexOrder order) const {
    Products products;
    for (const auto& [id, product] : _products)
        if (isShown(product, filter))
            products.push_back(&product);
    // They are in the order of ids.
    if (order.by == OrderBy::Name) {
        std::vector<std::pair<Units, const IndexedProduct*>> named;
        for (const IndexedProduct* product : products)
            named.emplace_back(unitsOf(product->texts->nameWeights), product);
        std::stable_sort(named.begin(), named.end(),
                         [](const auto& a, const auto& b) { return compare(a.first, b.first) < 0; });
        std::transform(named.begin(), named.end(), products.begin(), [](const auto& one) { return one.second; });
    } else if (order.by != OrderBy::Id)
        std::stable_sort(products.begin(), products.end(), [&](const IndexedProduct* a, const IndexedProduct* b) {
            return numberOf(*a, order.by) < numberOf(*b, order.by);
        });
    if (order.descending)
        std::reverse(products.begin(), products.end());
    return products;
}

IndexedPage NaiveCatalog::cut(const Products& all, std::size_t from, std::size_t limit, OrderBy by) const {
    IndexedPage page;
    page.changeSeq = _changeSeq;
    page.total = static_cast<std::int64_t>(all.size());
    for (std::size_t i = from; i < all.size() && page.items.size() < limit; ++i) {
        page.items.push_back({all[i]->id, all[i]->changeSeq});
        page.last = positionOf(*all[i], by);
    }
    page.hasMore = from + page.items.size() < all.size() && from < all.size();
    return page;
}

int compareWeights(std::string_view a, std::string_view b) {
    return compare(unitsOf(a), unitsOf(b));
}

bool containsWeights(std::string_view text, std::string_view term) {
    const auto in = unitsOf(text);
    const auto sought = unitsOf(term);
    return std::search(in.begin(), in.end(), sought.begin(), sought.end()) != in.end() || sought.empty();
}

std::string weightString(std::initializer_list<std::uint32_t> weights) {
    std::string text;
    for (const std::uint32_t weight : weights) {
        text += static_cast<char>(weight >> 8U);
        text += static_cast<char>(weight & 0xffU);
    }
    return text;
}

void requireSame(const std::string& what, const IndexedPage& expected, const IndexedPage& actual) {
    CPPUNIT_ASSERT_EQUAL_MESSAGE(what, expected.changeSeq, actual.changeSeq);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(what, expected.total, actual.total);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(what, expected.items.size(), actual.items.size());
    CPPUNIT_ASSERT_MESSAGE(what, expected.items == actual.items);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(what, expected.hasMore, actual.hasMore);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(what, expected.last.id, actual.last.id);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(what, expected.last.number, actual.last.number);
    CPPUNIT_ASSERT_MESSAGE(what, expected.last.nameWeights == actual.last.nameWeights);
}

} // namespace supplierd::tests
