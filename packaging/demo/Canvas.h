#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace supplierd::demo {

/// Each part from 0 to 1.
struct Colour {
    float red = 0;
    float green = 0;
    float blue = 0;
};

/// `share` 0: the first, 1: the second.
Colour mixed(const Colour& one, const Colour& other, float share);
/// Towards white with a positive `amount`, towards black with a negative one; -1 to 1.
Colour shaded(const Colour& colour, float amount);

struct Point {
    float x = 0;
    float y = 0;
};

/// From `origin`, `distance` away; angle 0 is to the right, a quarter turn downwards.
Point towards(Point origin, float angle, float distance);

/// Outlines of a petal or leaf, from its base to its tip.
enum class Outline { Round, Broad, Pointed };

/// A picture of RGB pixels to draw on: a few shapes with soft edges and gradients, enough for a still life.
class Canvas {
public:
    Canvas(int width, int height);

    int width() const { return _width; }
    int height() const { return _height; }
    /// Rows from the top, 3 bytes a pixel.
    std::span<const std::uint8_t> pixels() const { return _pixels; }

    /// From top to bottom, darker in the corners.
    void background(const Colour& top, const Colour& bottom);
    void petal(Point base, Point tip, float halfWidth, Outline outline, const Colour& atBase, const Colour& atTip);
    void disc(Point centre, float radiusX, float radiusY, const Colour& middle, const Colour& edge);
    /// A ring around the centre.
    void ring(Point centre, float radius, float thickness, const Colour& colour);
    void line(Point from, Point to, float thickness, const Colour& colour);
    /// A bow from one end to the other, drawn towards `pull`.
    void bow(Point from, Point pull, Point to, float thickness, const Colour& colour);
    /// Something turned on a potter's wheel: half its width at even steps from top to bottom. Light from the left.
    void turned(Point top, float height, std::span<const float> halfWidths, const Colour& colour);
    /// Corners in order; darker downwards.
    void polygon(std::span<const Point> corners, const Colour& top, const Colour& bottom);

private:
    struct Box {
        float left;
        float top;
        float right;
        float bottom;
    };

    template <class Distance, class Shade>
    void fill(const Box& box, Distance&& distance, Shade&& shade);
    void blend(int x, int y, const Colour& colour, float coverage);

    int _width;
    int _height;
    std::vector<std::uint8_t> _pixels;
};

} // namespace supplierd::demo
