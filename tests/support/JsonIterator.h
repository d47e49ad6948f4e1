#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <type_traits>

namespace supplierd::tests {

/// Over the elements of an array or the members of an object; there value() is a member's value and key() its name.
template <typename Value>
class JsonIterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::remove_const_t<Value>;
    using difference_type = std::ptrdiff_t;
    using pointer = Value*;
    using reference = Value&;
    using Member = typename std::map<std::string, std::remove_const_t<Value>>::const_iterator;

    JsonIterator() = default;
    explicit JsonIterator(Value* element) : _element(element) {}
    explicit JsonIterator(Member member) : _member(member), _isMember(true) {}

    reference operator*() const { return _isMember ? const_cast<Value&>(_member->second) : *_element; }
    pointer operator->() const { return &**this; }
    JsonIterator& operator++() {
        if (_isMember)
            ++_member;
        else
            ++_element;
        return *this;
    }
    JsonIterator operator++(int) {
        const auto before = *this;
        ++*this;
        return before;
    }
    bool operator==(const JsonIterator&) const = default;

    const std::string& key() const { return _member->first; }
    reference value() const { return **this; }

private:
    Value* _element = nullptr;
    Member _member = {};
    bool _isMember = false;
};

} // namespace supplierd::tests
