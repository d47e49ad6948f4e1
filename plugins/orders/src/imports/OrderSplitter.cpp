#include "imports/OrderSplitter.h"

#include <supplierd/JsonBody.h>

#include <algorithm>
#include <utility>

namespace supplierd::orders {

namespace {

constexpr std::string_view WRAPPER = R"({"orders":[)";
/// Where white space is part of the name.
constexpr std::size_t NAME_BEGIN = 2;
constexpr std::size_t NAME_END = 9;

bool isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

} // namespace

void OrderSplitter::add(std::string_view bytes) {
    for (const char c : bytes) {
        if (c == '\n') {
            ++_line;
            _column = 0;
        } else {
            ++_column;
        }
        add(c);
    }
}

void OrderSplitter::end() {
    if (_state == State::Begin)
        throw ApiError::validation({{"orders", "required", "the file is empty"}});
    if (_state == State::Wrapper)
        beginSingle();
    if (_state == State::Rest)
        parse(R"({"orders":[])", "");
    else if (_state != State::End)
        refuse(_line, _column + 1, "the text is not valid JSON: it ends too early");
}

void OrderSplitter::add(char c) {
    switch (_state) {
    case State::Begin:
        begin(c);
        break;
    case State::Wrapper:
        addToWrapper(c);
        break;
    case State::Single:
    case State::Element:
        addToElement(c);
        break;
    case State::Rest:
        append(c);
        break;
    case State::End:
        if (!isSpace(c))
            refuse(_line, _column, "the text is not valid JSON: it goes on behind its end");
    }
}

void OrderSplitter::begin(char c) {
    if (isSpace(c))
        return;
    _elementLine = _line;
    _elementColumn = _column;
    if (c == '[')
        _state = State::Element;
    else if (c == '{')
        _state = State::Wrapper;
    else
        refuse(_line, _column, "an order, an array of orders or {\"orders\": [...]} is expected");
    if (_state == State::Wrapper)
        addToWrapper(c);
}

void OrderSplitter::addToWrapper(char c) {
    append(c);
    if (isSpace(c) && (_matched < NAME_BEGIN || _matched >= NAME_END))
        return;
    if (c != WRAPPER[_matched]) {
        beginSingle();
    } else if (++_matched == WRAPPER.size()) {
        _element.clear();
        _isWrapped = true;
        _state = State::Element;
    }
}

/// What was taken for a wrapper is the beginning of the only order.
void OrderSplitter::beginSingle() {
    _state = State::Single;
    for (const char c : std::exchange(_element, {}))
        addToElement(c);
}

void OrderSplitter::addToElement(char c) {
    const bool isArray = _state == State::Element;
    if (isArray && _element.empty()) {
        if (isSpace(c))
            return;
        _elementLine = _line;
        _elementColumn = _column;
    }
    if (!_isInText && _depth == 0 && isArray && (c == ',' || c == ']')) {
        if (c == ',' || _taken > 0 || !_element.empty())
            takeElement();
        if (c == ']') {
            _state = _isWrapped ? State::Rest : State::End;
            _elementLine = _line;
            _elementColumn = _column + 1;
        }
        return;
    }
    append(c);
    if (_isEscaped)
        _isEscaped = false;
    else if (_isInText && c == '\\')
        _isEscaped = true;
    else if (c == '"')
        _isInText = !_isInText;
    else if (!_isInText && (c == '{' || c == '['))
        ++_depth;
    else if (!_isInText && (c == '}' || c == ']') && _depth > 0)
        --_depth;
    if (!isArray && _depth == 0) {
        takeElement();
        _state = State::End;
    }
}

void OrderSplitter::append(char c) {
    if (_element.size() == MAX_ORDER)
        refuse(_elementLine, _elementColumn,
               "order " + std::to_string(_taken + 1) + " is larger than " + std::to_string(MAX_ORDER) + " bytes");
    _element += c;
}

void OrderSplitter::takeElement() {
    if (_element.empty())
        refuse(_elementLine, _elementColumn, "the text is not valid JSON: an order is missing here");
    const bool hasParts = _element.front() == '{' || _element.front() == '[';
    const JsonDocument order = hasParts ? parse("", "") : parse("[", "]");
    if (_state == State::Single && order.object().has("orders"))
        refuse(_elementLine, _elementColumn, "orders must be an array, and come first in its object");
    ++_taken;
    _take(std::exchange(_element, {}));
}

JsonDocument OrderSplitter::parse(std::string_view before, std::string_view after) const {
    try {
        return parseJson(std::string(before).append(_element).append(after));
    } catch (const JsonError& error) {
        const std::size_t skipped = before.size() + 1; // bytes are counted from 1
        const std::size_t at = std::min(std::max(error.byte(), skipped) - skipped, _element.size());
        const std::string_view read = std::string_view(_element).substr(0, at);
        const auto lines = static_cast<std::size_t>(std::count(read.begin(), read.end(), '\n'));
        refuse(_elementLine + lines, lines == 0 ? _elementColumn + at : at - read.rfind('\n'),
               (_state == State::Rest ? "" : "order " + std::to_string(_taken + 1) + ": ") + error.detail().message);
    }
}

void OrderSplitter::refuse(std::size_t line, std::size_t column, const std::string& problem) const {
    throw ApiError::validation({{"orders", "type",
                                 "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " +
                                     problem + "; nothing was taken in"}});
}

} // namespace supplierd::orders
