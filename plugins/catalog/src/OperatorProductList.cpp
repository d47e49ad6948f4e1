#include "OperatorProductList.h"

#include "ProductJson.h"
#include "ProductTerms.h"

#include <supplierd/Cursor.h>
#include <supplierd/internal/CategoryJoin.h>
#include <supplierd/services/CategoryTree.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <ranges>
#include <set>
#include <string_view>
#include <system_error>

namespace supplierd::catalog {

namespace {

constexpr std::string_view FROM_PAGE = "\nFROM (";
constexpr std::string_view OF_PAGE = "SELECT x.id, x.supplier_id";

constexpr std::string_view JOIN_PAGE = R"() page
    STRAIGHT_JOIN products p FORCE INDEX (PRIMARY)
        ON p.supplier_id = page.supplier_id AND p.deleted = 0 AND p.id = page.id)";

// Of every supplier's: those of sandboxes lie in a range of their own.
constexpr std::string_view FROM_ALL = R"(
FROM products x FORCE INDEX (products_listed) WHERE x.is_of_sandbox = ? AND x.deleted = 0)";

constexpr std::string_view FROM_ALL_IN_STATE = R"(
FROM products x FORCE INDEX (products_listed_by_state) WHERE x.is_of_sandbox = ? AND x.state = ?)";

constexpr std::string_view FROM_ALL_OF_APPROVAL = R"(
FROM products x FORCE INDEX (products_listed_by_approval)
WHERE x.is_of_sandbox = ? AND x.deleted = 0 AND x.approval = ?)";

constexpr std::string_view FROM_SUPPLIER = R"(
FROM products x FORCE INDEX (PRIMARY) WHERE x.supplier_id = ? AND x.deleted = 0)";

constexpr std::string_view FROM_SUPPLIER_AND_STATE = R"(
FROM products x FORCE INDEX (PRIMARY) WHERE x.supplier_id = ? AND x.deleted = 0 AND x.state = ?)";

constexpr std::string_view FROM_SUPPLIER_AND_APPROVAL = R"(
FROM products x FORCE INDEX (PRIMARY) WHERE x.supplier_id = ? AND x.deleted = 0 AND x.approval = ?)";

constexpr std::string_view FROM_IDS = R"(
FROM JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT PATH '$')) wanted
    STRAIGHT_JOIN products x FORCE INDEX (products_id) ON x.id = wanted.id
WHERE x.deleted = 0)";

// Around one of those.
constexpr std::string_view FROM_SEARCHED = "\nFROM (SELECT x.id, x.supplier_id";
constexpr std::string_view SEARCHED_END = R"( LIMIT ?) x
    STRAIGHT_JOIN products named FORCE INDEX (PRIMARY)
        ON named.supplier_id = x.supplier_id AND named.deleted = 0 AND named.id = x.id
WHERE (named.name LIKE ? ESCAPE '|' OR named.sku LIKE ? ESCAPE '|'))";
constexpr std::size_t MAX_SEARCH = 100;

/// Behind the columns that are shown.
enum : std::size_t { SupplierId, Total };

constexpr std::array<std::string_view, 2> SORTS{"id", "-id"};

constexpr std::int64_t FARTHEST = std::numeric_limits<std::int64_t>::max();

// Every page shows it, so it costs no more than a moment however many products there are.
constexpr std::int64_t MAX_COUNT = 10'000;
constexpr std::string_view COUNT = "(SELECT COUNT(*) FROM (";
constexpr std::string_view COUNT_END = " LIMIT ?) counted)";

// Not those of sandboxes: nobody sells them.
constexpr std::string_view SELECT_WAITING_SUPPLIERS = R"(
SELECT supplier_id, COUNT(*), COUNT(*) OVER (), MIN(id) AS oldest
FROM products FORCE INDEX (products_listed_by_approval)
WHERE is_of_sandbox = 0 AND deleted = 0 AND approval = 0
GROUP BY supplier_id ORDER BY oldest LIMIT ? OFFSET ?)";

constexpr std::string_view COUNT_WAITING_SUPPLIERS = R"(
SELECT COUNT(DISTINCT supplier_id) FROM products FORCE INDEX (products_listed_by_approval)
WHERE is_of_sandbox = 0 AND deleted = 0 AND approval = 0)";

constexpr std::string_view SELECT_COUNTS = R"(
SELECT COALESCE(SUM(state = 0), 0), COALESCE(SUM(state = 1), 0), COALESCE(SUM(state = 2), 0)
FROM products FORCE INDEX (PRIMARY) WHERE supplier_id = ? AND deleted = 0)";

bool isOfBothRanges(const OperatorListFilters& filters) {
    return filters.withSandboxes && !filters.supplierId && !filters.ids;
}

std::string_view directionOf(const OperatorListFilters& filters) {
    return filters.oldestFirst ? "" : " DESC";
}

