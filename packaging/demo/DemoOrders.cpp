#include "Chance.h"
#include "DemoOrder.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>

namespace supplierd::demo {
namespace {

constexpr int ORDERS = 60;
constexpr int FIRST_NUMBER = 26'001;

constexpr std::array<DemoCustomer, 10> CUSTOMERS = {{
    {"Bloemenhuis De Roos", "Sanne de Wit", "inkoop@bloemenhuisderoos.example", "+31 20 555 0142", "NL001234567B01",
     "Utrechtsestraat 41", "1017 VH", "Amsterdam", "NL"},
    {"Blumen Schäfer GmbH", "Jürgen Schäfer", "einkauf@blumen-schaefer.example", "+49 221 555 0119", "DE123456788",
     "Severinstraße 12", "50678", "Köln", "DE"},
    {"Fleurs de Paris SARL", "Amélie Rousseau", "achats@fleursdeparis.example", "+33 1 55 50 01 43", "FR40123456789",
     "18 rue des Martyrs", "75009", "Paris", "FR"},
    {"Fiori di Sanremo S.r.l.", "Giulia Ferrari", "ordini@fioridisanremo.example", "+39 0184 555 017", "IT01234567890",
     "Via Roma 77", "18038", "Sanremo", "IT"},
    {"Kwiaciarnia Pod Lipą", "Małgorzata Nowak", "zamowienia@podlipa.example", "+48 22 555 01 28", "PL1234567890",
     "ul. Lipowa 3", "00-316", "Warszawa", "PL"},
    {"Blomsterværkstedet ApS", "Søren Møller", "indkob@blomstervaerkstedet.example", "+45 33 55 01 77", "DK12345678",
     "Nørrebrogade 55", "2200", "København N", "DK"},
    {"Floristería El Jardín S.L.", "Lucía Fernández", "compras@eljardin.example", "+34 91 555 01 63", "ESB12345678",
     "Calle de Fuencarral 90", "28004", "Madrid", "ES"},
    {"Blumen Wien e.U.", "Katharina Gruber", "office@blumenwien.example", "+43 1 555 0182", "ATU12345678",
     "Neubaugasse 23", "1070", "Wien", "AT"},
    {"The Stem Room Ltd", "Oliver Bennett", "buying@thestemroom.example", "+44 20 5550 0171", "GB123456789",
     "8 Columbia Road", "E2 7RG", "London", "GB"},
    {"Fleuriste du Sablon SRL", "Nathalie Peeters", "commandes@sablon.example", "+32 2 555 01 94", "BE0123456789",
     "Rue de la Régence 14", "1000", "Bruxelles", "BE"},
}};

/// As a real day looks: most orders are on their way or done.
constexpr std::array<std::string_view, 15> STATUSES = {
    "pending",   "confirmed",  "processing", "shipped",   "delivered", "completed", "cancelled", "pending",
    "confirmed", "processing", "shipped",    "delivered", "completed", "completed", "delivered"};

constexpr std::array<std::string_view, 6> WAY = {"pending", "confirmed", "processing",
                                                 "shipped", "delivered", "completed"};

bool isForSale(const DemoProduct& product) {
    return product.active && product.verdict == Verdict::Approve && product.stock > 0;
}

/// What is left of each product after the orders so far, by SKU.
class Shelves {
public:
    explicit Shelves(std::span<const DemoSupplier> suppliers) {
        for (const auto& supplier : suppliers)
            for (const auto& product : supplier.products)
                if (isForSale(product))
                    _left[product.sku] = product.stock;
    }

    /// False when less than twice that is there: the demo's shops should not look empty.
    bool take(const std::string& sku, std::int64_t quantity) {
        const auto shelf = _left.find(sku);
        if (shelf == _left.end() || shelf->second < 2 * quantity)
            return false;
        shelf->second -= quantity;
        return true;
    }

private:
    std::map<std::string, std::int64_t> _left;
};

void addItems(DemoOrder& order, const DemoSupplier& supplier, Shelves& shelves) {
    const auto wanted = between(order.number, supplier.slug, 1, 5);
    const auto products = static_cast<std::int64_t>(supplier.products.size());
    for (std::int64_t i = 0; i < wanted; ++i) {
        const auto purpose = supplier.slug + std::to_string(i);
        const auto& product =
            supplier.products[static_cast<std::size_t>(between(order.number, purpose, 0, products - 1))];
        const auto quantity = product.minOrder * between(order.number, purpose + "quantity", 1, 4);
        const bool isTwice = std::any_of(order.items.begin(), order.items.end(),
                                         [&](const DemoOrderItem& item) { return item.sku == product.sku; });
        if (!isTwice && shelves.take(product.sku, quantity))
            order.items.push_back({supplier.slug, product.sku, quantity});
    }
}

} // namespace

std::vector<DemoOrder> demoOrders(const std::vector<DemoSupplier>& suppliers) {
    Shelves shelves(suppliers);
    std::vector<DemoOrder> orders;
    for (int i = 0; i < ORDERS; ++i) {
        DemoOrder order;
        order.number = "FM-" + std::to_string(FIRST_NUMBER + i);
        order.customer =
            CUSTOMERS[static_cast<std::size_t>(between(order.number, "customer", 0, CUSTOMERS.size() - 1))];
        order.status = STATUSES[static_cast<std::size_t>(i) % STATUSES.size()];
        const auto count = suppliers.size();
        const auto first = static_cast<std::size_t>(i) % count;
        addItems(order, suppliers[first], shelves);
        if (between(order.number, "suppliers", 1, 3) == 1)
            addItems(order, suppliers[(first + 1) % count], shelves);
        if (!order.items.empty())
            orders.push_back(std::move(order));
    }
    return orders;
}

std::vector<std::string_view> movesTo(std::string_view target, std::string_view from) {
    if (target == "cancelled")
        return from == target ? std::vector<std::string_view>{} : std::vector<std::string_view>{target};
    const auto end = std::find(WAY.begin(), WAY.end(), target);
    const auto start = std::find(WAY.begin(), WAY.end(), from);
    if (start >= end)
        return {};
    return {start + 1, end + 1};
}

} // namespace supplierd::demo
