#include "RandomCatalog.h"

#include "NaiveCatalog.h"

#include <iterator>

namespace supplierd::tests {

using namespace catalog;

RandomCatalog::Change RandomCatalog::change(std::size_t fresh, std::size_t changed, std::size_t removed) {
    Change change;
    change.changeSeq = ++_changeSeq;
    std::set<std::int64_t> taken;
    for (std::size_t i = 0; i < fresh; ++i) {
        std::int64_t id = _lastId + number(1, 5);
        if (number(0, 199) == 0 && _lastId > 100)
            id = number(1, _lastId);
        if (!_ids.insert(id).second)
            continue;
        _lastId = std::max(_lastId, id);
        taken.insert(id);
        change.products.push_back(product(id, true));
    }
    for (std::size_t i = 0; i < changed && !_ids.empty(); ++i)
        if (const std::int64_t id = someId(); taken.insert(id).second)
            change.products.push_back(product(id, chance(2)));
    for (std::size_t i = 0; i < removed && !_ids.empty(); ++i)
        if (const std::int64_t id = someId(); taken.insert(id).second) {
            change.removed.push_back(id);
            _ids.erase(id);
        }
    return change;
}

IndexFilter RandomCatalog::filter() {
    IndexFilter filter;
    const std::int64_t which = number(0, 15);
    filter.includeDeleted = which % 4 == 3;
    if (which == 2 || which == 3 || which == 10)
        filter.state = ProductState::Active;
    if (which == 8 || which == 15)
        filter.approval = static_cast<Approval>(number(0, 2));
    if (which == 4 || which == 5)
        filter.type = 1;
    if (which == 6 || which == 10)
        filter.categoryId = number(0, 9) == 0 ? 4'711 : 3;
    if (which == 7 || which == 8)
        filter.updatedSince = 500;
    if (which == 9 || which == 10 || which == 11)
        filter.searchWeights = {which == 9 ? weightString({0x1201, 0x1202}) : weightString({0x1203})};
    if (which == 12)
        filter.searchWeights = {chance(5) ? text(0, 3) : weightString({0x1fff}), text(1, 3)};
    if (which == 13 || which == 15)
        filter.skuHashes = {7, 3, 11, 99};
    if (which == 14) {
        filter.state = static_cast<ProductState>(number(0, 2));
        filter.searchWeights = {text(1, 2)};
        filter.skuHashes = chance(3) ? std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7} : std::vector<std::uint64_t>{};
        filter.updatedSince = number(0, 1'000);
    }
    return filter;
}

IndexOrder RandomCatalog::order() {
    return {static_cast<OrderBy>(number(0, 5)), chance(5)};
}

IndexPosition RandomCatalog::position() {
    return {number(-1, 40), name(), chance(1) ? std::int64_t{1} << 62 : number(0, _lastId + 2)};
}

std::int64_t RandomCatalog::number(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(_random);
}

IndexedProduct RandomCatalog::product(std::int64_t id, bool withTexts) {
    IndexedProduct product;
    product.id = id;
    product.changeSeq = _changeSeq;
    product.state = static_cast<ProductState>(number(0, 3));
    product.type = number(0, 1);
    product.categoryId = number(1, 5);
    product.basePrice = chance(1) ? number(0, 999'999'999'999) : number(0, 30);
    product.stockQty = number(0, 30);
    product.updatedAt = number(0, 1'000);
    product.isRejected = product.state == ProductState::Pending && number(0, 1) == 1;
    if (!withTexts)
        return product;
    product.texts.emplace();
    product.texts->nameWeights = name();
    for (std::int64_t i = chance(1) ? number(0, 8) : number(0, 1); i > 0; --i)
        product.texts->skus.push_back({text(0, 5), static_cast<std::uint64_t>(number(0, 60))});
    return product;
}

/// Some have blanks at the end, or what sorts before a blank.
std::string RandomCatalog::name() {
    std::string name = text(0, 6);
    if (chance(1))
        name += weightString({0x020a});
    if (chance(1))
        name += weightString({0x0201});
    return name;
}

std::string RandomCatalog::text(std::size_t atLeast, std::size_t atMost) {
    std::string text;
    for (auto i = number(static_cast<std::int64_t>(atLeast), static_cast<std::int64_t>(atMost)); i > 0; --i)
        text += chance(1) ? weightString({0xfbc3, 0xf300U + static_cast<std::uint32_t>(number(0, 400))})
                          : weightString({0x1200U + static_cast<std::uint32_t>(number(0, 4))});
    return text;
}

std::int64_t RandomCatalog::someId() {
    const auto from = _ids.lower_bound(number(1, _lastId));
    return from == _ids.end() ? *_ids.begin() : *from;
}

} // namespace supplierd::tests
