#pragma once

#include <supplierd/services/Accounts.h>
#include <supplierd/services/Crypto.h>
#include <supplierd/services/Orders.h>
#include <supplierd/services/Products.h>

#include <cstddef>

namespace supplierd::sandbox {

/// What a sandbox is played with: the services that every plugin has.
struct SandboxServices {
    Accounts* accounts = nullptr;
    Crypto* crypto = nullptr;
    Orders* orders = nullptr;
    Products* products = nullptr;
};

/// What one page of a list has, and so what one request is done to: others of the sandbox wait for it.
inline constexpr std::size_t PAGE = 100;

/// The parameters of an operators' list of one supplier.
inline QueryParameters pageOf(std::int64_t supplierId, std::string_view status = {}) {
    QueryParameters query{{"supplier_id", std::to_string(supplierId)}, {"per_page", std::to_string(PAGE)}};
    if (!status.empty())
        query.emplace_back("status", status);
    return query;
}

} // namespace supplierd::sandbox
