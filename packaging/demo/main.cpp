// Fills a server with demo data through its API. What only an administrator can do (suppliers, categories, approval,
// orders) is printed for packaging/quickstart, which does it with supplierctl.
#include "DemoOrder.h"
#include "DemoPicture.h"
#include "DemoProduct.h"
#include "PictureServer.h"
#include "SupplierApi.h"

#include <Poco/Exception.h>
#include <Poco/NumberParser.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace supplierd::demo {
namespace {

constexpr const char* USAGE = R"(Usage: supplierd-demo-data --categories | --suppliers
       supplierd-demo-data --products | --orders | --moves --url URL --keys DIRECTORY
       supplierd-demo-data --pictures --pictures-port PORT --url URL --keys DIRECTORY

  --categories  print the categories to have: slug, name, slug of the parent (or -), type; tab-separated
  --suppliers   print the suppliers to have: slug, name, e-mail address; tab-separated
  --products    create the products; those that are there already are left alone; print one line per product that an
                administrator should still judge: approve|reject ID
  --pictures    draw pictures of some products that have none, and have the server fetch them from this program, which
                serves them on 127.0.0.1 meanwhile: the server's fetch.allow_networks and fetch.allow_ports must let it
  --orders      print the orders to have, as supplierctl order import reads them
  --moves       move the orders on that suppliers have; print one line per order group that an administrator should
                still complete: complete ID
  --url         the server, with the path of the suppliers' API (…/api/v1/supplier)
  --keys        where the suppliers' keys lie, as SLUG.key
  --pictures-port  where the pictures are served
)";

/// Where the server is, and the suppliers' keys.
struct Access {
    std::string url;
    std::filesystem::path keys;

    SupplierApi of(const std::string& slug) const {
        const auto file = keys / (slug + ".key");
        std::ifstream stream(file);
        std::string key;
        if (!std::getline(stream, key) || key.empty())
            throw std::runtime_error("there is no key in " + file.string());
        return {url, key};
    }
};

void printCategories() {
    for (const auto& category : demoCategories())
        std::cout << category.slug << '\t' << category.name << '\t'
                  << (category.parentSlug.empty() ? "-" : category.parentSlug) << '\t' << category.type << '\n';
}

void printSuppliers() {
    for (const auto& supplier : demoSuppliers())
        std::cout << supplier.slug << '\t' << supplier.name << '\t' << supplier.email << '\n';
}

void printVerdict(const DemoProduct& product, const ExistingProduct& existing) {
    if (product.verdict == Verdict::Approve && !existing.approved)
        std::cout << "approve " << existing.id << '\n';
    else if (product.verdict == Verdict::Reject)
        std::cout << "reject " << existing.id << '\n';
}

/// Returns how many products were created.
std::size_t fill(const DemoSupplier& supplier, SupplierApi& api) {
    const auto categories = api.categoryIdsBySlug();
    const auto existing = api.findProducts(supplier);
    std::size_t created = 0;
    for (const auto& product : supplier.products) {
        ExistingProduct now;
        if (const auto found = existing.find(product.sku); found != existing.end()) {
            now = found->second;
        } else {
            const auto category = categories.find(product.categorySlug);
            if (category == categories.end())
                throw std::runtime_error("the server has no category '" + product.categorySlug + "'");
            now.id = api.createProduct(product, category->second);
            ++created;
        }
        // Also after an interruption between the two requests.
        if (!product.active && now.active)
            api.deactivateProduct(now.id);
        printVerdict(product, now);
    }
    return created;
}

void createProducts(const Access& access) {
    for (const auto& supplier : demoSuppliers()) {
        auto api = access.of(supplier.slug);
        const auto created = fill(supplier, api);
        std::cerr << supplier.name << ": " << supplier.products.size() << " products, " << created << " of them new\n";
    }
}

/// Whether the product has as many images as it should. If it has others, from a run that was cut short, they go.
bool isPictured(SupplierApi& api, const ExistingProduct& product, std::size_t count) {
    if (!product.hasImages)
        return false;
    const auto images = api.images(product.id);
    if (images.size() == count)
        return true;
    for (const auto image : images)
        api.removeImage(product.id, image);
    return false;
}

/// Returns how many pictures were added.
std::size_t addPictures(const DemoSupplier& supplier, SupplierApi& api, const PictureServer& server) {
    std::map<std::string, std::vector<std::string>> urlsBySku;
    for (const auto& picture : demoPictures(supplier))
        urlsBySku[picture.product->sku].push_back(server.urlOf(picture));
    const auto existing = api.findProducts(supplier);
    std::size_t added = 0;
    for (const auto& [sku, urls] : urlsBySku) {
        const auto product = existing.find(sku);
        if (product == existing.end() || isPictured(api, product->second, urls.size()))
            continue;
        api.addImages(product->second.id, urls);
        added += urls.size();
    }
    return added;
}

