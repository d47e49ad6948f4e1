#include "Articles.h"

#include "PictureColours.h"

#include <array>
#include <cmath>

namespace supplierd::demo {

namespace {

constexpr float WHOLE_TURN = 6.2831853F;
constexpr Colour STEEL{0.74F, 0.76F, 0.79F};
constexpr Colour WOOD{0.55F, 0.36F, 0.20F};

struct Place {
    Canvas& canvas;
    Point centre;
    float size;
    const PictureColours& colours;

    Point at(float x, float y) const { return {centre.x + x * size, centre.y + y * size}; }
};

/// Something turned, with its opening on top. Widths are half of them, in parts of the size.
template <std::size_t N>
void drawVessel(const Place& place, const std::array<float, N>& widths, float top, float bottom) {
    std::array<float, N> pixels{};
    for (std::size_t i = 0; i < N; ++i)
        pixels[i] = widths[i] * place.size;
    const Colour& colour = place.colours.main;
    place.canvas.disc(place.at(0, bottom), pixels.back() * 1.15F, place.size * 0.09F, {0.45F, 0.43F, 0.42F},
                      {0.72F, 0.70F, 0.68F});
    place.canvas.turned(place.at(0, top), (bottom - top) * place.size, pixels, colour);
    place.canvas.disc(place.at(0, top), pixels.front(), place.size * 0.07F, shaded(colour, -0.45F),
                      shaded(colour, 0.15F));
}

void drawCylinder(const Place& place) {
    drawVessel(place, std::array{0.48F, 0.46F, 0.46F, 0.48F}, -0.85F, 0.85F);
}

void drawBottle(const Place& place) {
    drawVessel(place, std::array{0.14F, 0.13F, 0.15F, 0.40F, 0.48F, 0.46F, 0.42F}, -0.9F, 0.85F);
}

void drawUrn(const Place& place) {
    drawVessel(place, std::array{0.30F, 0.22F, 0.46F, 0.58F, 0.50F, 0.30F, 0.28F}, -0.8F, 0.85F);
}

void drawBucket(const Place& place) {
    drawVessel(place, std::array{0.62F, 0.58F, 0.53F, 0.48F}, -0.6F, 0.8F);
    place.canvas.bow(place.at(-0.60F, -0.60F), place.at(0, -1.35F), place.at(0.60F, -0.60F), place.size * 0.035F,
                     STEEL);
}

void drawPot(const Place& place) {
    drawVessel(place, std::array{0.62F, 0.62F, 0.52F, 0.47F, 0.42F, 0.38F}, -0.55F, 0.75F);
}

void drawBowl(const Place& place) {
    drawVessel(place, std::array{0.88F, 0.84F, 0.70F, 0.40F}, -0.15F, 0.55F);
}

void drawBasket(const Place& place) {
    place.canvas.bow(place.at(-0.7F, -0.1F), place.at(0, -1.5F), place.at(0.7F, -0.1F), place.size * 0.07F,
                     shaded(place.colours.main, -0.2F));
    drawVessel(place, std::array{0.78F, 0.72F, 0.62F, 0.54F}, -0.1F, 0.75F);
    for (int row = 0; row < 7; ++row)
        for (int column = 0; column < 12; ++column) {
            const float y = 0.0F + static_cast<float>(row) * 0.1F;
            const float reach = 0.70F - static_cast<float>(row) * 0.025F;
            const float x = (static_cast<float>(column) + (row % 2 == 0 ? 0.0F : 0.5F)) / 12 * 2 * reach - reach;
            place.canvas.disc(place.at(x + 0.04F, y), place.size * 0.055F, place.size * 0.035F,
                              shaded(place.colours.main, 0.25F), shaded(place.colours.main, -0.25F));
        }
}

/// Ribbon, tape, wire, paper: wound on a core, its end hanging loose.
void drawRoll(const Place& place) {
    const Colour& colour = place.colours.main;
    place.canvas.bow(place.at(0.05F, 0.62F), place.at(0.6F, 0.72F), place.at(1.05F, 0.45F), place.size * 0.20F,
                     shaded(colour, -0.08F));
    place.canvas.disc(place.at(0, 0), place.size * 0.70F, place.size * 0.70F, shaded(colour, -0.2F),
                      shaded(colour, -0.3F));
    for (int i = 0; i < 11; ++i)
        place.canvas.ring(place.centre, place.size * (0.24F + 0.042F * static_cast<float>(i)), place.size * 0.040F,
                          i % 2 == 0 ? colour : place.colours.second);
    place.canvas.disc(place.centre, place.size * 0.20F, place.size * 0.20F, {0.35F, 0.30F, 0.26F},
                      {0.62F, 0.52F, 0.40F});
}

void drawBox(const Place& place) {
    const Colour& colour = place.colours.main;
    const std::array front{place.at(-0.75F, -0.25F), place.at(0.35F, -0.25F), place.at(0.35F, 0.70F),
                           place.at(-0.75F, 0.70F)};
    const std::array lid{place.at(-0.75F, -0.25F), place.at(-0.35F, -0.60F), place.at(0.75F, -0.60F),
                         place.at(0.35F, -0.25F)};
    const std::array side{place.at(0.35F, -0.25F), place.at(0.75F, -0.60F), place.at(0.75F, 0.30F),
                          place.at(0.35F, 0.70F)};
    place.canvas.polygon(front, shaded(colour, 0.05F), shaded(colour, -0.10F));
    place.canvas.polygon(lid, shaded(colour, 0.35F), shaded(colour, 0.20F));
    place.canvas.polygon(side, shaded(colour, -0.20F), shaded(colour, -0.35F));
    const std::array label{place.at(-0.55F, 0.05F), place.at(0.0F, 0.05F), place.at(0.0F, 0.40F),
                           place.at(-0.55F, 0.40F)};
    place.canvas.polygon(label, {0.97F, 0.96F, 0.93F}, {0.90F, 0.89F, 0.86F});
    for (const float y : {0.14F, 0.22F, 0.30F})
        place.canvas.line(place.at(-0.48F, y), place.at(-0.10F - y / 2, y), place.size * 0.022F, place.colours.second);
}

void drawRing(const Place& place) {
    place.canvas.ring(place.centre, place.size * 0.62F, place.size * 0.34F, place.colours.main);
}

void drawHeart(const Place& place) {
    const Point foot = place.at(0, 0.75F);
    for (const float lean : {-0.42F, 0.42F})
        place.canvas.petal(foot, towards(foot, -WHOLE_TURN / 4 + lean, place.size * 1.5F), place.size * 0.52F,
                           Outline::Broad, shaded(place.colours.main, -0.15F), place.colours.main);
}

void drawScissors(const Place& place) {
    place.canvas.ring(place.at(-0.60F, 0.45F), place.size * 0.22F, place.size * 0.09F, place.colours.main);
    place.canvas.ring(place.at(-0.35F, 0.70F), place.size * 0.22F, place.size * 0.09F, place.colours.main);
    place.canvas.petal(place.at(-0.45F, 0.32F), place.at(0.85F, -0.60F), place.size * 0.10F, Outline::Round, STEEL,
                       shaded(STEEL, 0.4F));
    place.canvas.petal(place.at(-0.25F, 0.52F), place.at(0.65F, -0.80F), place.size * 0.10F, Outline::Round,
                       shaded(STEEL, -0.2F), shaded(STEEL, 0.3F));
    place.canvas.disc(place.at(0.10F, -0.05F), place.size * 0.05F, place.size * 0.05F, {0.3F, 0.3F, 0.3F}, STEEL);
}

void drawKnife(const Place& place) {
    place.canvas.petal(place.at(-0.05F, 0.05F), place.at(0.90F, -0.55F), place.size * 0.13F, Outline::Round, STEEL,
                       shaded(STEEL, 0.45F));
    place.canvas.line(place.at(-0.85F, 0.55F), place.at(0.0F, 0.02F), place.size * 0.20F, WOOD);
    for (const float along : {0.2F, 0.5F, 0.8F})
        place.canvas.disc(place.at(-0.85F + 0.85F * along, 0.55F - 0.53F * along), place.size * 0.03F,
                          place.size * 0.03F, shaded(STEEL, 0.3F), STEEL);
}

void drawPins(const Place& place) {
    for (int i = 0; i < 11; ++i) {
        const float lean = (static_cast<float>(i) - 5) * 0.11F;
        const Point foot = place.at(lean * 0.4F, 0.75F);
        const Point head = towards(foot, -WHOLE_TURN / 4 + lean, place.size * 1.45F);
        place.canvas.line(foot, head, place.size * 0.025F, STEEL);
        place.canvas.disc(head, place.size * 0.08F, place.size * 0.08F, {1, 1, 1}, place.colours.main);
    }
}

void drawSticks(const Place& place) {
    for (int i = 0; i < 9; ++i) {
        const float x = (static_cast<float>(i) - 4) * 0.14F;
        place.canvas.line(place.at(x + 0.15F, -0.80F), place.at(x - 0.15F, 0.80F), place.size * 0.12F,
                          i % 2 == 0 ? place.colours.main : place.colours.second);
    }
    place.canvas.line(place.at(-0.68F, 0.05F), place.at(0.68F, 0.05F), place.size * 0.09F, {0.80F, 0.70F, 0.50F});
}

void drawCandle(const Place& place) {
    drawVessel(place, std::array{0.34F, 0.34F, 0.34F, 0.35F}, -0.45F, 0.80F);
    place.canvas.line(place.at(0, -0.45F), place.at(0, -0.56F), place.size * 0.02F, {0.2F, 0.2F, 0.2F});
    place.canvas.petal(place.at(0, -0.50F), place.at(0, -0.92F), place.size * 0.09F, Outline::Pointed,
                       {0.98F, 0.60F, 0.15F}, {1.0F, 0.93F, 0.55F});
}

void drawBolls(const Place& place) {
    place.canvas.bow(place.at(-0.15F, 0.9F), place.at(0.25F, 0.1F), place.at(0.0F, -0.9F), place.size * 0.04F, WOOD);
    for (int i = 0; i < 8; ++i) {
        const float height = static_cast<float>(i) / 8;
        const Point boll = place.at((i % 2 == 0 ? 0.32F : -0.22F) + 0.05F * height, 0.55F - 1.4F * height);
        for (const float angle : {0.3F, 1.9F, 3.4F, 5.0F})
            place.canvas.disc(towards(boll, angle, place.size * 0.07F), place.size * 0.10F, place.size * 0.10F,
                              {1, 1, 1}, {0.88F, 0.86F, 0.82F});
    }
}

void drawPlumes(const Place& place) {
    for (int i = 0; i < 7; ++i) {
        const float lean = (static_cast<float>(i) - 3) * 0.16F;
        const Point foot = place.at(lean * 0.2F, 0.95F);
        const Point head = towards(foot, -WHOLE_TURN / 4 + lean, place.size * 0.9F);
        place.canvas.line(foot, head, place.size * 0.02F, shaded(place.colours.main, -0.3F));
        place.canvas.petal(head, towards(head, -WHOLE_TURN / 4 + lean * 1.5F, place.size * 0.95F), place.size * 0.13F,
                           Outline::Round, place.colours.main, place.colours.second);
    }
}

void drawLights(const Place& place) {
    const Point pulls[] = {place.at(-0.6F, 0.5F), place.at(0.7F, -0.9F), place.at(0.4F, 1.1F)};
    Point from = place.at(-0.95F, -0.6F);
    for (int i = 0; i < 3; ++i) {
        const Point to = place.at(-0.3F + 0.6F * static_cast<float>(i), i % 2 == 0 ? 0.2F : -0.3F);
        place.canvas.bow(from, pulls[i], to, place.size * 0.018F, place.colours.main);
        for (const float share : {0.25F, 0.75F})
            place.canvas.disc({from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share + place.size * 0.15F},
                              place.size * 0.08F, place.size * 0.08F, {1.0F, 0.97F, 0.75F}, {0.98F, 0.80F, 0.35F});
        from = to;
    }
}

void drawMoss(const Place& place) {
    for (int i = 0; i < 150; ++i) {
        const float angle = 2.3999632F * static_cast<float>(i);
        const float out = 0.78F * std::sqrt(static_cast<float>(i) / 150);
        const Point spot = place.at(out * std::cos(angle), out * 0.8F * std::sin(angle));
        place.canvas.petal(spot, towards(spot, angle * 3, place.size * 0.2F), place.size * 0.06F, Outline::Round,
                           shaded(place.colours.main, -0.3F), i % 3 == 0 ? place.colours.second : place.colours.main);
    }
}

void drawApron(const Place& place) {
    const std::array cloth{place.at(-0.28F, -0.70F), place.at(0.28F, -0.70F), place.at(0.36F, -0.25F),
                           place.at(0.66F, -0.05F),  place.at(0.62F, 0.90F),  place.at(-0.62F, 0.90F),
                           place.at(-0.66F, -0.05F), place.at(-0.36F, -0.25F)};
    place.canvas.bow(place.at(-0.26F, -0.68F), place.at(0, -1.25F), place.at(0.26F, -0.68F), place.size * 0.05F, WOOD);
    place.canvas.polygon(cloth, shaded(place.colours.main, 0.12F), shaded(place.colours.main, -0.12F));
    const std::array pocket{place.at(-0.34F, 0.20F), place.at(0.34F, 0.20F), place.at(0.32F, 0.58F),
                            place.at(-0.32F, 0.58F)};
    place.canvas.polygon(pocket, shaded(place.colours.main, -0.18F), shaded(place.colours.main, -0.26F));
}

using Draw = void (*)(const Place&);

struct Kind {
    std::string_view word;
    Draw draw;
    Colour colour; ///< where nothing else says one
};

constexpr Colour PAPER{0.73F, 0.57F, 0.38F};
constexpr Colour FOAM{0.30F, 0.55F, 0.34F};

// The first whose word is in the name.
constexpr Kind KINDS[] = {{"Cylinder vase", drawCylinder, {0.79F, 0.88F, 0.90F}},
                          {"Bottle vase", drawBottle, {0.60F, 0.72F, 0.62F}},
                          {"Ceramic vase", drawUrn, {0.93F, 0.92F, 0.88F}},
                          {"bucket for transport", drawBucket, {0.20F, 0.22F, 0.25F}},
                          {"tablets", drawBox, {0.62F, 0.78F, 0.90F}},
                          {"bucket", drawBucket, {0.63F, 0.66F, 0.68F}},
                          {"basket", drawBasket, {0.66F, 0.48F, 0.28F}},
                          {"pot,", drawPot, {0.77F, 0.43F, 0.29F}},
                          {"bowl", drawBowl, {0.66F, 0.65F, 0.63F}},
                          {"Foam ring", drawRing, FOAM},
                          {"Foam heart", drawHeart, FOAM},
                          {"foam", drawBox, FOAM},
                          {"lights on copper", drawLights, {0.76F, 0.45F, 0.30F}},
                          {"scissors", drawScissors, {0.15F, 0.15F, 0.17F}},
                          {"Secateurs", drawScissors, {0.75F, 0.12F, 0.12F}},
                          {"apron", drawApron, {0.35F, 0.42F, 0.33F}},
                          {"ribbon", drawRoll, {0.85F, 0.82F, 0.74F}},
                          {"Raffia", drawSticks, {0.84F, 0.73F, 0.50F}},
                          {"Kraft paper", drawRoll, PAPER},
                          {"Cellophane", drawRoll, {0.83F, 0.90F, 0.93F}},
                          {"Binding wire", drawRoll, {0.24F, 0.40F, 0.24F}},
                          {"Aluminium wire", drawRoll, {0.77F, 0.78F, 0.80F}},
                          {"tape", drawRoll, {0.40F, 0.58F, 0.34F}},
                          {"wire", drawSticks, {0.26F, 0.38F, 0.26F}},
                          {"pins", drawPins, {0.95F, 0.93F, 0.88F}},
                          {"knife", drawKnife, WOOD},
                          {"stripper", drawKnife, WOOD},
                          {"10 l", drawBottle, {0.95F, 0.95F, 0.92F}},
                          {"spray", drawBottle, {0.35F, 0.62F, 0.45F}},
                          {"moss", drawMoss, {0.70F, 0.72F, 0.52F}},
                          {"candle", drawCandle, {0.95F, 0.92F, 0.82F}},
                          {"Cinnamon", drawSticks, {0.55F, 0.31F, 0.17F}},
                          {"Cotton", drawBolls, {0.95F, 0.93F, 0.88F}},
                          {"Pampas", drawPlumes, {0.84F, 0.75F, 0.58F}}};
constexpr Kind OTHER{"", drawBox, PAPER};

} // namespace

void drawArticle(Canvas& canvas, std::string_view name, std::string_view colourWords, Point centre, float size) {
    const Kind* kind = &OTHER;
    for (const Kind& candidate : KINDS)
        if (name.find(candidate.word) != std::string_view::npos) {
            kind = &candidate;
            break;
        }
    const PictureColours colours = coloursOf(colourWords, kind->colour);
    kind->draw({canvas, centre, size, colours});
}

} // namespace supplierd::demo