ListRules rulesOf(const OperatorListFilters& filters) {
    ListFingerprint print;
    print.add(filters.state.value_or(-1));
    print.add(filters.approval.value_or(-1));
    print.add(filters.supplierId.value_or(0));
    print.add(filters.inStock ? *filters.inStock + 1 : 0);
    print.add(filters.oldestFirst ? "id" : "-id");
    if (filters.withSandboxes)
        print.add("sandbox");
    return {.fingerprint = print.value(),
            .total = ListTotal::CountedToLimit,
            .countLimit = MAX_COUNT,
            .hasCursor = !filters.search && !filters.ids};
}

/// "7,12" as a JSON array, each once.
std::optional<std::string> readIds(QueryReader& reader) {
    constexpr std::size_t DIGITS = 19;
    const auto text = reader.text("ids", OperatorListFilters::MOST_IDS * (DIGITS + 1));
    if (!text)
        return std::nullopt;
    std::set<std::int64_t> ids;
    for (const auto part : std::views::split(*text, ',')) {
        const std::string_view digits(part.begin(), part.end());
        std::int64_t id = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
        if (error != std::errc() || end != digits.data() + digits.size() || id < 1) {
            reader.details().add("ids", "type", "ids must be ids of products with commas between them, such as 7,12");
            return std::nullopt;
        }
        ids.insert(id);
    }
    if (ids.size() > OperatorListFilters::MOST_IDS)
        reader.details().add("ids", "too_many",
                             "ids may be at most " + std::to_string(OperatorListFilters::MOST_IDS) + " products");
    return jsonArray(ids);
}

} // namespace

