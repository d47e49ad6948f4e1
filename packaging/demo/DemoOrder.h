#pragma once

#include "DemoProduct.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::demo {

struct DemoCustomer {
    std::string_view company;
    std::string_view contact;
    std::string_view email;
    std::string_view phone;
    std::string_view vatNumber;
    std::string_view street;
    std::string_view postalCode;
    std::string_view city;
    std::string_view country;
};

struct DemoOrderItem {
    std::string supplierSlug;
    std::string sku;
    std::int64_t quantity = 0;
};

struct DemoOrder {
    std::string number;
    DemoCustomer customer;
    std::vector<DemoOrderItem> items;
    /// To which its order groups are moved.
    std::string_view status;
};

/// Orders in every state, of products that are for sale and of no more than is in stock. The same every time.
std::vector<DemoOrder> demoOrders(const std::vector<DemoSupplier>& suppliers);

/// The moves that lead from one status to another, the first one next; empty when it is there already.
std::vector<std::string_view> movesTo(std::string_view target, std::string_view from);

} // namespace supplierd::demo
