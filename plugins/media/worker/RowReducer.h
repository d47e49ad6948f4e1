#pragma once

#include "worker/Raster.h"

#include <cstdint>
#include <span>
#include <vector>

namespace supplierd::media {

/// Shrinks a picture by a whole number while its rows come in: each pixel is the mean of a square, transparent pixels
/// counting by their alpha. Holds one row of sums, never the picture.
class RowReducer {
public:
    RowReducer(std::uint32_t width, std::uint32_t height, PixelForm form, std::uint32_t factor);

    /// `row` has the width given. Call it once per row, top to bottom.
    void add(std::span<const std::uint8_t> row);
    /// After the last row.
    Raster take();

private:
    void addOpaque(const std::uint8_t* row);
    void addTransparent(const std::uint8_t* row);
    void flush();
    void flushPixel(std::uint32_t column);

    Raster _reduced;
    std::uint32_t _width;
    std::uint32_t _factor;
    std::uint32_t _rowsHeld = 0;
    std::vector<std::uint32_t> _sums;
};

} // namespace supplierd::media
