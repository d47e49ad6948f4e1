#include "Canvas.h"

#include <algorithm>
#include <cmath>

namespace supplierd::demo {

namespace {

constexpr float FULL = 255.0F;

float clamped(float value) {
    return std::clamp(value, 0.0F, 1.0F);
}

/// Half the width at `along` (0 base, 1 tip), of a petal that is 1 wide at its widest.
float widthAt(Outline outline, float along) {
    switch (outline) {
    case Outline::Round:
        return std::sqrt(4 * along * (1 - along));
    case Outline::Broad:
        return std::sqrt(6.75F * along * along * (1 - along));
    case Outline::Pointed:
        break;
    }
    return 4 * along * (1 - along);
}

/// Not std::hypot(): pixels do not overflow, and it takes several times as long.
float lengthOf(Point vector) {
    return std::sqrt(vector.x * vector.x + vector.y * vector.y);
}

Point minus(Point one, Point other) {
    return {one.x - other.x, one.y - other.y};
}

float dot(Point one, Point other) {
    return one.x * other.x + one.y * other.y;
}

} // namespace

Colour mixed(const Colour& one, const Colour& other, float share) {
    const float rest = 1 - share;
    return {one.red * rest + other.red * share, one.green * rest + other.green * share,
            one.blue * rest + other.blue * share};
}

Colour shaded(const Colour& colour, float amount) {
    return amount > 0 ? mixed(colour, {1, 1, 1}, amount) : mixed(colour, {0, 0, 0}, -amount);
}

Point towards(Point origin, float angle, float distance) {
    return {origin.x + std::cos(angle) * distance, origin.y + std::sin(angle) * distance};
}

Canvas::Canvas(int width, int height)
    : _width(width), _height(height), _pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3) {}

void Canvas::blend(int x, int y, const Colour& colour, float coverage) {
    std::uint8_t* const pixel =
        _pixels.data() +
        (static_cast<std::size_t>(y) * static_cast<std::size_t>(_width) + static_cast<std::size_t>(x)) * 3;
    const auto part = [coverage](std::uint8_t before, float value) {
        const float old = before;
        return static_cast<std::uint8_t>(static_cast<int>(old + (clamped(value) * FULL - old) * coverage + 0.5F));
    };
    pixel[0] = part(pixel[0], colour.red);
    pixel[1] = part(pixel[1], colour.green);
    pixel[2] = part(pixel[2], colour.blue);
}

/// `distance` of a point in pixels, negative inside the shape; `shade` is asked only where it shows.
template <class Distance, class Shade>
void Canvas::fill(const Box& box, Distance&& distance, Shade&& shade) {
    const int left = std::max(0, static_cast<int>(box.left) - 1);
    const int right = std::min(_width - 1, static_cast<int>(box.right) + 1);
    const int top = std::max(0, static_cast<int>(box.top) - 1);
    const int bottom = std::min(_height - 1, static_cast<int>(box.bottom) + 1);
    for (int y = top; y <= bottom; ++y)
        for (int x = left; x <= right; ++x) {
            const Point point{static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F};
            const float coverage = clamped(0.5F - distance(point));
            if (coverage > 0)
                blend(x, y, shade(point), coverage);
        }
}

void Canvas::background(const Colour& top, const Colour& bottom) {
    const auto width = static_cast<float>(_width);
    const auto height = static_cast<float>(_height);
    fill(
        {0, 0, width, height}, [](Point) { return -1.0F; },
        [&](Point point) {
            const float x = point.x / width - 0.5F;
            const float y = point.y / height - 0.5F;
            return shaded(mixed(top, bottom, point.y / height), -0.45F * (x * x + y * y));
        });
}

void Canvas::petal(Point base, Point tip, float halfWidth, Outline outline, const Colour& atBase, const Colour& atTip) {
    const Point axis = minus(tip, base);
    const float length = lengthOf(axis);
    if (length < 1)
        return;
    const Point unit{axis.x / length, axis.y / length};
    const auto along = [&](Point point) { return dot(minus(point, base), unit) / length; };
    const auto across = [&](Point point) { return dot(minus(point, base), {-unit.y, unit.x}); };
    const Box box{std::min(base.x, tip.x) - halfWidth, std::min(base.y, tip.y) - halfWidth,
                  std::max(base.x, tip.x) + halfWidth, std::max(base.y, tip.y) + halfWidth};
    fill(
        box,
        [&](Point point) {
            const float place = along(point);
            const float side = std::fabs(across(point));
            if (place <= 0 || place >= 1 || side > halfWidth + 1)
                return 1.0F;
            return side - halfWidth * widthAt(outline, place);
        },
        [&](Point point) {
            const float side = across(point) / halfWidth;
            const float vein = std::max(0.0F, 1 - std::fabs(side) * 9);
            return shaded(mixed(atBase, atTip, clamped(along(point))),
                          0.10F * side - 0.20F * side * side - 0.10F * vein);
        });
}

