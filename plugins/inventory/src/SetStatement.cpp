#include "SetStatement.h"

#include <algorithm>
#include <array>

namespace supplierd::inventory {

namespace {

// INTERVAL finds an id's place among the ids by halving, so they must ascend.
constexpr std::string_view SET_STOCK = "UPDATE products FORCE INDEX (PRIMARY) SET stock_qty = ELT(INTERVAL(id";
constexpr std::string_view SET_PRICES = "UPDATE products FORCE INDEX (PRIMARY) SET base_price = ELT(INTERVAL(id";
constexpr std::string_view STAMP = "), change_seq = ?, version = version + 1, updated_at = NOW(6)";

// Assignments run from left to right, so each sees whether the first one has stamped the row. The amount is found once
// and kept in a variable: a second search costs as much as a look-up of all rows.
constexpr std::string_view RESET_STOCK =
    "UPDATE products FORCE INDEX (PRIMARY) SET change_seq = IF(stock_qty = (@amount := ELT(INTERVAL(id";
constexpr std::string_view RESET_PRICES =
    "UPDATE products FORCE INDEX (PRIMARY) SET change_seq = IF(base_price = (@amount := ELT(INTERVAL(id";
constexpr std::string_view STAMP_CHANGED =
    ")), change_seq, ?), version = version + (change_seq = ?), updated_at = IF(change_seq = ?, NOW(6), updated_at), ";
constexpr std::string_view AMOUNT_TO_STOCK = "stock_qty = @amount";
constexpr std::string_view AMOUNT_TO_PRICE = "base_price = @amount";

constexpr std::string_view WHERE_PRODUCTS = " WHERE supplier_id = ? AND deleted = 0 AND id IN (";
// The SKU is NULL for a product that no item names by its SKU.
constexpr std::string_view AND_SKUS = ") AND COALESCE(sku, '') COLLATE utf8mb4_bin = COALESCE(ELT(INTERVAL(id";

constexpr std::string_view SET_VARIANT_STOCK =
    "UPDATE product_variants FORCE INDEX (PRIMARY) SET stock_qty = ELT(INTERVAL(id";
constexpr std::string_view SET_VARIANT_PRICES =
    "UPDATE product_variants FORCE INDEX (PRIMARY) SET base_price = ELT(INTERVAL(id";
constexpr std::string_view WHERE_VARIANTS = ") WHERE id IN (";

constexpr std::array<std::size_t, 4> SIZES{1, 8, 64, 500};

} // namespace

SetStatement SetStatement::ofProducts(std::int64_t supplierId, Subject subject, const TargetList& products) {
    SetStatement statement(products);
    statement._sql += subject == Subject::Stock ? SET_STOCK : SET_PRICES;
    statement.addIds(",?");
    statement.addAmounts("),?", subject);
    statement._sql += STAMP;
    statement.addChangeSeqs(1);
    statement.addWhere(supplierId);
    statement._sql += ')';
    return statement;
}

SetStatement SetStatement::ofNamed(std::int64_t supplierId, Subject subject, const TargetList& products) {
    SetStatement statement(products);
    statement._sql += subject == Subject::Stock ? RESET_STOCK : RESET_PRICES;
    statement.addIds(",?");
    statement.addAmounts("),?", subject);
    statement._sql += STAMP_CHANGED;
    statement.addChangeSeqs(3);
    statement._sql += subject == Subject::Stock ? AMOUNT_TO_STOCK : AMOUNT_TO_PRICE;
    statement.addWhere(supplierId);
    const auto hasSku = [](const Target* target) { return !target->sku.empty(); };
    if (std::any_of(products.begin(), products.end(), hasSku)) {
        statement._sql += AND_SKUS;
        statement.addIds(",?");
        statement.addSkus("),?");
        statement._sql += "), sku, ''";
    }
    statement._sql += ')';
    return statement;
}

SetStatement SetStatement::ofVariants(Subject subject, const TargetList& variants) {
    SetStatement statement(variants);
    statement._sql += subject == Subject::Stock ? SET_VARIANT_STOCK : SET_VARIANT_PRICES;
    statement.addIds(",?");
    statement.addAmounts("),?", subject);
    statement._sql += WHERE_VARIANTS;
    statement.addIds("?");
    statement._sql += ')';
    return statement;
}

SetStatement::SetStatement(const TargetList& targets) : _targets(targets) {
    for (const std::size_t size : SIZES)
        if (_size < targets.size())
            _size = size;
    _sql.reserve(500 + 10 * _size);
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

void SetStatement::addWhere(std::int64_t supplierId) {
    _sql += WHERE_PRODUCTS;
    _params.emplace_back(supplierId);
    addIds("?");
}

void SetStatement::addMarks(std::string_view first) {
    _sql += first;
    for (std::size_t i = 1; i < _size; ++i)
        _sql += ",?";
}

void SetStatement::addIds(std::string_view first) {
    addMarks(first);
    for (std::size_t i = 0; i < _size; ++i)
        _params.emplace_back(at(i).id());
}

void SetStatement::addAmounts(std::string_view first, Subject subject) {
    addMarks(first);
    for (std::size_t i = 0; i < _size; ++i) {
        const Amount& amount = at(i).amount;
        if (amount && subject == Subject::Price)
            _params.emplace_back(Decimal::fromTenThousandths(*amount));
        else
            _params.emplace_back(amount);
    }
}

void SetStatement::addSkus(std::string_view first) {
    addMarks(first);
    for (std::size_t i = 0; i < _size; ++i)
        if (at(i).sku.empty())
            _params.emplace_back(nullptr);
        else
            _params.emplace_back(at(i).sku);
}

} // namespace supplierd::inventory
