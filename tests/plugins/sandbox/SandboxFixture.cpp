#include "SandboxFixture.h"

namespace supplierd::tests {

using nlohmann::json;

SupplierClient sandboxOf(OperatorClient& marketplace, const SupplierClient& live, const json& key) {
    const json sandbox = marketplace.postEmpty(live.path("/sandbox")).data().at("supplier");
    const std::string path = "/suppliers/" + sandbox.at("id").dump() + "/keys";
    const json made = dataOf(marketplace.post(path, key), 201).at("key");
    return SupplierClient(live.on(), idOf(sandbox), sandbox.at("name"), made.at("secret"));
}

std::int64_t SandboxFixture::product(const json& changes, bool isApproved) {
    const std::int64_t id = idOf(twin.create(changes));
    if (isApproved)
        requireStatus(200, twin.postEmpty("/sandbox/products/" + std::to_string(id) + "/approve"));
    return id;
}

std::int64_t SandboxFixture::liveProduct() {
    const std::int64_t id = idOf(live.create({{"stock_qty", 100}}));
    requireStatus(200, marketplace.postEmpty("/products/" + std::to_string(id) + "/approve"));
    return id;
}

json SandboxFixture::order(std::int64_t product, std::int64_t quantity) {
    const json item{{"product_id", product}, {"quantity", quantity}};
    return dataOf(twin.post("/sandbox/orders", {{"items", json::array({item})}}), 201).at("order");
}

json SandboxFixture::clock(const json& body) {
    return dataOf(twin.post("/sandbox/clock", body));
}

std::string SandboxFixture::statusOf(std::int64_t order) {
    return dataOf(twin.get("/orders/" + std::to_string(order))).at("order").at("status");
}

std::int64_t SandboxFixture::stockOf(std::int64_t product) {
    return twin.read(product).at("stock_qty");
}

} // namespace supplierd::tests
