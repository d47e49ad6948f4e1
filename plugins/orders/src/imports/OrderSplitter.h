#pragma once

#include <supplierd/Json.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace supplierd::orders {

/// Cuts a JSON text that comes in pieces into orders: one order object, an array of them, or `{"orders": [ … ]}`. Of
/// the text, one order at a time is in memory. Thread: one.
class OrderSplitter {
public:
    static constexpr std::size_t MAX_ORDER = std::size_t{1} << 20;

    /// Called with each order as it was written: JSON, but not necessarily an object.
    using Take = std::function<void(std::string order)>;

    explicit OrderSplitter(Take take) : _take(std::move(take)) {}

    /// Both throw ApiError (Validation) with the line and column of what is no such text, and what `take` throws.
    void add(std::string_view bytes);
    void end();

private:
    enum class State {
        Begin,   ///< nothing but white space so far
        Wrapper, ///< of `{"orders": [`, or of a single order, so much that both are possible
        Single,  ///< within the only order
        Element, ///< within the array
        Rest,    ///< of the wrapper, behind the array
        End
    };

    void add(char c);
    void begin(char c);
    void addToWrapper(char c);
    void beginSingle();
    void addToElement(char c);
    void append(char c);
    void takeElement();
    /// What was appended, with that in front and behind.
    JsonDocument parse(std::string_view before, std::string_view after) const;
    [[noreturn]] void refuse(std::size_t line, std::size_t column, const std::string& problem) const;

    const Take _take;
    State _state = State::Begin;
    std::string _element;
    std::size_t _depth = 0;
    bool _isInText = false;
    bool _isEscaped = false;
    bool _isWrapped = false;
    std::size_t _matched = 0; ///< of the wrapper's beginning
    std::size_t _taken = 0;
    std::size_t _line = 1;
    std::size_t _column = 0; ///< of the last byte, counted from 1
    std::size_t _elementLine = 1;
    std::size_t _elementColumn = 1;
};

} // namespace supplierd::orders
