#include <supplierd/Csv.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace supplierd {

namespace {

constexpr std::string_view BYTE_ORDER_MARK = "\xEF\xBB\xBF";

} // namespace

CsvReader::CsvReader(BodyStream& body, Details& details, CsvRules rules)
    : _body(body), _details(details), _rules(std::move(rules)) {}

bool CsvReader::next() {
    if (_heading.empty() && !_rules.columns.empty())
        readHeading();
    while (nextRecord()) {
        if (!_heading.empty() && _fields.size() != _heading.size()) {
            addDetail("type", "expected " + std::to_string(_heading.size()) + " fields, found " +
                                  std::to_string(_fields.size()));
        } else if (_records == _rules.maxRecords) {
            addDetail("too_many", "at most " + std::to_string(_rules.maxRecords) + " records are taken at once");
            _hasEnded = true;
        } else {
            ++_records;
            return true;
        }
    }
    return false;
}

Field<std::string> CsvReader::text(std::string_view column, const TextRule& rule) {
    const auto found = std::find(_heading.begin(), _heading.end(), column);
    if (found == _heading.end() || _fields.size() != _heading.size())
        throw std::logic_error("no column " + std::string(column));
    const auto value = trimmed(_fields[static_cast<std::size_t>(found - _heading.begin())]);
    if (value.empty() && rule.required) {
        addDetail("required", std::string(column) + " is required");
        return {};
    }
    if (codePoints(value) > rule.maxCodePoints) {
        addDetail("too_long",
                  std::string(column) + " must have at most " + std::to_string(rule.maxCodePoints) + " characters");
        return {};
    }
    if (value.empty() && rule.emptyIsNull)
        return {true, std::nullopt};
    return {true, std::string(value)};
}

void CsvReader::addDetail(std::string code, const std::string& message) {
    _details.add(place(), std::move(code), place() + ": " + message);
    _hasEnded = _hasEnded || _details.entries().size() >= MAX_DETAILS;
}

void CsvReader::readHeading() {
    _heading = nextRecord() ? _fields : std::vector<std::string>(1);
    for (std::string& name : _heading)
        name = trimmed(name);
    for (const std::string& column : _rules.columns) {
        const auto times = std::count(_heading.begin(), _heading.end(), column);
        if (times == 0)
            addDetail("required", "the first line must name a column " + column);
        else if (times > 1)
            addDetail("duplicate", "the first line names " + column + " twice");
        _hasEnded = _hasEnded || times != 1;
    }
}

/// The next one that is good CSV and not empty.
bool CsvReader::nextRecord() {
    while (!_hasEnded) {
        readRecord();
        if (!_problem.empty())
            addDetail("type", std::string(_problem));
        else if (_fields.size() > 1 || !_fields.front().empty())
            return true;
    }
    return false;
}

void CsvReader::readRecord() {
    _fields.assign(1, {});
    _problem = {};
    _begin = _line;
    _bytes = 0;
    auto state = State::Begin;
    char c = 0;
    while (readByte(c)) {
        const bool isSecondOfTwo = c == '\n' && _last == '\r';
        _last = c;
        if (state != State::Quoted && isSecondOfTwo)
            continue;
        const bool endsLine = (c == '\n' || c == '\r') && !isSecondOfTwo;
        _line += endsLine ? 1 : 0;
        if (endsLine && state != State::Quoted)
            break;
        if (++_bytes > MAX_RECORD)
            _fields.assign(1, {}); // read on, for its end
        state = take(c, state);
    }
    if (_hasEnded && state == State::Quoted)
        _problem = "a quote is never closed";
    else if (_bytes > MAX_RECORD)
        _problem = "longer than 64 KiB";
    else if (_problem.empty() && !isText())
        _problem = "expected UTF-8 text without U+0000";
}

CsvReader::State CsvReader::take(char c, State state) {
    std::string& field = _fields.back();
    if (state == State::Quoted && c != '"') {
        field += c;
        return State::Quoted;
    }
    if (state == State::Quoted)
        return State::AfterQuote;
    if (c == _rules.separator) {
        _fields.emplace_back();
        return State::Begin;
    }
    if (c == '"' && state == State::Begin)
        return State::Quoted;
    if (c == '"' && state == State::AfterQuote) {
        field += c;
        return State::Quoted;
    }
    if (c == '"' || state == State::AfterQuote)
        _problem = "a quote within a field: write the field in quotes, and its own quotes twice";
    field += c;
    if (_begin == 1 && _fields.size() == 1 && field == BYTE_ORDER_MARK) {
        field.clear();
        return State::Begin;
    }
    return State::Plain;
}

bool CsvReader::readByte(char& c) {
    if (_at == _size) {
        _size = _body.read(_piece);
        _at = 0;
        _hasEnded = _size == 0;
    }
    if (_hasEnded)
        return false;
    c = _piece[_at++];
    return true;
}

bool CsvReader::isText() const {
    return std::all_of(_fields.begin(), _fields.end(), [](const std::string& field) {
        return isValidUtf8(field) && field.find('\0') == std::string::npos;
    });
}

} // namespace supplierd
