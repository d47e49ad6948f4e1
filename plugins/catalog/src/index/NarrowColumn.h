#pragma once

#include "ColumnMemory.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace supplierd::catalog {

/// A column of 64-bit numbers that keeps 32 of each as long as all fit: stocks, prices up to 214,748, changes. Thread:
/// const functions at the same time from any; the others alone.
class NarrowColumn {
public:
    std::int64_t operator[](std::size_t row) const { return _isWide ? _wide[row] : _narrow[row]; }
    std::size_t size() const { return _isWide ? _wide.size() : _narrow.size(); }

    void append(std::int64_t value) {
        widenFor(value);
        if (_isWide) {
            makeRoom(_wide, 1);
            _wide.push_back(value);
        } else {
            makeRoom(_narrow, 1);
            _narrow.push_back(static_cast<std::int32_t>(value));
        }
    }

    void set(std::size_t row, std::int64_t value) {
        widenFor(value);
        if (_isWide)
            _wide[row] = value;
        else
            _narrow[row] = static_cast<std::int32_t>(value);
    }

    void reserve(std::size_t rows) {
        if (_isWide)
            _wide.reserve(rows);
        else
            _narrow.reserve(rows);
    }

    std::size_t bytes() const { return bytesOf(_narrow) + bytesOf(_wide); }

private:
    void widenFor(std::int64_t value) {
        if (_isWide ||
            (value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max()))
            return;
        _wide.reserve(_narrow.capacity());
        _wide.assign(_narrow.begin(), _narrow.end());
        std::vector<std::int32_t>().swap(_narrow);
        _isWide = true;
    }

    bool _isWide = false;
    std::vector<std::int32_t> _narrow;
    std::vector<std::int64_t> _wide;
};

} // namespace supplierd::catalog
