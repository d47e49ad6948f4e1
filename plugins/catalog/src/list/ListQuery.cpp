#include "ListQuery.h"

#include "ProductFields.h"

#include <supplierd/Cursor.h>
#include <supplierd/Sku.h>

#include <Poco/DateTime.h>
#include <Poco/DateTimeParser.h>

#include <algorithm>
#include <array>

namespace supplierd::catalog {

namespace {

constexpr std::size_t MAX_SEARCH = 100;
constexpr std::size_t MAX_SKUS = 100;
// 100 SKUs of 64 characters with commas and some blanks around them; more than that is refused before it is split.
constexpr std::size_t MAX_SKU_LIST = 20'000;
constexpr std::size_t MAX_CURSOR = 16'000;
/// Raised when the numbers of a cursor get another meaning: those given out before are refused then.
constexpr std::int64_t CURSOR_VERSION = 2;
constexpr std::array<std::string_view, 4> INCLUSIONS{"variants", "images", "description", "approval"};

/// Adds what is between the commas.
void addParts(std::vector<std::string>& parts, std::string_view value) {
    while (!value.empty()) {
        const std::size_t end = std::min(value.find(','), value.size());
        const std::string_view part = trimmed(value.substr(0, end));
        value.remove_prefix(std::min(end + 1, value.size()));
        if (!part.empty())
            parts.emplace_back(part);
    }
}

/// Adds the SKUs that a value of the list may mean. One with commas is a SKU that has them; but many programs escape
/// every comma, also those between two SKUs, so that what is between the commas is meant as well.
void addSkus(std::vector<std::string>& skus, std::string_view value) {
    if (value.find(',') != std::string_view::npos && codePoints(value) <= MAX_SKU)
        skus.emplace_back(value);
    addParts(skus, value);
}

std::vector<std::string> readSkuKeys(QueryReader& reader, std::string_view rawQuery) {
    if (!reader.text("sku", MAX_SKU_LIST))
        return {};
    std::vector<std::string> skus;
    for (const std::string& value : listValues(rawQuery, "sku"))
        addSkus(skus, value);
    if (skus.empty())
        reader.details().add("sku", "required", "sku must name at least one SKU");
    else if (skus.size() > MAX_SKUS)
        reader.details().add("sku", "too_many", "sku must name at most 100 SKUs");
    else if (std::any_of(skus.begin(), skus.end(), [](const auto& sku) { return codePoints(sku) > MAX_SKU; }))
        reader.details().add("sku", "too_long", "each SKU of sku must have at most 64 characters");
    std::transform(skus.begin(), skus.end(), skus.begin(), [](const auto& sku) { return skuKey(sku); });
    return skus;
}

/// "2026-11-20 14:48:00.123456", as QueryReader::time() gives it.
std::int64_t microsecondsOf(const std::string& time) {
    int zone = 0;
    const Poco::DateTime parsed = Poco::DateTimeParser::parse("%Y-%m-%d %H:%M:%S", time.substr(0, 19), zone);
    const std::string fraction = time.size() > 20 ? time.substr(20) : "0";
    return parsed.timestamp().epochTime() * std::int64_t{1'000'000} + std::stoll(fraction);
}

ListInclusions readInclusions(QueryReader& reader, std::string_view rawQuery) {
    ListInclusions include;
    if (!reader.has("include"))
        return include;
    const std::array<bool*, 4> chosen{&include.variants, &include.images, &include.description, &include.approval};
    std::vector<std::string> names;
    for (const std::string& value : listValues(rawQuery, "include"))
        addParts(names, value); // many programs escape every comma
    for (const std::string& name : names) {
        const auto known = std::find(INCLUSIONS.begin(), INCLUSIONS.end(), name);
        if (known == INCLUSIONS.end())
            reader.details().add("include", "not_in_set",
                                 "include must name some of variants, images, description, approval");
        else
            *chosen.at(static_cast<std::size_t>(known - INCLUSIONS.begin())) = true;
    }
    return include;
}

std::optional<std::int64_t> readTerm(QueryReader& reader, std::string_view name,
                                     std::span<const std::string_view> terms) {
    const auto term = reader.oneOf(name, terms);
    return term ? numberOf(terms, *term) : std::nullopt;
}

void refuse(Details& details, std::string_view field, std::string_view with) {
    details.add(std::string(field), "unsupported",
                std::string(field) + " cannot be used together with " + std::string(with));
}

std::optional<Cursor> readCursor(QueryReader& reader, const ListQuery& query, std::int64_t supplierId) {
    const auto text = reader.text("cursor", MAX_CURSOR);
    if (!text)
        return std::nullopt;
    auto cursor = Cursor::decode(*text);
    if (!cursor) {
        reader.details().add("cursor", "not_in_set", "cursor is not one that pagination.next_cursor gave");
        return std::nullopt;
    }
    if (cursor->sort != query.sort || cursor->fingerprint != query.filters.fingerprint(supplierId, query.sort)) {
        reader.details().add("cursor", "not_in_set", "cursor belongs to a list with other filters or another sort");
        return std::nullopt;
    }
    return cursor;
}

} // namespace

IndexFilter ListFilters::indexFilter() const {
    IndexFilter filter;
    if (state)
        filter.state = static_cast<ProductState>(*state);
    if (approval)
        filter.approval = static_cast<Approval>(*approval);
    filter.type = type;
    filter.categoryId = categoryId;
    if (updatedSince)
        filter.updatedSince = microsecondsOf(*updatedSince);
    for (const std::string& key : skuKeys)
        filter.skuHashes.push_back(hashOfSkuKey(key));
    std::sort(filter.skuHashes.begin(), filter.skuHashes.end());
    filter.skuHashes.erase(std::unique(filter.skuHashes.begin(), filter.skuHashes.end()), filter.skuHashes.end());
    filter.includeDeleted = includeDeleted;
    return filter;
}

std::uint64_t ListFilters::fingerprint(std::int64_t supplierId, ListSort sort) const {
    ListFingerprint print;
    print.add(CURSOR_VERSION);
    print.add(supplierId);
    print.add(static_cast<std::int64_t>(sort.number()));
    print.add(state.value_or(-1));
    print.add(search);
    print.add(static_cast<std::int64_t>(skuKeys.size()));
    for (const auto& key : skuKeys)
        print.add(key);
    print.add(categoryId.value_or(-1));
    print.add(type.value_or(-1));
    print.add(updatedSince.value_or(""));
    print.add(includeDeleted ? 1 : 0);
    if (approval) // those without stay as they were before there was this filter
        print.add(*approval);
    return print.value();
}

ListQuery ListQuery::read(const QueryParameters& parameters, std::string_view rawQuery, std::int64_t supplierId) {
    Details details;
    QueryReader reader(parameters, details);
    ListQuery query;
    query.page = reader.page();
    query.filters.state = readTerm(reader, "status", STATUSES);
    query.filters.approval = readTerm(reader, "approval", APPROVALS);
    if (query.filters.state && query.filters.approval)
        refuse(details, "approval", "status");
    query.filters.search = reader.text("search", MAX_SEARCH).value_or("");
    query.filters.skuKeys = readSkuKeys(reader, rawQuery);
    query.filters.categoryId = reader.integer("category_id", 1);
    query.filters.type = readTerm(reader, "type", TYPES);
    query.filters.updatedSince = reader.time("updated_since");
    query.filters.includeDeleted = reader.boolean("include_deleted").value_or(false);
    if (const auto sort = numberOf(SORT_NAMES, reader.oneOf("sort", SORT_NAMES).value_or("-id")))
        query.sort = ListSort::fromNumber(static_cast<std::size_t>(*sort));
    query.changedAfter = reader.integer("changed_after", 0);
    query.include = readInclusions(reader, rawQuery);
    query.cursor = readCursor(reader, query, supplierId);

    if (reader.has("changed_after")) {
        if (reader.has("sort"))
            refuse(details, "sort", "changed_after");
        if (reader.has("cursor"))
            refuse(details, "cursor", "changed_after");
        if (query.page.number > 1)
            refuse(details, "page", "changed_after");
    } else if (reader.has("cursor") && query.page.number > 1) {
        refuse(details, "page", "cursor");
    }
    details.throwIfAny();
    return query;
}

} // namespace supplierd::catalog
