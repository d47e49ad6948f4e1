#include "Assortment.h"

namespace supplierd::demo {
namespace {

// clang-format off: one line per variety reads as the price list that it is
const std::vector<FlowerLine> DUTCH = {
    {"tulips", "Tulip", "Strong Gold", "yellow", "bunch", 21500, {36}, 5},
    {"tulips", "Tulip", "Strong Love", "red", "bunch", 22500, {36}, 5},
    {"tulips", "Tulip", "Dynasty", "pink", "bunch", 23900, {38}, 5},
    {"tulips", "Tulip", "Royal Virgin", "white", "bunch", 22000, {36}, 5},
    {"tulips", "Tulip", "Purple Flag", "purple", "bunch", 23500, {36}, 5},
    {"tulips", "Tulip", "Columbus", "pink and white", "bunch", 28900, {40}, 5},
    {"tulips", "Tulip", "Orange Juice", "orange", "bunch", 24500, {38}, 5},
    {"tulips", "Tulip", "Queen of Night", "dark purple", "bunch", 31000, {42}, 5},
    {"chrysanthemums", "Chrysanthemum", "Baltica", "white", "stem", 3450, {70}, 10},
    {"chrysanthemums", "Chrysanthemum", "Pina Colada", "white", "stem", 3600, {70}, 10},
    {"chrysanthemums", "Chrysanthemum", "Zembla Lime", "green", "stem", 4200, {70, 80}, 10},
    {"chrysanthemums", "Chrysanthemum", "Rossano", "pink", "stem", 3550, {70}, 10},
    {"chrysanthemums", "Chrysanthemum", "Anastasia Bronze", "bronze", "stem", 5150, {70}, 10},
    {"chrysanthemums", "Chrysanthemum", "Magnum", "white", "stem", 6200, {80}, 10},
    {"chrysanthemums", "Chrysanthemum", "Momoko", "pink", "stem", 6050, {80}, 10},
    {"lilies", "Lily", "Santander", "white", "stem", 9800, {80, 90}, 10},
    {"lilies", "Lily", "Robina", "pink", "stem", 10450, {90}, 10},
    {"lilies", "Lily", "Stargazer", "pink", "stem", 8900, {70}, 10},
    {"lilies", "Lily", "Yelloween", "yellow", "stem", 8600, {80}, 10},
    {"lilies", "Lily", "Roselily Isabella", "light pink", "stem", 15250, {80}, 10},
    {"gerberas", "Gerbera", "Red Explosion", "red", "stem", 2175, {50}, 20},
    {"gerberas", "Gerbera", "Franky", "orange", "stem", 2050, {50}, 20},
    {"gerberas", "Gerbera", "Icedance", "white", "stem", 2125, {50}, 20},
    {"gerberas", "Gerbera", "Kimsey", "pink", "stem", 1875, {45}, 20},
    {"gerberas", "Gerbera", "Suri", "salmon", "stem", 1925, {45}, 20},
    {"gerberas", "Gerbera", "Black Diamonds", "dark red", "stem", 2375, {50}, 20},
    {"hydrangeas", "Hydrangea", "Magical Amethyst", "blue", "stem", 18500, {50, 60}, 5},
    {"hydrangeas", "Hydrangea", "Schneeball", "white", "stem", 17400, {60}, 5},
    {"hydrangeas", "Hydrangea", "Verena Classic", "green", "stem", 19900, {60}, 5},
    {"peonies", "Peony", "Sarah Bernhardt", "pink", "stem", 11200, {50, 60}, 10},
    {"peonies", "Peony", "Coral Charm", "coral", "stem", 16500, {60}, 10},
    {"peonies", "Peony", "Duchesse de Nemours", "white", "stem", 10850, {50}, 10},
    {"peonies", "Peony", "Red Charm", "red", "stem", 14750, {60}, 10},
    {"alstroemerias", "Alstroemeria", "Virginia", "white", "bunch", 26500, {80}, 5},
    {"alstroemerias", "Alstroemeria", "Whistler", "pink and white", "bunch", 27200, {80}, 5},
    {"alstroemerias", "Alstroemeria", "Primadonna", "pink", "bunch", 25900, {80}, 5},
    {"freesias", "Freesia", "Ambiance", "white", "bunch", 19500, {40}, 5},
    {"freesias", "Freesia", "Red Passion", "red", "bunch", 20500, {40}, 5},
    {"freesias", "Freesia", "Purple Rain", "purple", "bunch", 19900, {40}, 5},
    {"summer-flowers", "Sunflower", "Sunrich Orange", "yellow", "stem", 4950, {70}, 10},
    {"summer-flowers", "Sunflower", "Sonja", "orange", "stem", 4650, {60}, 10},
    {"summer-flowers", "Delphinium", "Blue Bird", "blue", "stem", 8250, {80}, 10},
    {"summer-flowers", "Delphinium", "Dewi Boy", "light blue", "stem", 7950, {80}, 10},
    {"summer-flowers", "Ranunculus", "Elegance Giallo", "yellow", "stem", 3950, {40}, 10},
    {"summer-flowers", "Ranunculus", "Cloni Hanoi", "blush", "stem", 6850, {45}, 10},
    {"summer-flowers", "Anemone", "Mistral Blu", "blue", "stem", 4150, {40}, 10},
    {"summer-flowers", "Anemone", "Panda", "white and black", "stem", 4250, {40}, 10},
};

const std::vector<FlowerLine> ANDEAN = {
    {"garden-roses", "Garden Rose", "Mayra Peach", "peach", "stem", 9500, {40, 50}, 12},
    {"garden-roses", "Garden Rose", "Candlelight", "cream", "stem", 9100, {50}, 12},
    {"garden-roses", "Garden Rose", "Princess Hitomi", "light pink", "stem", 10200, {50}, 12},
    {"roses", "Rose", "Freedom", "red", "stem", 2850, {40, 50, 60, 70}, 25},
    {"roses", "Rose", "Explorer", "red", "stem", 3100, {40, 50, 60, 70}, 25},
    {"roses", "Rose", "Mondial", "white", "stem", 3350, {40, 50, 60, 70}, 25},
    {"roses", "Rose", "Playa Blanca", "white", "stem", 3200, {40, 50, 60, 70}, 25},
    {"roses", "Rose", "Pink Floyd", "hot pink", "stem", 3300, {40, 50, 60, 70}, 25},
    {"roses", "Rose", "Vendela", "cream", "stem", 2750, {40, 50, 60, 70}, 25},
    {"roses", "Rose", "High Magic", "yellow and orange", "stem", 2950, {40, 50, 60, 70}, 25},
    {"roses", "Rose", "Deep Purple", "lilac", "stem", 3450, {40, 50, 60, 70}, 25},
    {"roses", "Rose", "Quicksand", "sand", "stem", 4100, {40, 50, 60, 70}, 25},
    {"roses", "Rose", "Country Blues", "lavender", "stem", 4400, {40, 50, 60, 70}, 25},
    {"roses", "Rose", "Free Spirit", "orange", "stem", 3050, {40, 50, 60, 70}, 25},
    {"spray-roses", "Spray Rose", "Star Blush", "pink", "stem", 4850, {50}, 10},
    {"spray-roses", "Spray Rose", "Snowflake", "white", "stem", 4650, {50}, 10},
    {"spray-roses", "Spray Rose", "Babe", "orange", "stem", 4700, {50}, 10},
    {"spray-roses", "Spray Rose", "Rubicon", "red", "stem", 4950, {50}, 10},
    {"gypsophila", "Gypsophila", "Xlence", "white", "bunch", 42500, {80}, 6},
    {"gypsophila", "Gypsophila", "Overtime", "white", "bunch", 39900, {70}, 6},
};

const std::vector<FlowerLine> KENYAN = {
    {"roses", "Rose", "Upper Class", "red", "stem", 1450, {40, 50, 60}, 20},
    {"roses", "Rose", "Athena", "white", "stem", 1395, {40, 50, 60}, 20},
    {"roses", "Rose", "Belle Rose", "pink", "stem", 1525, {40, 50, 60}, 20},
    {"roses", "Rose", "Tropical Amazone", "orange and yellow", "stem", 1480, {40, 50, 60}, 20},
    {"roses", "Rose", "Jumilia", "white and pink", "stem", 1610, {40, 50, 60}, 20},
    {"roses", "Rose", "Moonwalk", "yellow", "stem", 1550, {40, 50, 60}, 20},
    {"carnations", "Carnation", "Don Pedro", "red", "stem", 850, {60}, 20},
    {"carnations", "Carnation", "Moon Light", "white", "stem", 895, {60}, 20},
    {"carnations", "Carnation", "Nobbio Black Heart", "burgundy", "stem", 1025, {60}, 20},
    {"carnations", "Carnation", "Antigua", "apricot", "stem", 975, {60}, 20},
    {"carnations", "Carnation", "Prado Mint", "green", "stem", 1150, {60}, 20},
    {"summer-flowers", "Statice", "Sea Waves", "blue", "bunch", 13500, {60}, 10},
    {"summer-flowers", "Statice", "Ever Violet", "violet", "bunch", 13900, {60}, 10},
    {"summer-flowers", "Hypericum", "Coco Casino", "red", "stem", 1875, {50}, 10},
    {"summer-flowers", "Hypericum", "Magical Green", "green", "stem", 1925, {50}, 10},
    {"summer-flowers", "Eryngium", "Orion Questar", "blue", "stem", 3650, {60}, 10},
    {"summer-flowers", "Solidago", "Tara", "yellow", "stem", 1650, {70}, 10},
    {"summer-flowers", "Veronica", "Caya", "blue", "stem", 2250, {60}, 10},
    {"greenery", "Ruscus", "Israeli", "green", "bunch", 15900, {50, 70}, 10},
    {"greenery", "Eucalyptus", "Cinerea", "grey green", "bunch", 28500, {60}, 5},
    {"greenery", "Leather Fern", "Arachniodes", "green", "bunch", 11900, {45}, 10},
    {"summer-flowers", "Lisianthus", "Rosita White", "white", "stem", 5450, {60}, 10},
    {"summer-flowers", "Lisianthus", "Alissa Purple", "purple", "stem", 5650, {60}, 10},
    {"summer-flowers", "Craspedia", "Paintball Globe", "yellow", "stem", 1350, {60}, 20},
    {"summer-flowers", "Ornithogalum", "White Star", "white", "stem", 2150, {50}, 10},
    {"summer-flowers", "Scabiosa", "Stellata", "brown", "stem", 1990, {50}, 10},
    {"summer-flowers", "Ammi", "Visnaga Green Mist", "green", "stem", 2385, {70}, 10},
    {"summer-flowers", "Limonium", "Maine Blue", "blue", "bunch", 31500, {70}, 5},
    {"gypsophila", "Gypsophila", "Million Stars", "white", "bunch", 33500, {65}, 6},
};

const std::vector<SupplyLine> SUPPLIES = {
    {"vases", "Cylinder vase, clear glass, 15 x 20 cm", "piece", 38500, 4, "PL", {}},
    {"vases", "Cylinder vase, clear glass, 20 x 40 cm", "piece", 94500, 2, "PL", {}},
    {"vases", "Bottle vase Milano, recycled glass, 26 cm", "piece", 52900, 6, "ES", {"amber", "green", "smoke"}},
    {"vases", "Ceramic vase Lisbon, matt, 22 cm", "piece", 78500, 4, "PT", {"white", "sand", "terracotta"}},
    {"vases", "Zinc bucket, 10 l", "piece", 64500, 6, "NL", {}},
    {"vases", "Cooler bucket for transport, 8 l", "piece", 21500, 10, "NL", {}},
    {"baskets-and-pots", "Willow basket with liner, round, 20 cm", "piece", 33500, 6, "PL", {}},
    {"baskets-and-pots", "Willow basket with handle, oval, 30 cm", "piece", 47500, 4, "PL", {}},
    {"baskets-and-pots", "Terracotta pot, 12 cm", "piece", 8950, 24, "IT", {}},
    {"baskets-and-pots", "Terracotta pot, 17 cm", "piece", 16900, 12, "IT", {}},
    {"baskets-and-pots", "Concrete bowl, 25 cm", "piece", 58900, 4, "VN", {"grey", "anthracite"}},
    {"floral-foam", "Floral foam brick for fresh flowers, 23 x 11 x 8 cm", "box", 289500, 1, "DE", {}},
    {"floral-foam", "Floral foam brick for dried flowers, 20 bricks", "box", 265000, 1, "DE", {}},
    {"floral-foam", "Foam ring on biodegradable base, 25 cm", "piece", 24750, 6, "DE", {}},
    {"floral-foam", "Foam heart, open, 33 cm", "piece", 61500, 2, "DE", {}},
    {"floral-foam", "Table deco foam Mini, 12 cm", "pack", 118000, 1, "DE", {}},
    {"ribbons", "Satin ribbon double face, 25 mm", "roll", 42500, 5, "DE", {"ivory", "red", "blush", "sage", "black"}},
    {"ribbons", "Satin ribbon double face, 40 mm", "roll", 61500, 5, "DE", {"ivory", "red", "blush"}},
    {"ribbons", "Jute ribbon, 50 mm", "meter", 4850, 10, "IN", {}},
    {"ribbons", "Organza ribbon, 15 mm", "meter", 1275, 25, "CN", {"white", "silver", "gold"}},
    {"ribbons", "Mourning ribbon, 75 mm, 25 m", "roll", 89500, 1, "NL", {"white", "champagne"}},
    {"ribbons", "Raffia, natural, 1 kg", "kilogram", 112500, 1, "MG", {}},
    {"wrapping", "Kraft paper, brown, 50 cm", "roll", 245000, 1, "SE", {}},
    {"wrapping", "Silk paper, 50 x 70 cm, 480 sheets", "pack", 198500, 1, "FI", {"white", "pink", "mint"}},
    {"wrapping", "Bouquet sleeve, clear, 35 x 50 x 12 cm, 50 pieces", "pack", 64500, 2, "NL", {}},
    {"wrapping", "Bouquet sleeve, kraft window, 50 pieces", "pack", 92500, 2, "NL", {}},
    {"wrapping", "Cellophane, 70 cm x 100 m", "roll", 139500, 1, "BE", {}},
    {"wrapping", "Waterproof bouquet carrier bag, 100 pieces", "box", 385000, 1, "NL", {}},
    {"wrapping", "Shipping box for bouquets, 80 cm", "box", 148500, 10, "NL", {}},
    {"wire-and-tape", "Florist wire, green lacquered, 0.8 x 400 mm", "kilogram", 58500, 2, "NL", {}},
    {"wire-and-tape", "Florist wire, annealed, 1.2 x 400 mm", "kilogram", 51500, 2, "NL", {}},
    {"wire-and-tape", "Binding wire, green, 100 g", "roll", 14950, 10, "NL", {}},
    {"wire-and-tape", "Aluminium wire, 2 mm, 12 m", "roll", 36900, 4, "CN", {"silver", "gold", "copper", "rose"}},
    {"wire-and-tape", "Flower tape, 13 mm x 27 m", "roll", 9850, 12, "US", {"green", "brown", "white"}},
    {"wire-and-tape", "Glass head pins, 6 cm, 100 pieces", "pack", 27500, 5, "DE", {}},
    {"tools", "Florist knife, straight blade", "piece", 69500, 1, "DE", {}},
    {"tools", "Secateurs, forged aluminium, 20 cm", "piece", 384500, 1, "CH", {}},
    {"tools", "Ribbon scissors, 25 cm", "piece", 245000, 1, "DE", {}},
    {"tools", "Stem stripper", "piece", 47500, 1, "NL", {}},
    {"tools", "Rose thorn remover, bench model", "piece", 1895000, 1, "NL", {}},
    {"care", "Cut flower food, sachets of 5 g, 1000 pieces", "box", 289000, 1, "NL", {}},
    {"care", "Cut flower food for transport, 10 l", "piece", 412500, 1, "NL", {}},
    {"care", "Chlorine tablets for buckets, 200 pieces", "box", 218500, 1, "NL", {}},
    {"care", "Leaf shine spray, 750 ml", "piece", 58950, 6, "NL", {}},
    {"decoration", "Reindeer moss, preserved, 500 g", "box", 174500, 1, "NO", {"natural", "spring green", "burgundy"}},
    {"decoration", "Pillar candle, 15 x 7 cm", "piece", 21900, 12, "PL", {"ivory", "burgundy", "petrol"}},
    {"decoration", "Cinnamon sticks, 40 cm", "kilogram", 236500, 1, "ID", {}},
    {"decoration", "Cotton branch, dried, 8 bolls", "piece", 36500, 6, "GR", {}},
    {"decoration", "Pampas grass, dried, 70 cm, 10 stems", "bunch", 118500, 2, "ES", {"natural", "bleached", "blush"}},
    {"decoration", "Floating candle, 5 cm, 12 pieces", "pack", 54500, 4, "PL", {"ivory", "red"}},
    {"decoration", "Fairy lights on copper wire, 5 m", "piece", 31500, 10, "CN", {}},
    {"tools", "Florist apron, waxed cotton", "piece", 295000, 1, "PT", {"green", "black"}},
    {"tools", "Bouquet binding stand", "piece", 649500, 1, "NL", {}},
};
// clang-format on

} // namespace

std::span<const FlowerLine> dutchFlowers() {
    return DUTCH;
}

std::span<const FlowerLine> andeanFlowers() {
    return ANDEAN;
}

std::span<const FlowerLine> kenyanFlowers() {
    return KENYAN;
}

std::span<const SupplyLine> floristSupplies() {
    return SUPPLIES;
}

} // namespace supplierd::demo
