#pragma once

#include "tests/support/OperatorClient.h"
#include "tests/support/Responses.h"
#include "tests/support/SupplierClient.h"

#include <cstdint>
#include <string>

namespace supplierd::tests {

/// The sandbox of that supplier, with a key.
SupplierClient sandboxOf(OperatorClient& marketplace, const SupplierClient& live,
                         const nlohmann::json& key = nlohmann::json::object());

/// A supplier with a sandbox, and the marketplace that they are on.
struct SandboxFixture {
    SandboxFixture() : live(marketplace.createSupplier()), twin(sandboxOf(marketplace, live)) {}

    /// In the sandbox: approved, unless it is to wait.
    std::int64_t product(const nlohmann::json& changes = {{"stock_qty", 100}}, bool isApproved = true);
    /// Of the live supplier, approved.
    std::int64_t liveProduct();
    /// `data.order` of an order of that many of the product in the sandbox.
    nlohmann::json order(std::int64_t product, std::int64_t quantity = 1);
    /// `data` of POST /sandbox/clock.
    nlohmann::json clock(const nlohmann::json& body);
    std::string statusOf(std::int64_t order);
    std::int64_t stockOf(std::int64_t product);

    OperatorClient marketplace;
    SupplierClient live;
    SupplierClient twin;
};

} // namespace supplierd::tests
