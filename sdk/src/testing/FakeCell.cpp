#include <supplierd/testing/FakeCell.h>

#include <charconv>

namespace supplierd::testing {

std::int64_t FakeCell::integer() const {
    std::int64_t number = 0;
    if (_text)
        std::from_chars(_text->data(), _text->data() + _text->size(), number);
    return number;
}

} // namespace supplierd::testing
