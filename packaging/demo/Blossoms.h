#pragma once

#include "Canvas.h"
#include "PictureColours.h"

#include <string_view>

namespace supplierd::demo {

/// Draws the head of a flower, or a sprig of greenery, as its genus looks; an unknown one is a cloud of small flowers.
/// `radius` in pixels, `turn` in radians, so that no two look the same.
void drawBlossom(Canvas& canvas, std::string_view genus, Point centre, float radius, float turn,
                 const PictureColours& colours);

} // namespace supplierd::demo
