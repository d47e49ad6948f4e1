#include "text/CellNumbers.h"

#include <algorithm>
#include <array>

namespace supplierd::csv {

namespace {

/// What stands around or between digits: blanks of all kinds, apostrophes of thousands, the signs of euro and percent.
constexpr std::array<std::string_view, 9> DRESSING{
    " ", "\t", "'", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89", "\xE2\x82\xAC", "EUR", "%"};

std::string bareOf(std::string_view cell) {
    std::string bare;
    while (!cell.empty()) {
        const auto* const dressing = std::find_if(DRESSING.begin(), DRESSING.end(),
                                                  [cell](std::string_view text) { return cell.starts_with(text); });
        if (dressing == DRESSING.end())
            bare += cell.front();
        cell.remove_prefix(dressing == DRESSING.end() ? 1 : dressing->size());
    }
    return bare;
}

bool areDigits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The digits of "1.234.567" or "1234567"; nothing for anything else.
std::optional<std::string> wholeDigits(std::string_view text, char group) {
    std::string digits;
    bool isFirst = true;
    while (true) {
        const std::size_t end = std::min(text.find(group), text.size());
        const std::string_view part = text.substr(0, end);
        const bool isLast = end == text.size();
        const bool hasGroups = !isFirst || !isLast;
        if (!areDigits(part) || (hasGroups && (isFirst ? part.size() > 3 : part.size() != 3)))
            return std::nullopt;
        digits += part;
        if (isLast)
            return digits;
        text.remove_prefix(end + 1);
        isFirst = false;
    }
}

/// JSON allows no zeros in front.
std::string withoutZeros(const std::string& digits) {
    return digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
}

} // namespace

std::optional<std::string> decimalOf(std::string_view cell, char decimalSign) {
    const std::string bare = bareOf(cell);
    std::string_view text = bare;
    const bool isNegative = text.starts_with('-');
    text.remove_prefix(isNegative || text.starts_with('+') ? 1 : 0);
    const std::size_t sign = std::min(text.find(decimalSign), text.size());
    const auto whole = wholeDigits(text.substr(0, sign), decimalSign == ',' ? '.' : ',');
    const std::string_view places = text.substr(std::min(sign + 1, text.size()));
    if (!whole || (sign < text.size() && !areDigits(places)))
        return std::nullopt;
    std::string number = (isNegative ? "-" : "") + withoutZeros(*whole);
    if (!places.empty())
        number.append(".").append(places);
    return number;
}

std::optional<std::string> integerOf(std::string_view cell) {
    const std::string bare = bareOf(cell);
    for (const char group : {'.', ','}) {
        std::string_view text = bare;
        const bool isNegative = text.starts_with('-');
        text.remove_prefix(isNegative || text.starts_with('+') ? 1 : 0);
        const char decimalSign = group == '.' ? ',' : '.';
        const std::size_t sign = std::min(text.find(decimalSign), text.size());
        const std::string_view places = text.substr(std::min(sign + 1, text.size()));
        if (places.find_first_not_of('0') != std::string_view::npos)
            continue;
        if (sign < text.size() && (places.empty() || places.size() == 3))
            continue; // "1,000" is a thousand
        if (const auto digits = wholeDigits(text.substr(0, sign), group))
            return (isNegative ? "-" : "") + withoutZeros(*digits);
    }
    return std::nullopt;
}

void DecimalSigns::add(std::string_view cell) {
    const std::string text = bareOf(cell);
    const std::size_t last = text.find_last_of(".,");
    if (last == std::string::npos)
        return;
    const char sign = text[last];
    const bool hasOther = text.find(sign == ',' ? '.' : ',') != std::string::npos;
    const bool isRepeated = text.find(sign) != last;
    const bool mayBeGroup = text.size() - last == 4 && last > 0 && last <= 3 + (text[0] == '-' ? 1U : 0U) &&
                            text.find_first_not_of("-0") < last;
    if (isRepeated) // "1.234.567": thousands
        (sign == ',' ? _points : _commas) += hasOther ? 0 : 1;
    else if (mayBeGroup && !hasOther && sign == ',')
        ++_unsureCommas;
    else if (!mayBeGroup || hasOther)
        ++(sign == ',' ? _commas : _points);
}

std::optional<char> DecimalSigns::result() const {
    if (_commas > _points)
        return ',';
    if (_points > 0 || _unsureCommas == 0)
        return '.';
    return std::nullopt;
}

} // namespace supplierd::csv
