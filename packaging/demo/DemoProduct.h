#pragma once

#include <supplierd/Decimal.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::demo {

/// What the platform's administrator thinks of a product.
enum class Verdict { Approve, Reject, Wait };

struct DemoVariant {
    std::string sku;
    std::string name;
    std::string color;
    std::optional<Decimal> price; ///< none: the product's
    std::int64_t stock = 0;
};

struct DemoProduct {
    std::string sku;
    std::string name;
    std::string description;
    std::string categorySlug;
    std::string type; ///< "flower" or "supply"
    std::string unit;
    Decimal price;
    std::int64_t stock = 0;
    std::int64_t minOrder = 1;
    std::string color;
    std::int64_t stemLength = 0; ///< centimetres; 0: none
    std::string country;
    Decimal vatRate = Decimal::fromInteger(21);
    std::vector<DemoVariant> variants;
    bool active = true;
    Verdict verdict = Verdict::Approve;
};

struct DemoSupplier {
    std::string slug; ///< names its key file
    std::string name;
    std::string email;
    std::vector<DemoProduct> products;
};

struct DemoCategory {
    std::string slug;
    std::string name;
    std::string parentSlug; ///< empty at the top
    std::string type;
};

/// Parents come before their children.
std::vector<DemoCategory> demoCategories();
/// The same every time.
std::vector<DemoSupplier> demoSuppliers();

} // namespace supplierd::demo
