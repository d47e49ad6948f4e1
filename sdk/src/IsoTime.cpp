#include "IsoTime.h"

#include <array>
#include <chrono>
#include <cstdio>

namespace supplierd {

namespace {

/// Takes fixed-width pieces from the front of a text; after a piece that did not fit, `ok` stays false.
class Pieces {
public:
    explicit Pieces(std::string_view text) : _text(text) {}

    int number(std::size_t digits) {
        int value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            if (_text.empty() || _text.front() < '0' || _text.front() > '9') {
                _ok = false;
                return 0;
            }
            value = value * 10 + (_text.front() - '0');
            _text.remove_prefix(1);
        }
        return value;
    }

    /// The first character, when it is one of `wanted`; NUL otherwise.
    char oneOf(std::string_view wanted) {
        if (_text.empty() || wanted.find(_text.front()) == std::string_view::npos)
            return '\0';
        const char found = _text.front();
        _text.remove_prefix(1);
        return found;
    }

    void expect(std::string_view wanted) {
        if (oneOf(wanted) == '\0')
            _ok = false;
    }

    std::chrono::microseconds fraction() {
        std::int64_t micros = number(1) * std::int64_t{100'000};
        std::int64_t place = 10'000;
        while (!_text.empty() && _text.front() >= '0' && _text.front() <= '9') {
            micros += (_text.front() - '0') * place;
            place /= 10;
            _text.remove_prefix(1);
        }
        return std::chrono::microseconds(micros);
    }

    bool ok() const { return _ok; }
    bool atEnd() const { return _text.empty(); }

private:
    std::string_view _text;
    bool _ok = true;
};

std::optional<std::chrono::minutes> takeZone(Pieces& pieces) {
    // A '+' that the client did not escape arrives in a query as a blank.
    const char sign = pieces.oneOf("Zz+- ");
    if (sign == '\0')
        return std::nullopt;
    if (sign == 'Z' || sign == 'z')
        return std::chrono::minutes(0);
    const int hours = pieces.number(2);
    pieces.oneOf(":");
    const int minutes = pieces.number(2);
    if (!pieces.ok() || hours > 23 || minutes > 59)
        return std::nullopt;
    const std::chrono::minutes offset = std::chrono::hours(hours) + std::chrono::minutes(minutes);
    return sign == '-' ? -offset : offset;
}

std::string asDateTime(std::chrono::sys_time<std::chrono::microseconds> time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    std::array<char, 64> text{};
    const int length =
        std::snprintf(text.data(), text.size(), "%04d-%02u-%02u %02d:%02d:%02d.%06d", static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                      static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
    return {text.data(), static_cast<std::size_t>(length)};
}

} // namespace

std::optional<std::string> isoTimeToUtc(std::string_view text) {
    Pieces pieces(text);
    const int year = pieces.number(4);
    pieces.expect("-");
    const int month = pieces.number(2);
    pieces.expect("-");
    const int day = pieces.number(2);
    pieces.expect("Tt");
    const int hour = pieces.number(2);
    pieces.expect(":");
    const int minute = pieces.number(2);
    pieces.expect(":");
    const int second = pieces.number(2);
    const std::chrono::microseconds fraction =
        pieces.oneOf(".") == '.' ? pieces.fraction() : std::chrono::microseconds(0);
    const std::optional<std::chrono::minutes> zone = takeZone(pieces);

    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!pieces.ok() || !zone || !pieces.atEnd() || !date.ok() || hour > 23 || minute > 59 || second > 59)
        return std::nullopt;

    const std::chrono::sys_time<std::chrono::microseconds> local =
        std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
        std::chrono::seconds(second) + fraction;
    const auto utc = local - *zone;
    const auto utcYear =
        static_cast<int>(std::chrono::year_month_day(std::chrono::floor<std::chrono::days>(utc)).year());
    if (utcYear < 1000)
        return "1000-01-01 00:00:00.000000";
    if (utcYear > 9999)
        return "9999-12-31 23:59:59.999999";
    return asDateTime(utc);
}

} // namespace supplierd
