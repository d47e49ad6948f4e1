#include "host/db/ResultColumn.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace supplierd::host {

namespace {

constexpr std::size_t SMALLEST_BUFFER = 32;
constexpr std::size_t LARGEST_FIRST_BUFFER = 512;
constexpr std::size_t LARGEST_KEPT_BUFFER = 65'536;

void appendNumber(std::string& out, unsigned long value, std::size_t digits) {
    char text[20];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    const auto length = static_cast<std::size_t>(end - text);
    out.append(digits > length ? digits - length : 0, '0');
    out.append(text, length);
}

void appendDate(std::string& out, const MYSQL_TIME& time) {
    appendNumber(out, time.year, 4);
    out += '-';
    appendNumber(out, time.month, 2);
    out += '-';
    appendNumber(out, time.day, 2);
}

void appendTimeOfDay(std::string& out, const MYSQL_TIME& time) {
    appendNumber(out, time.hour, 2);
    out += ':';
    appendNumber(out, time.minute, 2);
    out += ':';
    appendNumber(out, time.second, 2);
}

[[noreturn]] void refuse(std::string_view value, const char* expected) {
    throw std::domain_error("the column's value '" + std::string(value.substr(0, 40)) + "' is no " + expected);
}

/// The whole part of a number as the server prints it; DECIMAL sums of whole numbers arrive so.
std::int64_t readInteger(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const bool whole = rest.empty() || (rest[0] == '.' && rest.find_first_not_of('0', 1) == std::string_view::npos);
    if (error != std::errc() || !whole)
        refuse(text, "whole number of 64 bits");
    return value;
}

} // namespace

ResultColumn::ResultColumn(const MYSQL_FIELD& field)
    : _kind(kindOf(field.type)),
      _type(field.type),
      _unsigned((field.flags & UNSIGNED_FLAG) != 0),
      _decimals(std::min(field.decimals, 6U)) {
    if (_kind == Kind::Text)
        _buffer.resize(std::clamp<std::size_t>(field.length, SMALLEST_BUFFER, LARGEST_FIRST_BUFFER));
}

ResultColumn::Kind ResultColumn::kindOf(enum_field_types type) {
    switch (type) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_YEAR:
        return Kind::Integer;
    case MYSQL_TYPE_DATE:
    case MYSQL_TYPE_DATETIME:
    case MYSQL_TYPE_TIMESTAMP:
        return Kind::Time;
    default:
        return Kind::Text;
    }
}

bool ResultColumn::fits(const MYSQL_FIELD& field) const {
    return _type == field.type && _unsigned == ((field.flags & UNSIGNED_FLAG) != 0);
}

void ResultColumn::bindTo(MYSQL_BIND& bind) {
    bind = MYSQL_BIND{};
    bind.is_null = &_null;
    bind.error = &_error;
    bind.length = &_length;
    bind.is_unsigned = _unsigned ? 1 : 0;
    switch (_kind) {
    case Kind::Integer:
        bind.buffer_type = MYSQL_TYPE_LONGLONG;
        bind.buffer = &_integer;
        bind.buffer_length = sizeof _integer;
        break;
    case Kind::Time:
        bind.buffer_type = MYSQL_TYPE_DATETIME;
        bind.buffer = &_time;
        bind.buffer_length = sizeof _time;
        break;
    case Kind::Text:
        bind.buffer_type = MYSQL_TYPE_STRING;
        bind.buffer = _buffer.data();
        bind.buffer_length = static_cast<unsigned long>(_buffer.size());
        break;
    }
}

void ResultColumn::grow() {
    _buffer.resize(static_cast<std::size_t>(_length) + _length / 4);
}

bool ResultColumn::shrink() {
    if (_buffer.size() <= LARGEST_KEPT_BUFFER)
        return false;
    std::vector<char>(LARGEST_FIRST_BUFFER).swap(_buffer);
    _length = 0;
    return true;
}

std::int64_t ResultColumn::integer() const {
    if (_null)
        return 0;
    switch (_kind) {
    case Kind::Integer:
        if (_unsigned && _integer < 0)
            refuse(text(), "number of 63 bits");
        return _integer;
    case Kind::Text:
        return readInteger(bytes());
    case Kind::Time:
        break;
    }
    refuse(text(), "whole number");
}

std::string_view ResultColumn::text() const {
    if (_null)
        return {};
    if (_kind == Kind::Text)
        return bytes();
    _printed.clear();
    if (_kind == Kind::Integer) {
        _printed = _unsigned ? std::to_string(static_cast<std::uint64_t>(_integer)) : std::to_string(_integer);
        return _printed;
    }
    appendDate(_printed, _time);
    if (_type != MYSQL_TYPE_DATE) {
        _printed += ' ';
        appendTimeOfDay(_printed, _time);
    }
    if (_type != MYSQL_TYPE_DATE && _decimals > 0) {
        std::string fraction;
        appendNumber(fraction, _time.second_part, 6);
        _printed += '.';
        _printed.append(fraction, 0, _decimals);
    }
    return _printed;
}

Decimal ResultColumn::decimal() const {
    if (_null)
        return {};
    const std::string_view printed = text();
    const auto value = Decimal::parse(printed);
    if (!value)
        refuse(printed, "decimal of up to four places");
    return *value;
}

std::string ResultColumn::time() const {
    std::string out;
    if (_null)
        return out;
    out.reserve(20);
    if (_kind == Kind::Time) {
        appendDate(out, _time);
        out += 'T';
        appendTimeOfDay(out, _time);
    } else {
        // A function's result may be a date and time in text form.
        const std::string_view printed = text();
        if (printed.size() < 19 || printed[4] != '-' || printed[10] != ' ' || printed[13] != ':')
            refuse(printed, "date and time");
        out.append(printed, 0, 19);
        out[10] = 'T';
    }
    out += 'Z';
    return out;
}

} // namespace supplierd::host