void Canvas::disc(Point centre, float radiusX, float radiusY, const Colour& middle, const Colour& edge) {
    const auto radius = [&](Point point) {
        return lengthOf({(point.x - centre.x) / radiusX, (point.y - centre.y) / radiusY});
    };
    fill(
        {centre.x - radiusX, centre.y - radiusY, centre.x + radiusX, centre.y + radiusY},
        [&](Point point) { return (radius(point) - 1) * std::min(radiusX, radiusY); },
        [&](Point point) {
            const float place = clamped(radius(point));
            return mixed(middle, edge, place * place);
        });
}

void Canvas::ring(Point centre, float radius, float thickness, const Colour& colour) {
    const float outer = radius + thickness / 2;
    const auto offset = [&](Point point) { return lengthOf(minus(point, centre)) - radius; };
    fill(
        {centre.x - outer, centre.y - outer, centre.x + outer, centre.y + outer},
        [&](Point point) { return std::fabs(offset(point)) - thickness / 2; },
        [&](Point point) {
            const float place = offset(point) / (thickness / 2);
            return shaded(colour, 0.12F - 0.30F * place * place);
        });
}

void Canvas::line(Point from, Point to, float thickness, const Colour& colour) {
    const Point axis = minus(to, from);
    const float square = std::max(1.0F, dot(axis, axis));
    const float half = thickness / 2;
    const auto offset = [&](Point point) {
        const Point start = minus(point, from);
        const float along = clamped(dot(start, axis) / square);
        return lengthOf({start.x - axis.x * along, start.y - axis.y * along});
    };
    fill(
        {std::min(from.x, to.x) - half, std::min(from.y, to.y) - half, std::max(from.x, to.x) + half,
         std::max(from.y, to.y) + half},
        [&](Point point) { return offset(point) - half; },
        [&](Point point) {
            const float place = offset(point) / half;
            return shaded(colour, 0.10F - 0.25F * place * place);
        });
}

void Canvas::bow(Point from, Point pull, Point to, float thickness, const Colour& colour) {
    constexpr int STEPS = 24;
    Point last = from;
    for (int i = 1; i <= STEPS; ++i) {
        const float t = static_cast<float>(i) / STEPS;
        const float a = (1 - t) * (1 - t);
        const float b = 2 * t * (1 - t);
        const Point next{a * from.x + b * pull.x + t * t * to.x, a * from.y + b * pull.y + t * t * to.y};
        line(last, next, thickness, colour);
        last = next;
    }
}

void Canvas::turned(Point top, float height, std::span<const float> halfWidths, const Colour& colour) {
    const float widest = *std::max_element(halfWidths.begin(), halfWidths.end());
    const auto steps = static_cast<float>(halfWidths.size() - 1);
    const auto halfWidth = [&](float y) {
        const float place = clamped((y - top.y) / height) * steps;
        const auto step = std::min(static_cast<std::size_t>(place), halfWidths.size() - 2);
        const float share = place - static_cast<float>(step);
        const float smooth = share * share * (3 - 2 * share);
        return halfWidths[step] + (halfWidths[step + 1] - halfWidths[step]) * smooth;
    };
    fill(
        {top.x - widest, top.y, top.x + widest, top.y + height},
        [&](Point point) {
            return std::max(
                {std::fabs(point.x - top.x) - halfWidth(point.y), top.y - point.y, point.y - top.y - height});
        },
        [&](Point point) {
            const float side = (point.x - top.x) / halfWidth(point.y);
            const float gloss = std::max(0.0F, 1 - std::fabs(side + 0.45F) * 6);
            return shaded(colour, 0.35F * gloss + 0.08F - 0.30F * side * side - 0.14F * side);
        });
}

void Canvas::polygon(std::span<const Point> corners, const Colour& top, const Colour& bottom) {
    Box box{corners[0].x, corners[0].y, corners[0].x, corners[0].y};
    for (const Point corner : corners)
        box = {std::min(box.left, corner.x), std::min(box.top, corner.y), std::max(box.right, corner.x),
               std::max(box.bottom, corner.y)};
    fill(
        box,
        [&](Point point) {
            bool isInside = false;
            float nearest = FULL;
            for (std::size_t i = 0, before = corners.size() - 1; i < corners.size(); before = i++) {
                const Point from = corners[before];
                const Point to = corners[i];
                if ((from.y > point.y) != (to.y > point.y) &&
                    point.x < (to.x - from.x) * (point.y - from.y) / (to.y - from.y) + from.x)
                    isInside = !isInside;
                const Point axis = minus(to, from);
                const Point start = minus(point, from);
                const float along = clamped(dot(start, axis) / std::max(1.0F, dot(axis, axis)));
                nearest = std::min(nearest, lengthOf({start.x - axis.x * along, start.y - axis.y * along}));
            }
            return isInside ? -nearest : nearest;
        },
        [&](Point point) { return mixed(top, bottom, (point.y - box.top) / std::max(1.0F, box.bottom - box.top)); });
}

} // namespace supplierd::demo
