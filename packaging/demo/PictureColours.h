#pragma once

#include "Canvas.h"

#include <string_view>

namespace supplierd::demo {

/// The colours of a product, as its supplier words them: "dark red", "pink and white".
struct PictureColours {
    Colour main;
    Colour second;
};

/// Words that are no colour are passed over; `otherwise` where none is one.
PictureColours coloursOf(std::string_view words, const Colour& otherwise);

} // namespace supplierd::demo
