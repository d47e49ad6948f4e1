#include "Money.h"

#include <algorithm>

namespace supplierd::orders {

namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t CENT = Decimal::SCALE / 100;
constexpr std::int64_t LIMIT_CENTS = MONEY_LIMIT * 100;
// A percentage in ten-thousandths of a percent.
constexpr std::int64_t WHOLE = 100 * Decimal::SCALE;

/// `value / divisor` to the nearest whole number, halves up. Nothing is negative here.
Wide divideHalfUp(Wide value, std::int64_t divisor) {
    return (value + divisor / 2) / divisor;
}

Decimal fromCents(std::int64_t cents) {
    return Decimal::fromTenThousandths(cents * CENT);
}

} // namespace

std::optional<Decimal> lineTotal(std::int64_t quantity, const Decimal& unitPrice) {
    const Wide cents = divideHalfUp(static_cast<Wide>(quantity) * unitPrice.tenThousandths(), CENT);
    if (cents >= LIMIT_CENTS)
        return std::nullopt;
    return fromCents(static_cast<std::int64_t>(cents));
}

void LineSums::add(const Decimal& line, const Decimal& vatRate) {
    auto rate = std::find_if(_rates.begin(), _rates.end(), [&](const Rate& known) { return known.percent == vatRate; });
    if (rate == _rates.end())
        rate = _rates.insert(rate, Rate{vatRate});
    // At most 500 lines below 10^14 cents each: far from what 64 bits hold.
    rate->cents += line.tenThousandths() / CENT;
}

std::optional<Sums> LineSums::sums() const {
    Wide subtotal = 0;
    Wide vat = 0;
    for (const Rate& rate : _rates) {
        subtotal += rate.cents;
        vat += divideHalfUp(static_cast<Wide>(rate.cents) * rate.percent.tenThousandths(), WHOLE);
    }
    if (subtotal + vat >= LIMIT_CENTS)
        return std::nullopt;
    return Sums{fromCents(static_cast<std::int64_t>(subtotal)), fromCents(static_cast<std::int64_t>(vat)),
                fromCents(static_cast<std::int64_t>(subtotal + vat))};
}

} // namespace supplierd::orders
