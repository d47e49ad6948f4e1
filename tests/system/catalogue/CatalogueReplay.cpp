#include "CatalogueReplay.h"

#include "CatalogueTables.h"
#include "ProductTerms.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace supplierd::tests {

using nlohmann::json;

namespace {

constexpr double PARTS = 10'000;

json decimal(const json& parts) {
    return parts.is_null() ? json() : json(parts.get<double>() / PARTS);
}

json timeOf(const json& time) {
    return time.is_null() ? json() : json(time.get<std::string>().substr(0, 19) + "Z");
}

bool contains(const ReplayedProduct& product, const std::string& term) {
    const auto has = [&](const std::string& text) { return text.find(term) != std::string::npos; };
    return has(product.values.at("name").get<std::string>()) ||
           (product.values.at("sku").is_string() && has(product.values.at("sku").get<std::string>())) ||
           std::any_of(product.skus.begin(), product.skus.end(),
                       [&](const auto& sku) { return sku.first != 0 && has(sku.second); });
}

bool hasSku(const ReplayedProduct& product, const std::vector<std::string>& skus) {
    return std::any_of(product.skus.begin(), product.skus.end(),
                       [&](const auto& sku) { return std::find(skus.begin(), skus.end(), sku.second) != skus.end(); });
}

bool matches(const ReplayedProduct& product, const ListRequest& request) {
    if (product.isDeleted() ? !request.includeDeleted : request.state && product.state() != *request.state)
        return false;
    if ((request.type && product.number("type") != *request.type) ||
        (request.category && product.number("category") != *request.category))
        return false;
    if (!request.updatedSince.empty() && product.values.at("updated").get<std::string>() < request.updatedSince)
        return false;
    if (!request.skus.empty() && !hasSku(product, request.skus))
        return false;
    std::string term = request.search;
    if (const auto blank = term.find("%20"); blank != std::string::npos)
        term.replace(blank, 3, " ");
    return term.empty() || contains(product, term);
}

json arrayOfImages(const ReplayedProduct& product) {
    json images = json::array();
    for (const auto& [id, path] : product.images)
        images.push_back(
            {{"id", id}, {"url", path}, {"thumbnail_url", path + ".small"}, {"is_primary", images.empty()}});
    return images;
}

json arrayOfVariants(const ReplayedProduct& product) {
    json variants = json::array();
    for (const auto& [id, values] : product.variants) {
        const auto stock = values.at("stock").get<std::int64_t>();
        variants.push_back({{"id", id},
                            {"sku", values.at("sku")},
                            {"name", values.at("name")},
                            {"color", values.at("color")},
                            {"stem_length", values.at("stem")},
                            {"base_price", decimal(values.at("price"))},
                            {"stock_qty", stock},
                            {"stock_status", catalog::stockStatus(stock, product.number("least"))},
                            {"is_active", values.at("active") == 1}});
    }
    return variants;
}

json commonOf(const ReplayedProduct& product) {
    const json& values = product.values;
    return {{"id", product.id},
            {"name", values.at("name")},
            {"sku", values.at("sku")},
            {"type", catalog::termAt(catalog::TYPES, product.number("type"))},
            {"base_price", decimal(values.at("price"))},
            {"unit", catalog::termAt(PRODUCT_UNITS, product.number("unit"))},
            {"stock_qty", values.at("stock")},
            {"stock_status", catalog::stockStatus(product.number("stock"), product.number("least"))},
            {"is_active", values.at("active") == 1},
            {"is_approved", values.at("approval") == 1},
            {"category", {{"id", values.at("category")}}},
            {"primary_image", values.at("image")}};
}

} // namespace

std::int64_t ReplayedProduct::state() const {
    return number("approval") != 1 ? 0 : number("active") == 1 ? 1 : 2;
}

void CatalogueReplay::add(std::vector<CommitLog::Row> rows) {
    std::move(rows.begin(), rows.end(), std::back_inserter(_rows));
}

void CatalogueReplay::advance(std::int64_t number) {
    for (; _applied < _rows.size() && _rows[_applied].seq <= number; ++_applied) {
        if (_rows[_applied].seq != _number)
            ++_commits;
        _number = _rows[_applied].seq;
        apply(_rows[_applied]);
        _rows[_applied].values = nullptr;
    }
}

