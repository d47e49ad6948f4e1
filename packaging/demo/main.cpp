// Fills a server with demo data through its API. What only an administrator can do (suppliers, categories, approval)
// is printed for packaging/quickstart, which does it with supplierctl.
#include "DemoProduct.h"
#include "SupplierApi.h"

#include <Poco/Exception.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

namespace supplierd::demo {
namespace {

constexpr const char* USAGE = R"(Usage: supplierd-demo-data --categories | --suppliers
       supplierd-demo-data --url URL --keys DIRECTORY

  --categories  print the categories to have: slug, name, slug of the parent (or -), type; tab-separated
  --suppliers   print the suppliers to have: slug, name, e-mail address; tab-separated
  --url         create the products at this address (…/api/v1/supplier) with the suppliers' keys, which lie in
                DIRECTORY as SLUG.key; products that are there already are left alone
                prints one line per product that an administrator should still judge: approve|reject ID
)";

std::string readKey(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string key;
    if (!std::getline(stream, key) || key.empty())
        throw std::runtime_error("there is no key in " + file.string());
    return key;
}

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

int run(int argc, char** argv) {
    std::string url;
    std::filesystem::path keys;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--categories") {
            printCategories();
            return 0;
        }
        if (argument == "--suppliers") {
            printSuppliers();
            return 0;
        }
        if (argument == "--url" && i + 1 < argc)
            url = argv[++i];
        else if (argument == "--keys" && i + 1 < argc)
            keys = argv[++i];
        else {
            (argument == "--help" ? std::cout : std::cerr) << USAGE;
            return argument == "--help" ? 0 : 2;
        }
    }
    if (url.empty() || keys.empty()) {
        std::cerr << USAGE;
        return 2;
    }
    for (const auto& supplier : demoSuppliers()) {
        SupplierApi api(url, readKey(keys / (supplier.slug + ".key")));
        const auto created = fill(supplier, api);
        std::cerr << supplier.name << ": " << supplier.products.size() << " products, " << created << " of them new\n";
    }
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
