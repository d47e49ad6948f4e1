#include "Blossoms.h"

#include <cmath>

namespace supplierd::demo {

namespace {

constexpr float WHOLE_TURN = 6.2831853F;
constexpr float GOLDEN_ANGLE = 2.3999632F;
constexpr Colour POLLEN{0.93F, 0.75F, 0.22F};
constexpr Colour LEAF{0.30F, 0.47F, 0.22F};

struct Head {
    Canvas& canvas;
    Point centre;
    float radius;
    float turn;
    const PictureColours& colours;
};

void petals(const Head& head, int count, float from, float to, float halfWidth, Outline outline, const Colour& atBase,
            const Colour& atTip, float turn) {
    for (int i = 0; i < count; ++i) {
        const float angle = head.turn + turn + WHOLE_TURN * static_cast<float>(i) / static_cast<float>(count);
        head.canvas.petal(towards(head.centre, angle, head.radius * from),
                          towards(head.centre, angle, head.radius * to), head.radius * halfWidth, outline, atBase,
                          atTip);
    }
}

/// Rings of round petals, each inside the last and deeper in colour: roses, peonies, carnations.
void drawDouble(const Head& head) {
    constexpr int RINGS = 6;
    for (int ring = 0; ring < RINGS; ++ring) {
        const float inward = static_cast<float>(ring) / RINGS;
        const Colour tip = mixed(head.colours.second, head.colours.main, 0.35F + 0.65F * inward);
        const Colour base = shaded(head.colours.main, -0.25F - 0.35F * inward);
        petals(head, 8 - ring, -0.10F, 1.0F - 0.82F * inward, 0.50F - 0.38F * inward, Outline::Broad, base,
               shaded(tip, 0.12F - 0.20F * inward), static_cast<float>(ring) * 0.7F);
    }
    head.canvas.disc(head.centre, head.radius * 0.09F, head.radius * 0.09F, shaded(head.colours.main, -0.55F),
                     shaded(head.colours.main, -0.25F));
}

/// Many narrow petals around a disc: gerberas, sunflowers, chrysanthemums.
void drawDaisy(const Head& head, int count, float eye, const Colour& eyeColour) {
    const Colour base = shaded(head.colours.main, -0.25F);
    petals(head, count, 0.1F, 1.0F, 2.6F / static_cast<float>(count), Outline::Broad, base, head.colours.second, 0);
    petals(head, count, 0.1F, 0.84F, 2.3F / static_cast<float>(count), Outline::Broad, shaded(base, -0.15F),
           head.colours.main, 0.5F * WHOLE_TURN / static_cast<float>(count));
    head.canvas.disc(head.centre, head.radius * eye, head.radius * eye, shaded(eyeColour, -0.35F), eyeColour);
    for (int i = 1; i < 60; ++i) {
        const float distance = head.radius * eye * std::sqrt(static_cast<float>(i) / 60) * 0.95F;
        head.canvas.disc(towards(head.centre, GOLDEN_ANGLE * static_cast<float>(i), distance), head.radius * 0.022F,
                         head.radius * 0.022F, shaded(eyeColour, 0.35F), shaded(eyeColour, -0.10F));
    }
}

void drawTulip(const Head& head) {
    const Point foot{head.centre.x, head.centre.y + head.radius};
    const float up = -WHOLE_TURN / 4;
    const Colour dark = shaded(head.colours.main, -0.30F);
    for (const float lean : {-0.30F, 0.30F, 0.0F})
        head.canvas.petal(foot, towards(foot, up + lean, head.radius * 1.95F), head.radius * 0.52F, Outline::Round,
                          shaded(dark, -0.15F), dark);
    for (const float lean : {-0.20F, 0.20F})
        head.canvas.petal(foot, towards(foot, up + lean, head.radius * 1.85F), head.radius * 0.50F, Outline::Round,
                          shaded(head.colours.main, -0.20F), head.colours.main);
    head.canvas.petal(foot, towards(foot, up, head.radius * 1.75F), head.radius * 0.48F, Outline::Round,
                      head.colours.main, head.colours.second);
}

/// Six pointed petals and their stamens: lilies, alstroemerias, freesias.
void drawStar(const Head& head) {
    const Colour throat = mixed(head.colours.main, {0.80F, 0.85F, 0.55F}, 0.55F);
    petals(head, 3, 0, 1.0F, 0.30F, Outline::Pointed, throat, head.colours.main, WHOLE_TURN / 6);
    petals(head, 3, 0, 1.0F, 0.36F, Outline::Pointed, throat, head.colours.second, 0);
    for (int i = 0; i < 24; ++i) {
        const float angle = head.turn + GOLDEN_ANGLE * static_cast<float>(i);
        const float distance = head.radius * (0.20F + 0.012F * static_cast<float>(i));
        head.canvas.disc(towards(head.centre, angle, distance), head.radius * 0.014F, head.radius * 0.014F,
                         shaded(head.colours.main, -0.45F), shaded(head.colours.main, -0.35F));
    }
    for (int i = 0; i < 6; ++i) {
        const Point tip =
            towards(head.centre, head.turn + 0.3F + WHOLE_TURN * static_cast<float>(i) / 6, head.radius * 0.42F);
        head.canvas.line(head.centre, tip, head.radius * 0.025F, {0.80F, 0.85F, 0.55F});
        head.canvas.disc(tip, head.radius * 0.05F, head.radius * 0.03F, {0.62F, 0.32F, 0.10F}, {0.45F, 0.22F, 0.08F});
    }
}

/// One small flower of four or five petals.
void drawFloret(Canvas& canvas, Point centre, float radius, float turn, const PictureColours& colours) {
    const Head head{canvas, centre, radius, turn, colours};
    petals(head, 5, 0, 1, 0.42F, Outline::Broad, colours.main, colours.second, 0);
    canvas.disc(centre, radius * 0.2F, radius * 0.2F, POLLEN, shaded(colours.main, -0.25F));
}

/// Florets on a ball, packed as seeds are: hydrangeas, gypsophila, statice.
void drawCloud(const Head& head, int florets, float size) {
    for (int i = florets; i > 0; --i) {
        const float out = std::sqrt(static_cast<float>(i) / static_cast<float>(florets));
        const float angle = head.turn + GOLDEN_ANGLE * static_cast<float>(i);
        const PictureColours shade{shaded(head.colours.main, 0.05F - 0.30F * out),
                                   shaded(head.colours.second, 0.10F - 0.25F * out)};
        drawFloret(head.canvas, towards(head.centre, angle, head.radius * out * 0.9F), head.radius * size, angle,
                   shade);
    }
}

/// Florets up a stem: delphinium, veronica, solidago.
void drawSpike(const Head& head) {
    constexpr int FLORETS = 26;
    const Point foot{head.centre.x, head.centre.y + head.radius};
    const Point top{head.centre.x + head.radius * 0.12F, head.centre.y - head.radius};
    head.canvas.line(foot, top, head.radius * 0.05F, LEAF);
    for (int i = FLORETS; i > 0; --i) {
        const float height = static_cast<float>(i) / FLORETS;
        const float aside = (i % 2 == 0 ? 1.0F : -1.0F) * head.radius * 0.26F * (1.15F - height);
        const Point place{foot.x + (top.x - foot.x) * height + aside, foot.y + (top.y - foot.y) * height};
        drawFloret(head.canvas, place, head.radius * (0.24F - 0.14F * height), static_cast<float>(i), head.colours);
    }
}

void drawSprig(const Head& head) {
    constexpr int PAIRS = 9;
    const Point foot{head.centre.x, head.centre.y + head.radius};
    const Point top{head.centre.x + head.radius * 0.2F, head.centre.y - head.radius};
    const Colour dark = shaded(head.colours.main, -0.40F);
    head.canvas.bow(foot, {foot.x - head.radius * 0.2F, head.centre.y}, top, head.radius * 0.045F, dark);
    for (int i = 0; i <= 2 * PAIRS; ++i) {
        const float height = static_cast<float>(i) / (2 * PAIRS);
        const Point place{foot.x + (top.x - foot.x) * height - head.radius * 0.2F * height * (1 - height) * 2,
                          foot.y + (top.y - foot.y) * height};
        const float angle = -WHOLE_TURN / 4 + (i % 2 == 0 ? 0.85F : -0.85F);
        head.canvas.petal(place, towards(place, angle, head.radius * (0.75F - 0.40F * height)), head.radius * 0.17F,
                          Outline::Pointed, dark, i % 2 == 0 ? head.colours.second : head.colours.main);
    }
}

void drawBerries(const Head& head) {
    for (int i = 0; i < 14; ++i) {
        const float angle = head.turn + GOLDEN_ANGLE * static_cast<float>(i);
        const Point place = towards(head.centre, angle, head.radius * 0.9F * std::sqrt(static_cast<float>(i) / 14));
        head.canvas.petal(head.centre, towards(place, angle, head.radius * 0.25F), head.radius * 0.12F,
                          Outline::Pointed, LEAF, shaded(LEAF, 0.2F));
        head.canvas.disc(place, head.radius * 0.17F, head.radius * 0.20F, head.colours.second,
                         shaded(head.colours.main, -0.25F));
    }
}

using Draw = void (*)(const Head&);

struct Genus {
    std::string_view name;
    Draw draw;
};

constexpr Genus GENERA[] = {
    {"Tulip", drawTulip},
    {"Rose", drawDouble},
    {"Garden Rose", drawDouble},
    {"Spray Rose", drawDouble},
    {"Peony", drawDouble},
    {"Carnation", drawDouble},
    {"Ranunculus", drawDouble},
    {"Lisianthus", drawDouble},
    {"Lily", drawStar},
    {"Alstroemeria", drawStar},
    {"Freesia", drawStar},
    {"Ornithogalum", drawStar},
    {"Gerbera", [](const Head& head) { drawDaisy(head, 22, 0.22F, shaded(head.colours.main, -0.35F)); }},
    {"Chrysanthemum",
     [](const Head& head) {
         drawDaisy(head, 30, 0.18F, {0.75F, 0.78F, 0.30F});
     }},
    {"Sunflower",
     [](const Head& head) {
         drawDaisy(head, 20, 0.40F, {0.33F, 0.20F, 0.10F});
     }},
    {"Anemone",
     [](const Head& head) {
         drawDaisy(head, 9, 0.20F, {0.12F, 0.11F, 0.16F});
     }},
    {"Craspedia", [](const Head& head) { drawCloud(head, 160, 0.07F); }},
    {"Hydrangea", [](const Head& head) { drawCloud(head, 70, 0.20F); }},
    {"Delphinium", drawSpike},
    {"Veronica", drawSpike},
    {"Solidago", drawSpike},
    {"Hypericum", drawBerries},
    {"Ruscus", drawSprig},
    {"Eucalyptus", drawSprig},
    {"Leather Fern", drawSprig}};

} // namespace

void drawBlossom(Canvas& canvas, std::string_view genus, Point centre, float radius, float turn,
                 const PictureColours& colours) {
    const Head head{canvas, centre, radius, turn, colours};
    for (const auto& [name, draw] : GENERA)
        if (name == genus)
            return draw(head);
    drawCloud(head, 90, 0.10F);
}

} // namespace supplierd::demo
