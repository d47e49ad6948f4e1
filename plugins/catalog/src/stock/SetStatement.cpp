#include "stock/SetStatement.h"

#include "ProductUpdate.h"

#include <algorithm>
#include <array>

namespace supplierd::catalog {

namespace {

// INTERVAL finds an id's place among the ids by halving, so they must ascend. As a DOUBLE, which holds the ids of all
// rows exactly (they count from 1), it is compared three times as fast.
constexpr std::string_view SEARCH = "ELT(INTERVAL(id + 0e0";

// The amount is searched for once a row: LAST_INSERT_ID() gives what LAST_INSERT_ID(amount) has kept. It keeps
// integers.
constexpr std::string_view KEEP = " = LAST_INSERT_ID(";
constexpr std::string_view KEPT = " = LAST_INSERT_ID()";
constexpr std::string_view IN_TEN_THOUSANDTHS = " * 0.0001";

constexpr std::string_view OF_LIVE_PRODUCTS = "supplier_id = ? AND deleted = 0 AND id IN (";
// The SKU is NULL for a product that no item names by its SKU.
constexpr std::string_view AND_SKUS = ") AND COALESCE(sku, '') COLLATE utf8mb4_bin = COALESCE(ELT(INTERVAL(id + 0e0";

constexpr std::string_view SET_VARIANT_STOCK = "UPDATE product_variants FORCE INDEX (PRIMARY) SET stock_qty = ";
constexpr std::string_view SET_VARIANT_PRICES = "UPDATE product_variants FORCE INDEX (PRIMARY) SET base_price = ";
constexpr std::string_view OF_VARIANTS = " WHERE id IN (";

constexpr std::array<std::size_t, 4> SIZES{1, 8, 64, 500};

std::string_view columnOf(Subject subject) {
    return subject == Subject::Stock ? "stock_qty" : "base_price";
}

} // namespace

SetStatement SetStatement::ofProducts(std::int64_t supplierId, Subject subject, const TargetList& products) {
    SetStatement statement(products);
    statement.addChangeSeqs(1);
    std::string set(columnOf(subject));
    set += " = ";
    statement.addAmounts(set, subject);
    std::string where(OF_LIVE_PRODUCTS);
    statement._params.emplace_back(supplierId);
    statement.addIds(where, "?");
    where += ')';
    statement._sql = ProductUpdate{.set = set, .where = where}.sql();
    return statement;
}

SetStatement SetStatement::ofNamed(std::int64_t supplierId, Subject subject, const TargetList& products) {
    SetStatement statement(products);
    const std::string_view unit = subject == Subject::Price ? IN_TEN_THOUSANDTHS : std::string_view();
    std::string unless = std::string(columnOf(subject)).append(KEEP);
    statement.addSearch(unless);
    for (std::size_t i = 0; i < statement._size; ++i)
        statement._params.emplace_back(statement.at(i).amount);
    unless.append(")").append(unit);
    statement.addChangeSeqs(3);
    const std::string set = std::string(columnOf(subject)).append(KEPT).append(unit);
    std::string where(OF_LIVE_PRODUCTS);
    statement._params.emplace_back(supplierId);
    statement.addIds(where, "?");
    const auto hasSku = [](const Target* target) { return !target->sku.empty(); };
    if (std::any_of(products.begin(), products.end(), hasSku)) {
        where += AND_SKUS;
        statement.addIds(where, ",?");
        statement.addSkus(where, "),?");
        where += "), sku, ''";
    }
    where += ')';
    statement._sql = ProductUpdate{.unless = unless, .set = set, .where = where}.sql();
    return statement;
}

SetStatement SetStatement::ofVariants(Subject subject, const TargetList& variants) {
    SetStatement statement(variants);
    std::string& sql = statement._sql;
    sql += subject == Subject::Stock ? SET_VARIANT_STOCK : SET_VARIANT_PRICES;
    statement.addAmounts(sql, subject);
    sql += OF_VARIANTS;
    statement.addIds(sql, "?");
    sql += ')';
    return statement;
}

SetStatement::SetStatement(const TargetList& targets) : _targets(targets) {
    for (const std::size_t size : SIZES)
        if (_size < targets.size())
            _size = size;
    _params.reserve(4 + 5 * _size);
}

std::int64_t SetStatement::execute(Transaction& transaction, std::int64_t changeSeq) {
    if (_targets.empty())
        return 0;
    for (std::size_t i = 0; i < _changeSeqs; ++i)
        _params[_changeSeqAt + i] = changeSeq;
    return transaction.execute(_sql, _params);
}

void SetStatement::addChangeSeqs(std::size_t count) {
    _changeSeqAt = _params.size();
    _changeSeqs = count;
    _params.resize(_changeSeqAt + count, nullptr);
}

void SetStatement::addMarks(std::string& sql, std::string_view first) const {
    sql += first;
    for (std::size_t i = 1; i < _size; ++i)
        sql += ",?";
}

void SetStatement::addIds(std::string& sql, std::string_view first) {
    addMarks(sql, first);
    for (std::size_t i = 0; i < _size; ++i)
        _params.emplace_back(at(i).id());
}

/// What follows the ids among the parameters is what is found by them.
void SetStatement::addSearch(std::string& sql) {
    sql += SEARCH;
    addIds(sql, ",?");
    addMarks(sql, "),?");
    sql += ')';
}

/// The amount of each row.
void SetStatement::addAmounts(std::string& sql, Subject subject) {
    addSearch(sql);
    for (std::size_t i = 0; i < _size; ++i) {
        const Amount& amount = at(i).amount;
        if (amount && subject == Subject::Price)
            _params.emplace_back(Decimal::fromTenThousandths(*amount));
        else
            _params.emplace_back(amount);
    }
}

void SetStatement::addSkus(std::string& sql, std::string_view first) {
    addMarks(sql, first);
    for (std::size_t i = 0; i < _size; ++i)
        if (at(i).sku.empty())
            _params.emplace_back(nullptr);
        else
            _params.emplace_back(at(i).sku);
}

} // namespace supplierd::catalog
