#pragma once

#include "Canvas.h"

#include <string_view>

namespace supplierd::demo {

/// Draws an article of the florist's workshop, as its name says: a vase, a ribbon, scissors. What the name does not
/// tell is a box. The colour is that of the words, or else what such articles usually have. `size` is half the height
/// of the space around `centre`.
void drawArticle(Canvas& canvas, std::string_view name, std::string_view colourWords, Point centre, float size);

} // namespace supplierd::demo
