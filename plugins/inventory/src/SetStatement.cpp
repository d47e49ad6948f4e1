#include "SetStatement.h"

#include <array>

namespace supplierd::inventory {

namespace {

// INTERVAL finds an id's place among the ids by halving, so they must ascend.
constexpr std::string_view SET_STOCK = "UPDATE products FORCE INDEX (PRIMARY) SET stock_qty = ELT(INTERVAL(id";
constexpr std::string_view SET_PRICES = "UPDATE products FORCE INDEX (PRIMARY) SET base_price = ELT(INTERVAL(id";
constexpr std::string_view STAMP = "), change_seq = ?, version = version + 1, updated_at = NOW(6)";
constexpr std::string_view WHERE_PRODUCTS = " WHERE supplier_id = ? AND deleted = 0 AND id IN (";
// The SKU is NULL for a product that no item names by its SKU.
constexpr std::string_view AND_SKUS = ") AND COALESCE(sku, '') = COALESCE(ELT(INTERVAL(id";

constexpr std::string_view SET_VARIANT_STOCK =
    "UPDATE product_variants FORCE INDEX (PRIMARY) SET stock_qty = ELT(INTERVAL(id";
constexpr std::string_view SET_VARIANT_PRICES =
    "UPDATE product_variants FORCE INDEX (PRIMARY) SET base_price = ELT(INTERVAL(id";
constexpr std::string_view WHERE_VARIANTS = ") WHERE id IN (";

constexpr std::array<std::size_t, 4> SIZES{1, 8, 64, 500};

} // namespace

SetStatement SetStatement::ofProducts(std::int64_t supplierId, Subject subject, const TargetList& products,
                                      bool withSkus) {
    SetStatement statement(products);
    statement._sql += subject == Subject::Stock ? SET_STOCK : SET_PRICES;
    statement.addIds(",?");
    statement.addAmounts("),?", subject);
    statement._sql += STAMP;
    statement._changeSeqAt = statement._params.size();
    statement._params.emplace_back(nullptr);
    statement._sql += WHERE_PRODUCTS;
    statement._params.emplace_back(supplierId);
    statement.addIds("?");
    if (withSkus) {
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
    _sql.reserve(300 + 10 * _size);
    _params.reserve(2 + 5 * _size);
}

std::int64_t SetStatement::execute(Transaction& transaction, std::int64_t changeSeq) {
    if (_targets.empty())
        return 0;
    if (_changeSeqAt != 0)
        _params[_changeSeqAt] = changeSeq;
    return transaction.execute(_sql, _params);
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