void CatalogueReplay::apply(const CommitLog::Row& row) {
    if (row.kind == CommitLog::NUMBER)
        return;
    ReplayedProduct& product = _products[row.objectId];
    const auto set = [&row](auto& map, const auto& value) {
        if (row.values.is_null())
            map.erase(row.id);
        else
            map[row.id] = value();
    };
    switch (row.kind) {
    case CatalogueRow::PRODUCT:
        // A statement may name a row and leave it as it is.
        if (row.seq != 0 && product.values != row.values && row.values.at("change") != row.seq)
            throw std::runtime_error("product " + std::to_string(row.objectId) + " was changed under number " +
                                     std::to_string(row.seq) + " without its stamp: from " + product.values.dump() +
                                     " to " + row.values.dump());
        product.id = row.objectId;
        product.values = row.values;
        break;
    case CatalogueRow::VARIANT:
        set(product.variants, [&row] { return row.values; });
        break;
    case CatalogueRow::SKU:
        set(product.skus, [&row] { return row.values.at("sku").get<std::string>(); });
        break;
    case CatalogueRow::IMAGE:
        set(product.images, [&row] { return row.values.at("path").get<std::string>(); });
        break;
    case CatalogueRow::CATEGORY:
        break;
    }
}

const ReplayedProduct* CatalogueReplay::find(std::int64_t id) const {
    const auto found = _products.find(id);
    return found == _products.end() ? nullptr : &found->second;
}

CatalogueReplay::Found CatalogueReplay::list(const ListRequest& request) const {
    std::vector<std::pair<SortKey, const ReplayedProduct*>> keyed;
    for (const auto& [id, product] : _products)
        if (matches(product, request))
            keyed.emplace_back(keyOf(product, request.sort), &product);
    // Those of one key are in the order of their ids already.
    std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Found found;
    for (const auto& [key, product] : keyed)
        found.push_back(product);
    if (request.sort % 2 == 1)
        std::reverse(found.begin(), found.end());
    return found;
}

CatalogueReplay::Found CatalogueReplay::byChange(const ListRequest& request) const {
    Found found;
    for (const auto& [id, product] : _products)
        if (matches(product, request))
            found.push_back(&product);
    std::stable_sort(found.begin(), found.end(),
                     [](const auto* a, const auto* b) { return a->change() < b->change(); });
    return found;
}

std::int64_t CatalogueReplay::count(const ListRequest& request) const {
    return std::count_if(_products.begin(), _products.end(),
                         [&](const auto& product) { return matches(product.second, request); });
}

CatalogueReplay::SortKey CatalogueReplay::keyOf(const ReplayedProduct& product, std::size_t sort) {
    switch (sort / 2) {
    case 1:
        return {0, product.values.at("name").get<std::string>()};
    case 2:
        return {product.number("price"), {}};
    case 3:
        return {product.number("stock"), {}};
    case 4:
        return {0, product.values.at("updated").get<std::string>()};
    default:
        return {0, {}};
    }
}

bool CatalogueReplay::isBehind(const ReplayedProduct& product, std::size_t sort, const SortKey& key, std::int64_t id) {
    const auto own = std::pair(keyOf(product, sort), product.id);
    const auto place = std::pair(key, id);
    return sort % 2 == 1 ? own < place : own > place;
}

json shownInList(const ReplayedProduct& product, const ListRequest& request) {
    json shown = commonOf(product);
    if (request.description)
        shown["description"] = product.values.at("description");
    if (request.images)
        shown["images"] = arrayOfImages(product);
    if (request.variants)
        shown["variants"] = arrayOfVariants(product);
    if (request.includeDeleted)
        shown["deleted_at"] = timeOf(product.values.at("deleted_at"));
    return shown;
}

json shownAlone(const ReplayedProduct& product) {
    json shown = commonOf(product);
    const json& values = product.values;
    shown["description"] = values.at("description");
    shown["min_order_qty"] = values.at("least");
    shown["color"] = values.at("color");
    shown["stem_length"] = values.at("stem");
    shown["country_of_origin"] = values.at("country");
    shown["vat_rate"] = decimal(values.at("vat"));
    shown["approval"] = {{"status", catalog::termAt(catalog::APPROVALS, product.number("approval"))},
                         {"reason", values.at("reason")}};
    shown["created_at"] = timeOf(values.at("created"));
    shown["updated_at"] = timeOf(values.at("updated"));
    shown["version"] = values.at("version");
    shown["images"] = arrayOfImages(product);
    shown["variants"] = arrayOfVariants(product);
    return shown;
}

} // namespace supplierd::tests