/// All suppliers at once: each waits for the server most of the time.
void addAllPictures(const Access& access, std::uint16_t port) {
    const auto suppliers = demoSuppliers();
    std::vector<DemoPicture> pictures;
    for (const auto& supplier : suppliers)
        for (const auto& picture : demoPictures(supplier))
            pictures.push_back(picture);
    const PictureServer server(pictures, port);
    std::vector<std::future<std::size_t>> running;
    for (const auto& supplier : suppliers)
        running.push_back(std::async(std::launch::async, [&access, &server, &supplier] {
            auto api = access.of(supplier.slug);
            return addPictures(supplier, api, server);
        }));
    std::size_t added = 0;
    for (auto& one : running)
        added += one.get();
    std::cerr << pictures.size() << " pictures, " << added << " of them new\n";
}

nlohmann::json addressOf(const DemoCustomer& customer) {
    return {{"line1", customer.street},
            {"postal_code", customer.postalCode},
            {"city", customer.city},
            {"country", customer.country}};
}

void printOrders(const Access& access) {
    const auto suppliers = demoSuppliers();
    std::map<std::string, std::int64_t> productIds;
    for (const auto& supplier : suppliers)
        for (const auto& [sku, product] : access.of(supplier.slug).findProducts(supplier))
            productIds[sku] = product.id;
    auto orders = nlohmann::json::array();
    for (const auto& order : demoOrders(suppliers)) {
        auto items = nlohmann::json::array();
        for (const auto& item : order.items)
            items.push_back({{"product_id", productIds.at(item.sku)}, {"quantity", item.quantity}});
        const auto& customer = order.customer;
        orders.push_back({{"order_number", order.number},
                          {"customer",
                           {{"company_name", customer.company},
                            {"contact_name", customer.contact},
                            {"email", customer.email},
                            {"phone", customer.phone},
                            {"vat_number", customer.vatNumber},
                            {"billing_address", addressOf(customer)},
                            {"shipping_address", addressOf(customer)}}},
                          {"items", items}});
    }
    std::cout << orders.dump(2) << '\n';
}

void moveOrders(const Access& access) {
    std::map<std::string, std::string_view> targets;
    for (const auto& order : demoOrders(demoSuppliers()))
        targets[order.number] = order.status;
    for (const auto& supplier : demoSuppliers()) {
        auto api = access.of(supplier.slug);
        for (const auto& order : api.orders()) {
            const auto target = targets.find(order.number);
            if (target == targets.end())
                continue;
            for (const auto& move : movesTo(target->second, order.status)) {
                if (move == "completed")
                    std::cout << "complete " << order.id << '\n';
                else
                    api.moveOrder(order, move);
            }
        }
    }
}

std::uint16_t portOf(const std::string& text) {
    unsigned port = 0;
    if (!Poco::NumberParser::tryParseUnsigned(text, port) || port == 0 ||
        port > std::numeric_limits<std::uint16_t>::max())
        throw std::runtime_error("there is no port '" + text + "'");
    return static_cast<std::uint16_t>(port);
}

int usage(bool asked) {
    (asked ? std::cout : std::cerr) << USAGE;
    return asked ? 0 : 2;
}

int run(int argc, char** argv) {
    std::string action;
    Access access;
    std::uint16_t port = 0;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--url" && i + 1 < argc)
            access.url = argv[++i];
        else if (argument == "--keys" && i + 1 < argc)
            access.keys = argv[++i];
        else if (argument == "--pictures-port" && i + 1 < argc)
            port = portOf(argv[++i]);
        else if (action.empty())
            action = argument;
        else
            return usage(false);
    }
    if (action == "--help")
        return usage(true);
    if (action == "--categories")
        printCategories();
    else if (action == "--suppliers")
        printSuppliers();
    else if (access.url.empty() || access.keys.empty())
        return usage(false);
    else if (action == "--products")
        createProducts(access);
    else if (action == "--pictures" && port == 0)
        return usage(false);
    else if (action == "--pictures")
        addAllPictures(access, port);
    else if (action == "--orders")
        printOrders(access);
    else if (action == "--moves")
        moveOrders(access);
    else
        return usage(false);
    return 0;
}

} // namespace
} // namespace supplierd::demo

int main(int argc, char** argv) {
    try {
        return supplierd::demo::run(argc, argv);
    } catch (const Poco::Exception& error) {
        std::cerr << "supplierd-demo-data: " << error.displayText() << "\n";
    } catch (const std::exception& error) {
        std::cerr << "supplierd-demo-data: " << error.what() << "\n";
    }
    return 1;
}