OperatorListStatement OperatorListStatement::page(const OperatorListFilters& filters,
                                                  const supplierd::ListWindow& window) {
    OperatorListStatement statement;
    statement._sql.reserve(1'500);
    statement._sql.append("SELECT ").append(shownColumns(Extent::ListWithApproval)).append(", p.supplier_id, ");
    if (window.needsTotal)
        statement.appendTotal(filters);
    else
        statement._sql += "0";
    statement._sql += FROM_PAGE;
    if (isOfBothRanges(filters)) {
        // Of each as far as the page goes, and of both together the page.
        const std::int64_t end = std::min(window.offset, FARTHEST - window.limit) + window.limit;
        statement._sql += "SELECT id, supplier_id FROM ((";
        statement.appendIds(filters, false, window, end, 0);
        statement._sql += ") UNION ALL (";
        statement.appendIds(filters, true, window, end, 0);
        statement._sql += ")) both_kinds ORDER BY id";
        statement._sql += directionOf(filters);
        statement._sql += " LIMIT ? OFFSET ?";
        statement._params.emplace_back(window.limit);
        statement._params.emplace_back(window.offset);
    } else {
        statement.appendIds(filters, false, window, window.limit, window.offset);
    }
    statement._sql += JOIN_PAGE;
    statement._sql += JOIN_CATEGORY;
    statement._sql += " ORDER BY page.id";
    statement._sql += directionOf(filters);
    return statement;
}

OperatorListStatement OperatorListStatement::total(const OperatorListFilters& filters) {
    OperatorListStatement statement;
    statement._sql = "SELECT ";
    statement.appendTotal(filters);
    return statement;
}

void OperatorListStatement::appendTotal(const OperatorListFilters& filters) {
    _sql += COUNT;
    if (isOfBothRanges(filters)) {
        _sql += "(SELECT 1";
        appendSource(filters, false);
        _sql += " LIMIT ?) UNION ALL (SELECT 1";
        _params.emplace_back(MAX_COUNT + 1);
        appendSource(filters, true);
        _sql += " LIMIT ?)";
        _params.emplace_back(MAX_COUNT + 1);
    } else {
        _sql += "SELECT 1";
        appendSource(filters, false);
    }
    _sql += COUNT_END;
    _params.emplace_back(MAX_COUNT + 1);
}

void OperatorListStatement::appendIds(const OperatorListFilters& filters, bool isOfSandbox,
                                      const supplierd::ListWindow& window, std::int64_t limit, std::int64_t offset) {
    _sql += OF_PAGE;
    appendSource(filters, isOfSandbox);
    // Always a range of the index, so that one plan serves every page.
    _sql += filters.oldestFirst ? " AND x.id > ? ORDER BY x.id" : " AND x.id < ? ORDER BY x.id DESC";
    _sql += " LIMIT ? OFFSET ?";
    const std::int64_t begin = filters.oldestFirst ? 0 : FARTHEST;
    _params.emplace_back(window.after ? window.after->lastId : begin);
    _params.emplace_back(limit);
    _params.emplace_back(offset);
}

void OperatorListStatement::appendSource(const OperatorListFilters& filters, bool isOfSandbox) {
    if (!filters.search)
        return appendListed(filters, isOfSandbox);
    _sql += FROM_SEARCHED;
    appendListed(filters, isOfSandbox);
    _sql += " ORDER BY x.id";
    _sql += directionOf(filters);
    _sql += SEARCHED_END;
    _params.emplace_back(OperatorListFilters::MOST_SEARCHED);
    _params.emplace_back(*filters.search);
    _params.emplace_back(*filters.search);
}

void OperatorListStatement::appendListed(const OperatorListFilters& filters, bool isOfSandbox) {
    if (filters.ids) {
        _sql += FROM_IDS;
        _params.emplace_back(*filters.ids);
        return;
    }
    if (filters.supplierId) {
        _sql += filters.approval ? FROM_SUPPLIER_AND_APPROVAL : filters.state ? FROM_SUPPLIER_AND_STATE : FROM_SUPPLIER;
        _params.emplace_back(*filters.supplierId);
    } else {
        _sql += filters.approval ? FROM_ALL_OF_APPROVAL : filters.state ? FROM_ALL_IN_STATE : FROM_ALL;
        _params.emplace_back(isOfSandbox);
    }
    if (const auto& value = filters.approval ? filters.approval : filters.state)
        _params.emplace_back(*value);
    if (filters.inStock)
        _sql += *filters.inStock ? " AND x.stock_qty > 0" : " AND x.stock_qty = 0";
}

Listed<ProductRecord> listForOperators(Database& database, const QueryParameters& query, ImageIngest* images,
                                       Accounts& accounts) {
    Details details;
    QueryReader reader(query, details);
    OperatorListFilters filters;
    if (const auto status = reader.oneOf("status", STATUSES))
        filters.state = numberOf(STATUSES, *status);
    if (const auto approval = reader.oneOf("approval", APPROVALS))
        filters.approval = numberOf(APPROVALS, *approval);
    if (filters.state && filters.approval)
        details.add("approval", "unsupported", "approval cannot be used together with status");
    filters.supplierId = reader.integer("supplier_id", 1);
    filters.inStock = reader.boolean("in_stock");
    if (filters.inStock && !filters.supplierId)
        details.add("in_stock", "unsupported", "in_stock needs supplier_id: no index has the stocks of all suppliers");
    filters.withSandboxes = reader.boolean("sandbox").value_or(false);
    // A queue is read from its front.
    const bool isQueue = filters.approval == static_cast<std::int64_t>(Approval::Pending);
    filters.oldestFirst = reader.oneOf("sort", SORTS).value_or(isQueue ? "id" : "-id") == "id";
    if (const auto search = reader.text("search", MAX_SEARCH))
        filters.search = patternContaining(*search);
    filters.ids = readIds(reader);
    if (filters.ids && (filters.state || filters.approval || filters.supplierId || filters.search))
        details.add("ids", "unsupported", "ids cannot be used together with another filter");
    const ListPage page = ListPage::read(reader, rulesOf(filters));
    details.throwIfAny();
    static const std::size_t END = endOfColumns(Extent::ListWithApproval);
    const ListStatements statements{.page = [&](SqlSession& session, const supplierd::ListWindow& window) -> Rows& {
                                        const auto statement = OperatorListStatement::page(filters, window);
                                        return session.query(statement.sql(), statement.params());
                                    },
                                    .total =
                                        [&](SqlSession& session) {
                                            const auto statement = OperatorListStatement::total(filters);
                                            Rows& rows = session.query(statement.sql(), statement.params());
                                            return rows.next() ? rows.integer(0) : 0;
                                        },
                                    .totalColumn = END + Total};
    Listed<ProductRecord> products = page.select(database, statements, [&](const Rows& row) {
        ProductRecord product{.id = row.integer(column::Id), .supplierId = row.integer(END + SupplierId)};
        JsonWriter json(product.json);
        json.beginObject();
        writeShown(json, row, Extent::ListWithApproval, images != nullptr);
        json.endObject();
        return product;
    });
    database.withSession([&](SqlSession& session) { nameSuppliers(session, accounts, std::span(products.items)); });
    return products;
}

Listed<WaitingSupplier> waitingSuppliers(Database& database, const QueryParameters& query, Accounts& accounts) {
    Details details;
    QueryReader reader(query, details);
    const ListPage page = ListPage::read(reader, {.total = ListTotal::Counted, .hasCursor = false});
    details.throwIfAny();
    const ListStatements statements{.page = [](SqlSession& session, const supplierd::ListWindow& window) -> Rows& {
                                        return session.query(SELECT_WAITING_SUPPLIERS, {window.limit, window.offset});
                                    },
                                    .total =
                                        [](SqlSession& session) {
                                            Rows& rows = session.query(COUNT_WAITING_SUPPLIERS, {});
                                            return rows.next() ? rows.integer(0) : 0;
                                        },
                                    .totalColumn = 2};
    auto suppliers = page.select(database, statements, [](const Rows& row) {
        return WaitingSupplier{.supplierId = row.integer(0), .supplierName = {}, .products = row.integer(1)};
    });
    database.withSession([&](SqlSession& session) { nameSuppliers(session, accounts, std::span(suppliers.items)); });
    return suppliers;
}

ProductCounts countProducts(SqlSession& session, std::int64_t supplierId) {
    Rows& row = session.query(SELECT_COUNTS, {supplierId});
    return row.next() ? ProductCounts{row.integer(0), row.integer(1), row.integer(2)} : ProductCounts();
}

} // namespace supplierd::catalog
