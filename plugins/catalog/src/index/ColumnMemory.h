#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace supplierd::catalog {

/// Makes room for `extra` more elements, and where there are many for a few beyond them: a column that doubled when one
/// product came would have half its memory unused.
template <class Value>
void makeRoom(std::vector<Value>& values, std::size_t extra) {
    constexpr std::size_t FEW = 1'024;
    constexpr std::size_t PART = 32;
    const std::size_t needed = values.size() + extra;
    if (needed > values.capacity())
        values.reserve(needed + std::max(needed / PART, std::min(needed, FEW)));
}

template <class Value>
std::size_t bytesOf(const std::vector<Value>& values) {
    return values.capacity() * sizeof(Value);
}

} // namespace supplierd::catalog
