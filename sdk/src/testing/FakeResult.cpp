#include <supplierd/testing/FakeResult.h>

#include <algorithm>
#include <stdexcept>

namespace supplierd::testing {

const FakeResult::Step& FakeResult::next() {
    if (_steps.empty())
        throw std::logic_error("a script without an answer: add thenRows(), thenAffects() or thenThrows()");
    const std::size_t step = std::min(_given, _steps.size() - 1);
    ++_given;
    return _steps[step];
}

} // namespace supplierd::testing
