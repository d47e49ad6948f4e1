#include "CatalogReplay.h"

#include "CatalogTables.h"
#include "ProductTerms.h"

#include <supplierd/internal/ProductUnits.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace supplierd::tests {

namespace {

constexpr double PARTS = 10'000;

json decimal(const json& parts) {
    return parts.is_null() ? json() : json(parts.get<double>() / PARTS);
}

json timeOf(const json& time) {
    return time.is_null() ? json() : json(time.get<std::string>().substr(0, 19) + "Z");
}

/// Names and SKUs are in lower case ASCII, whose order is that of their bytes.
std::string weightsOf(const std::string& text) {
    std::string weights;
    for (const char character : text)
        weights += weightString({0x020aU + static_cast<unsigned char>(character) - ' '});
    return weights;
}

/// A number that grows with the time; "2026-11-22T11:12:13" is that of ".000000".
std::int64_t momentOf(std::string time) {
    std::erase_if(time, [](char character) { return character < '0' || character > '9'; });
    time.resize(20, '0');
    return std::stoll(time.substr(2));
}

catalog::ProductState stateOf(const ReplayedProduct& product) {
    using State = catalog::ProductState;
    return product.isDeleted()               ? State::Deleted
           : product.number("approval") != 1 ? State::Pending
           : product.number("active") == 1   ? State::Active
                                             : State::Inactive;
}

catalog::IndexedProduct indexed(const ReplayedProduct& product) {
    catalog::IndexedTexts texts{weightsOf(product.values.at("name").get<std::string>()), {}};
    for (const auto& [id, sku] : product.skus)
        texts.skus.push_back({weightsOf(sku), catalog::hashOfSkuKey(sku)});
    return {product.id,
            product.change(),
            stateOf(product),
            product.number("type"),
            product.number("category"),
            product.number("price"),
            product.number("stock"),
            momentOf(product.values.at("updated").get<std::string>()),
            product.number("approval") == 2,
            std::move(texts)};
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
            {"lead_time_days", values.at("lead")},
            {"is_approved", values.at("approval") == 1},
            {"category", {{"id", values.at("category")}}},
            {"primary_image", values.at("image")}};
}

} // namespace

void CatalogReplay::add(std::vector<CommitLog::Row> rows) {
    std::move(rows.begin(), rows.end(), std::back_inserter(_rows));
}

void CatalogReplay::advance(std::int64_t number) {
    for (; _applied < _rows.size() && _rows[_applied].seq <= number; ++_applied) {
        if (_rows[_applied].seq != _number)
            ++_commits;
        _number = _rows[_applied].seq;
        apply(_rows[_applied]);
        _rows[_applied].values = nullptr;
    }
}

void CatalogReplay::apply(const CommitLog::Row& row) {
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
    case CatalogRow::PRODUCT:
        // A statement may name a row and leave it as it is.
        if (row.seq != 0 && product.values != row.values && row.values.at("change") != row.seq)
            throw std::runtime_error("product " + std::to_string(row.objectId) + " was changed under number " +
                                     std::to_string(row.seq) + " without its stamp: from " + product.values.dump() +
                                     " to " + row.values.dump());
        product.id = row.objectId;
        product.values = row.values;
        break;
    case CatalogRow::VARIANT:
        set(product.variants, [&row] { return row.values; });
        break;
    case CatalogRow::SKU:
        set(product.skus, [&row] { return row.values.at("sku").get<std::string>(); });
        break;
    case CatalogRow::IMAGE:
        set(product.images, [&row] { return row.values.at("path").get<std::string>(); });
        break;
    case CatalogRow::CATEGORY:
        break;
    }
    if (!product.values.is_null())
        _lists.apply({{indexed(product)}}, {}, row.seq);
}

const ReplayedProduct* CatalogReplay::find(std::int64_t id) const {
    const auto found = _products.find(id);
    return found == _products.end() ? nullptr : &found->second;
}

catalog::IndexFilter filterOf(const ListRequest& request) {
    catalog::IndexFilter filter;
    if (request.state)
        filter.state = static_cast<catalog::ProductState>(*request.state);
    filter.type = request.type;
    filter.categoryId = request.category;
    if (!request.updatedSince.empty())
        filter.updatedSince = momentOf(request.updatedSince);
    std::string term = request.search;
    if (const auto blank = term.find("%20"); blank != std::string::npos)
        term.replace(blank, 3, " ");
    if (!term.empty())
        filter.searchWeights = {weightsOf(term)};
    for (const std::string& sku : request.skus)
        filter.skuHashes.push_back(catalog::hashOfSkuKey(sku));
    filter.includeDeleted = request.includeDeleted;
    return filter;
}

catalog::IndexOrder orderOf(const ListRequest& request) {
    return {static_cast<catalog::OrderBy>(request.sort / 2), request.sort % 2 == 1};
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
                         {"reason", values.at("reason")},
                         {"since", timeOf(values.at("decided"))}};
    shown["created_at"] = timeOf(values.at("created"));
    shown["updated_at"] = timeOf(values.at("updated"));
    shown["version"] = values.at("version");
    shown["images"] = arrayOfImages(product);
    shown["variants"] = arrayOfVariants(product);
    return shown;
}

} // namespace supplierd::tests
