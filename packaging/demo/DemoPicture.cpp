#include "DemoPicture.h"

#include "Articles.h"
#include "Blossoms.h"
#include "Chance.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace supplierd::demo {

namespace {

constexpr float UPWARDS = -1.5707963F;
constexpr Colour STEM{0.31F, 0.50F, 0.23F};
constexpr std::size_t NEWEST = 6;
constexpr std::size_t EVERY = 10;

struct Size {
    int width;
    int height;
};

constexpr std::array<Size, 5> SIZES = {{{1200, 900}, {1280, 960}, {1000, 1000}, {900, 1200}, {1600, 1067}}};

constexpr std::array<Colour, 6> BACKGROUNDS = {{{0.93F, 0.94F, 0.92F},
                                                {0.89F, 0.91F, 0.95F},
                                                {0.95F, 0.92F, 0.88F},
                                                {0.88F, 0.93F, 0.91F},
                                                {0.94F, 0.90F, 0.93F},
                                                {0.80F, 0.82F, 0.84F}}};

/// A number from `min` to `max` of this picture's own.
float chance(const DemoPicture& picture, std::string_view purpose, float min, float max) {
    constexpr int STEPS = 1'000;
    const auto step = between(picture.fileName(), purpose, 0, STEPS);
    return min + (max - min) * static_cast<float>(step) / STEPS;
}

/// "Garden Rose Mayra Peach 40 cm" → "Garden Rose".
std::string_view genusOf(const DemoProduct& product) {
    constexpr std::string_view TWO_WORDS[] = {"Garden Rose", "Spray Rose", "Leather Fern"};
    const std::string_view name = product.name;
    for (const std::string_view genus : TWO_WORDS)
        if (name.starts_with(genus))
            return name.substr(0, genus.size());
    return name.substr(0, name.find(' '));
}

void drawStem(Canvas& canvas, Point foot, Point head, float thickness, float lean) {
    canvas.bow(foot, {(foot.x + head.x) / 2 + lean, (foot.y + head.y) / 2}, head, thickness, STEM);
    const Point middle{(foot.x + head.x) / 2 + lean / 2, (foot.y + head.y) / 2};
    for (const float side : {-0.7F, 0.6F})
        canvas.petal(middle, towards(middle, UPWARDS + side, thickness * 11), thickness * 2.2F, Outline::Pointed,
                     shaded(STEM, -0.25F), shaded(STEM, 0.20F));
}

/// One head as large as the picture allows, or a bunch of them.
void drawFlowers(const DemoPicture& picture, Canvas& canvas) {
    const auto width = static_cast<float>(canvas.width());
    const auto height = static_cast<float>(canvas.height());
    const DemoProduct& product = *picture.product;
    const PictureColours colours = coloursOf(product.color, {0.90F, 0.60F, 0.70F});
    const bool isBunch = product.unit == "bunch" && picture.view == 0;
    const int heads = isBunch ? 7 : picture.view == 0 ? 1 : 2;
    const float least = std::min(width, height);
    const float radius = least * (isBunch ? 0.15F : picture.view == 0 ? 0.30F : 0.34F);
    const Point foot{width * 0.5F, height * 1.02F};
    for (int i = 0; i < heads; ++i) {
        const float spread = heads == 1 ? 0.0F : static_cast<float>(i) / static_cast<float>(heads - 1) - 0.5F;
        const std::string purpose = "head" + std::to_string(i);
        const Point head{width * (0.5F + spread * (isBunch ? 0.58F : 0.50F)) +
                             chance(picture, purpose, -0.02F, 0.02F) * width,
                         height * (isBunch ? 0.30F + 0.35F * spread * spread : 0.42F + 0.12F * spread) +
                             chance(picture, purpose + "y", -0.07F, 0.07F) * height};
        drawStem(canvas, {foot.x + spread * width * 0.06F, foot.y}, head, least * 0.018F,
                 chance(picture, purpose + "lean", -0.06F, 0.06F) * width);
        drawBlossom(canvas, genusOf(product), head, radius * chance(picture, purpose + "size", 0.9F, 1.05F),
                    chance(picture, purpose + "turn", 0, 6.28F), colours);
    }
}

void drawSupply(const DemoPicture& picture, Canvas& canvas) {
    const auto width = static_cast<float>(canvas.width());
    const auto height = static_cast<float>(canvas.height());
    const DemoProduct& product = *picture.product;
    const std::array table{Point{0, height * 0.72F}, Point{width, height * 0.72F}, Point{width, height},
                           Point{0, height}};
    canvas.polygon(table, {0.80F, 0.74F, 0.66F}, {0.70F, 0.63F, 0.55F});
    const auto variant = static_cast<std::size_t>(picture.view);
    const std::string& words = variant < product.variants.size() ? product.variants[variant].color : product.name;
    drawArticle(canvas, product.name, words, {width * (0.5F + chance(picture, "place", -0.04F, 0.04F)), height * 0.52F},
                std::min(width, height) * (picture.view == 0 ? 0.40F : 0.46F));
}

PictureFormat formatOf(const DemoProduct& product, int view) {
    constexpr std::array FORMATS{PictureFormat::Jpeg, PictureFormat::Webp, PictureFormat::Jpeg, PictureFormat::Png};
    return FORMATS[static_cast<std::size_t>(
        between(product.sku, "format" + std::to_string(view), 0, FORMATS.size() - 1))];
}

} // namespace

std::string DemoPicture::fileName() const {
    return product->sku + "-" + std::to_string(view) + "." + std::string(extensionOf(format));
}

std::string DemoPicture::draw() const {
    const std::string name = fileName();
    const Size size = SIZES[static_cast<std::size_t>(between(name, "size", 0, SIZES.size() - 1))];
    Canvas canvas(size.width, size.height);
    const Colour& wall = BACKGROUNDS[static_cast<std::size_t>(between(name, "wall", 0, BACKGROUNDS.size() - 1))];
    canvas.background(shaded(wall, 0.2F), shaded(wall, -0.12F));
    if (product->type == "flower")
        drawFlowers(*this, canvas);
    else
        drawSupply(*this, canvas);
    return encoded(canvas, format);
}

std::vector<DemoPicture> demoPictures(const DemoSupplier& supplier) {
    std::vector<DemoPicture> pictures;
    const std::size_t count = supplier.products.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (i + NEWEST < count && i % EVERY != 0)
            continue;
        const DemoProduct& product = supplier.products[i];
        const auto dice = between(product.sku, "views", 1, 5);
        const int views = dice == 1 ? 3 : dice == 2 ? 2 : 1;
        for (int view = 0; view < views; ++view)
            pictures.push_back({&product, view, formatOf(product, view)});
    }
    return pictures;
}

} // namespace supplierd::demo
