#include "stock/SetStatement.h"

#include "ProductUpdate.h"

#include <algorithm>
#include <array>

namespace supplierd::catalog {

namespace {

// INTERVAL finds an id's place among the ids by halving, so they must ascend.
constexpr std::string_view AMOUNT = "ELT(INTERVAL(id";

// Only of a row that was just stamped is the amount searched for a second time.
constexpr std::string_view IF_STAMPED = " = IF(change_seq = ?, ";

constexpr std::string_view OF_LIVE_PRODUCTS = "supplier_id = ? AND deleted = 0 AND id IN (";
// The SKU is NULL for a product that no item names by its SKU.
constexpr std::string_view AND_SKUS = ") AND COALESCE(sku, '') COLLATE utf8mb4_bin = COALESCE(ELT(INTERVAL(id";

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
    std::string unless(columnOf(subject));
    unless += " = ";
    statement.addAmounts(unless, subject);
    statement.addChangeSeqs(4);
    std::string set = std::string(columnOf(subject)).append(IF_STAMPED);
    statement.addAmounts(set, subject);
    set.append(", ").append(columnOf(subject)).append(")");
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
    _params.reserve(5 + 7 * _size);
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

/// The amount of each row.
void SetStatement::addAmounts(std::string& sql, Subject subject) {
    sql += AMOUNT;
    addIds(sql, ",?");
    addMarks(sql, "),?");
    sql += ')';
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
