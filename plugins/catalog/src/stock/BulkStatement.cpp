#include "stock/BulkStatement.h"

#include "ProductUpdate.h"

#include <supplierd/internal/LastChange.h>
#include <supplierd/services/ChangeLog.h>

#include <algorithm>
#include <array>

namespace supplierd::catalog {

namespace {

// INTERVAL finds an id's place among the ids by halving, so they must ascend. As a DOUBLE, which holds the ids of all
// rows exactly (they count from 1), it is compared three times as fast.
constexpr std::string_view SEARCH = "ELT(INTERVAL(id + 0e0";

// The amount is searched for once a row: LAST_INSERT_ID() gives what LAST_INSERT_ID(amount) has kept. It keeps
// integers.
constexpr std::string_view KEPT = " = LAST_INSERT_ID()";
constexpr std::string_view DIFFERS = " <> LAST_INSERT_ID(";
constexpr std::string_view IN_TEN_THOUSANDTHS = " * 0.0001";

constexpr std::string_view OF_LIVE_PRODUCTS = "supplier_id = ? AND deleted = 0 AND id IN (";
// The SKU is NULL for a product that no item names by its SKU.
constexpr std::string_view AND_SKUS = " AND COALESCE(sku, '') COLLATE utf8mb4_bin = COALESCE(ELT(INTERVAL(id + 0e0";

constexpr std::string_view SET_VARIANT_STOCK = "UPDATE product_variants FORCE INDEX (PRIMARY) SET stock_qty = ";
constexpr std::string_view SET_VARIANT_PRICES = "UPDATE product_variants FORCE INDEX (PRIMARY) SET base_price = ";
constexpr std::string_view OF_VARIANTS = " WHERE id IN (";

constexpr std::array<std::size_t, 4> SIZES{1, 8, 64, 500};

std::string_view columnOf(Subject subject) {
    return subject == Subject::Stock ? "stock_qty" : "base_price";
}

} // namespace

BulkStatement BulkStatement::setProducts(std::int64_t supplierId, Subject subject, const ResolvedList& products) {
    BulkStatement statement(products);
    statement._stamps = true;
    statement._params.emplace_back(nullptr);
    std::string set(columnOf(subject));
    set += " = ";
    statement.addAmounts(set, subject);
    std::string where;
    statement.addProducts(where, supplierId);
    statement._sql = ProductUpdate{.set = set, .where = where}.sql();
    return statement;
}

BulkStatement BulkStatement::setPlain(std::int64_t supplierId, Subject subject, const ResolvedList& products) {
    BulkStatement statement(products);
    statement._stamps = true;
    statement._params.emplace_back(nullptr);
    const std::string_view unit = subject == Subject::Price ? IN_TEN_THOUSANDTHS : std::string_view();
    const std::string set = std::string(columnOf(subject)).append(KEPT).append(unit);
    std::string where;
    statement.addProducts(where, supplierId);
    const auto hasSku = [](const ResolvedItem* resolved) { return !resolved->sku.empty(); };
    if (std::any_of(products.begin(), products.end(), hasSku)) {
        where += AND_SKUS;
        statement.addIds(where, ",?");
        statement.addSkus(where, "),?");
        where += "), sku, '')";
    }
    where.append(" AND ").append(columnOf(subject)).append(DIFFERS);
    statement.addSearch(where);
    for (std::size_t i = 0; i < statement._size; ++i)
        statement._params.emplace_back(statement.at(i).amount);
    where.append(")").append(unit);
    statement._sql = ProductUpdate{.set = set, .where = where}.sql();
    return statement;
}

BulkStatement BulkStatement::setVariants(Subject subject, const ResolvedList& variants) {
    BulkStatement statement(variants);
    std::string& sql = statement._sql;
    sql += subject == Subject::Stock ? SET_VARIANT_STOCK : SET_VARIANT_PRICES;
    statement.addAmounts(sql, subject);
    sql += OF_VARIANTS;
    statement.addIds(sql, "?");
    sql += ')';
    return statement;
}

BulkStatement BulkStatement::readProducts(std::int64_t supplierId, Subject subject, const ResolvedList& products) {
    BulkStatement statement(products);
    std::string& sql = statement._sql;
    sql.append("SELECT id, ").append(columnOf(subject)).append(", COALESCE(sku, ''), change_seq, ").append(LAST_CHANGE);
    sql += " FROM products FORCE INDEX (PRIMARY) WHERE ";
    statement._params.emplace_back(supplierId);
    // Rows that lie side by side are read in one go, for a third of what 500 searches cost.
    const std::int64_t first = products.front()->id();
    const std::int64_t last = products.back()->id();
    if (last - first < 2 * static_cast<std::int64_t>(products.size())) {
        sql += "supplier_id = ? AND deleted = 0 AND id BETWEEN ? AND ?";
        statement._params.insert(statement._params.end(), {supplierId, first, last});
    } else {
        statement.addProducts(sql, supplierId);
    }
    return statement;
}

BulkStatement::BulkStatement(const ResolvedList& resolved) : _resolved(resolved) {
    for (const std::size_t size : SIZES)
        if (_size < resolved.size())
            _size = size;
    _params.reserve(2 + 5 * _size);
}

std::int64_t BulkStatement::execute(Transaction& transaction, std::int64_t changeSeq) {
    if (_resolved.empty())
        return 0;
    if (_stamps)
        _params.front() = changeSeq;
    return transaction.execute(_sql, _params);
}

void BulkStatement::addMarks(std::string& sql, std::string_view first) const {
    sql += first;
    for (std::size_t i = 1; i < _size; ++i)
        sql += ",?";
}

void BulkStatement::addIds(std::string& sql, std::string_view first) {
    addMarks(sql, first);
    for (std::size_t i = 0; i < _size; ++i)
        _params.emplace_back(at(i).id());
}

void BulkStatement::addProducts(std::string& sql, std::int64_t supplierId) {
    sql += OF_LIVE_PRODUCTS;
    _params.emplace_back(supplierId);
    addIds(sql, "?");
    sql += ')';
}

/// What follows the ids among the parameters is what is found by them.
void BulkStatement::addSearch(std::string& sql) {
    sql += SEARCH;
    addIds(sql, ",?");
    addMarks(sql, "),?");
    sql += ')';
}

/// The amount of each row.
void BulkStatement::addAmounts(std::string& sql, Subject subject) {
    addSearch(sql);
    for (std::size_t i = 0; i < _size; ++i) {
        const Amount& amount = at(i).amount;
        if (amount && subject == Subject::Price)
            _params.emplace_back(Decimal::fromTenThousandths(*amount));
        else
            _params.emplace_back(amount);
    }
}

void BulkStatement::addSkus(std::string& sql, std::string_view first) {
    addMarks(sql, first);
    for (std::size_t i = 0; i < _size; ++i)
        if (at(i).sku.empty())
            _params.emplace_back(nullptr);
        else
            _params.emplace_back(at(i).sku);
}

} // namespace supplierd::catalog
