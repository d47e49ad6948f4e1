#pragma once

#include <supplierd/Decimal.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace supplierd::orders {

/// Amounts are whole cents below 10^12.
inline constexpr std::int64_t MONEY_LIMIT = 1'000'000'000'000;

/// quantity × unit price, rounded half up to cents. Nothing when it reaches MONEY_LIMIT.
std::optional<Decimal> lineTotal(std::int64_t quantity, const Decimal& unitPrice);

struct Sums {
    Decimal subtotal;
    Decimal vatTotal;
    Decimal total;
};

/// Adds up the lines of an order group. VAT is calculated per rate, on the sum of that rate's lines, and rounded half
/// up to cents.
class LineSums {
public:
    void add(const Decimal& line, const Decimal& vatRate);
    /// Nothing when one of the sums reaches MONEY_LIMIT.
    std::optional<Sums> sums() const;

private:
    struct Rate {
        Decimal percent;
        std::int64_t cents = 0;
    };

    /// A handful: there are few VAT rates in a country.
    std::vector<Rate> _rates;
};

} // namespace supplierd::orders
