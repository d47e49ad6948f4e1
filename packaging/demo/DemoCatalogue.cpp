#include "Assortment.h"
#include "Chance.h"

#include <algorithm>
#include <span>

namespace supplierd::demo {
namespace {

const Decimal FLOWER_VAT = Decimal::fromInteger(9); // the Dutch rate for cut flowers
const Decimal SUPPLY_VAT = Decimal::fromInteger(21);

/// "Pink Floyd" → "PINKFL": letters and digits, upper case, at most `length`.
std::string abbreviation(std::string_view name, std::size_t length) {
    std::string result;
    for (const char c : name) {
        if (result.size() == length)
            break;
        if (c >= 'a' && c <= 'z')
            result += static_cast<char>(c - 'a' + 'A');
        else if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
            result += c;
    }
    return result;
}

/// Most products are sold every day; a few are new, refused, out of season or sold out.
void giveFate(DemoProduct& product) {
    const auto verdict = between(product.sku, "verdict", 1, 100);
    if (verdict <= 6)
        product.verdict = Verdict::Wait;
    else if (verdict <= 8)
        product.verdict = Verdict::Reject;
    product.active = between(product.sku, "active", 1, 100) > 7;

    const auto stock = between(product.sku, "stock", 1, 100);
    if (stock <= 6)
        product.stock = 0;
    else if (stock <= 10)
        product.stock = std::max<std::int64_t>(0, product.minOrder - 1);
    else
        product.stock = product.minOrder * between(product.sku, "quantity", 8, 240);
}

/// Every ten centimetres more cost a fifth more, to a quarter of a tenth of a cent as auction clocks have it.
Decimal priceForLength(std::int64_t shortest, std::size_t step) {
    auto price = shortest;
    for (std::size_t i = 0; i < step; ++i)
        price = price * 6 / 5;
    return Decimal::fromTenThousandths(price / 5 * 5);
}

std::string flowerDescription(const FlowerLine& line, int length) {
    std::string text = std::string(line.genus) + " '" + std::string(line.variety) + "', " + std::string(line.color);
    text +=
        line.unit == "bunch" ? ". Sold by the bunch" : ". Price per stem, packed by " + std::to_string(line.minOrder);
    return text + ", stem length " + std::to_string(length) + " cm.";
}

std::vector<DemoProduct> flowers(std::span<const FlowerLine> lines, std::string_view prefix, std::string_view country) {
    std::vector<DemoProduct> products;
    for (const auto& line : lines) {
        for (std::size_t step = 0; step < line.lengths.size(); ++step) {
            const int length = line.lengths[step];
            DemoProduct product;
            product.sku = std::string(prefix) + "-" + abbreviation(line.genus, 3) + "-" +
                          abbreviation(line.variety, 8) + "-" + std::to_string(length);
            product.name =
                std::string(line.genus) + " " + std::string(line.variety) + " " + std::to_string(length) + " cm";
            product.description = flowerDescription(line, length);
            product.categorySlug = line.categorySlug;
            product.type = "flower";
            product.unit = line.unit;
            product.price = priceForLength(line.price, step);
            product.minOrder = line.minOrder;
            product.color = line.color;
            product.stemLength = length;
            product.country = country;
            product.vatRate = FLOWER_VAT;
            giveFate(product);
            products.push_back(std::move(product));
        }
    }
    return products;
}

void addColorVariants(DemoProduct& product, const std::vector<std::string_view>& colors) {
    for (const auto color : colors) {
        DemoVariant variant;
        variant.sku = product.sku + "-" + abbreviation(color, 5);
        variant.name = product.name + ", " + std::string(color);
        variant.color = color;
        // Metallic colours cost more; the others have the product's price.
        if (color == "gold" || color == "copper" || color == "silver")
            variant.price = Decimal::fromTenThousandths(product.price.tenThousandths() * 23 / 20 / 50 * 50);
        variant.stock = product.minOrder * between(variant.sku, "quantity", 0, 60);
        product.variants.push_back(std::move(variant));
    }
}

std::vector<DemoProduct> supplies(std::span<const SupplyLine> lines) {
    std::vector<DemoProduct> products;
    for (const auto& line : lines) {
        DemoProduct product;
        product.sku = "LIN-" + std::to_string(40'010 + 10 * products.size());
        product.name = line.name;
        product.description = std::string(line.name) + ". Sold by the " + std::string(line.unit) +
                              (line.minOrder > 1 ? ", from " + std::to_string(line.minOrder) + "." : ".");
        product.categorySlug = line.categorySlug;
        product.type = "supply";
        product.unit = line.unit;
        product.price = Decimal::fromTenThousandths(line.price);
        product.minOrder = line.minOrder;
        product.country = line.country;
        product.vatRate = SUPPLY_VAT;
        giveFate(product);
        addColorVariants(product, line.colors);
        products.push_back(std::move(product));
    }
    return products;
}

} // namespace

std::vector<DemoCategory> demoCategories() {
    return {{"cut-flowers", "Cut flowers", "", "flower"},
            {"roses", "Roses", "cut-flowers", "flower"},
            {"garden-roses", "Garden roses", "roses", "flower"},
            {"spray-roses", "Spray roses", "roses", "flower"},
            {"bulb-flowers", "Bulb flowers", "cut-flowers", "flower"},
            {"tulips", "Tulips", "bulb-flowers", "flower"},
            {"lilies", "Lilies", "bulb-flowers", "flower"},
            {"freesias", "Freesias", "bulb-flowers", "flower"},
            {"chrysanthemums", "Chrysanthemums", "cut-flowers", "flower"},
            {"gerberas", "Gerberas", "cut-flowers", "flower"},
            {"hydrangeas", "Hydrangeas", "cut-flowers", "flower"},
            {"peonies", "Peonies", "cut-flowers", "flower"},
            {"alstroemerias", "Alstroemerias", "cut-flowers", "flower"},
            {"carnations", "Carnations", "cut-flowers", "flower"},
            {"gypsophila", "Gypsophila", "cut-flowers", "flower"},
            {"summer-flowers", "Summer flowers", "cut-flowers", "flower"},
            {"greenery", "Greenery", "", "flower"},
            {"florist-supplies", "Florist supplies", "", "supply"},
            {"vases", "Vases and buckets", "florist-supplies", "supply"},
            {"baskets-and-pots", "Baskets and pots", "florist-supplies", "supply"},
            {"floral-foam", "Floral foam", "florist-supplies", "supply"},
            {"ribbons", "Ribbons", "florist-supplies", "supply"},
            {"wrapping", "Wrapping and boxes", "florist-supplies", "supply"},
            {"wire-and-tape", "Wire and tape", "florist-supplies", "supply"},
            {"tools", "Tools", "florist-supplies", "supply"},
            {"care", "Flower care", "florist-supplies", "supply"},
            {"decoration", "Decoration", "florist-supplies", "supply"}};
}

std::vector<DemoSupplier> demoSuppliers() {
    return {
        {"van-der-meer", "Kwekerij Van der Meer", "verkoop@vandermeer.example", flowers(dutchFlowers(), "VDM", "NL")},
        {"cotopaxi", "Rosas del Cotopaxi S.A.", "ventas@cotopaxi.example", flowers(andeanFlowers(), "COT", "EC")},
        {"naivasha", "Naivasha Blooms Ltd.", "sales@naivasha.example", flowers(kenyanFlowers(), "NAI", "KE")},
        {"de-linde", "Groothandel De Linde", "orders@delinde.example", supplies(floristSupplies())}};
}

} // namespace supplierd::demo
