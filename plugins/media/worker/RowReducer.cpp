#include "worker/RowReducer.h"

#include <algorithm>

namespace supplierd::media {

RowReducer::RowReducer(std::uint32_t width, std::uint32_t height, PixelForm form, std::uint32_t factor)
    : _width(width), _factor(factor) {
    _reduced.width = (width + factor - 1) / factor;
    _reduced.height = (height + factor - 1) / factor;
    _reduced.form = form;
    const std::size_t rowSamples = _reduced.width * channelsOf(form);
    _reduced.samples.reserve(rowSamples * _reduced.height);
    if (factor > 1)
        _sums.assign(rowSamples, 0);
}

void RowReducer::add(std::span<const std::uint8_t> row) {
    if (_factor == 1) {
        _reduced.samples.insert(_reduced.samples.end(), row.begin(), row.end());
        return;
    }
    if (_reduced.form == PixelForm::Rgba)
        addTransparent(row.data());
    else
        addOpaque(row.data());
    if (++_rowsHeld == _factor)
        flush();
}

Raster RowReducer::take() {
    if (_rowsHeld > 0)
        flush();
    return std::move(_reduced);
}

void RowReducer::addOpaque(const std::uint8_t* row) {
    const std::size_t channels = channelsOf(_reduced.form);
    for (std::uint32_t column = 0, left = _width; column < _reduced.width; ++column) {
        const std::uint32_t pixels = std::min(_factor, left);
        left -= pixels;
        std::uint32_t* const sums = &_sums[column * channels];
        std::uint32_t red = 0;
        std::uint32_t green = 0;
        std::uint32_t blue = 0;
        for (std::uint32_t i = 0; i < pixels; ++i, row += channels) {
            red += row[0];
            green += row[1];
            blue += row[2];
        }
        sums[0] += red;
        sums[1] += green;
        sums[2] += blue;
    }
}

void RowReducer::addTransparent(const std::uint8_t* row) {
    for (std::uint32_t column = 0, left = _width; column < _reduced.width; ++column) {
        const std::uint32_t pixels = std::min(_factor, left);
        left -= pixels;
        std::uint32_t* const sums = &_sums[column * std::size_t{4}];
        for (std::uint32_t i = 0; i < pixels; ++i, row += 4) {
            const std::uint32_t alpha = row[3];
            sums[0] += row[0] * alpha;
            sums[1] += row[1] * alpha;
            sums[2] += row[2] * alpha;
            sums[3] += alpha;
        }
    }
}

void RowReducer::flush() {
    for (std::uint32_t column = 0; column < _reduced.width; ++column)
        flushPixel(column);
    std::fill(_sums.begin(), _sums.end(), 0);
    _rowsHeld = 0;
}

void RowReducer::flushPixel(std::uint32_t column) {
    const std::size_t channels = channelsOf(_reduced.form);
    const std::uint32_t* const sums = &_sums[column * channels];
    const std::uint32_t pixels = std::min(_factor, _width - column * _factor) * _rowsHeld;
    const bool transparent = _reduced.form == PixelForm::Rgba;
    const std::uint32_t weight = transparent ? sums[3] : pixels;
    for (std::size_t channel = 0; channel < 3; ++channel)
        _reduced.samples.push_back(weight == 0 ? std::uint8_t{0}
                                               : static_cast<std::uint8_t>((sums[channel] + weight / 2) / weight));
    if (transparent)
        _reduced.samples.push_back(static_cast<std::uint8_t>((sums[3] + pixels / 2) / pixels));
}

} // namespace supplierd::media
