#include "tests/support/OperatorClient.h"

#include "tests/support/Concurrency.h"
#include "tests/support/Responses.h"

#include <vector>

namespace supplierd::tests {

OperatorClient::OperatorClient(ServerFixture& on)
    : HttpClient(on.server().operatorClient(on.server().createOperatorKey({{"hourly_limit", "10000000"}}))), _on(on) {}

json OperatorClient::audit(const std::string& object, std::int64_t id) {
    return dataOf(get("/audit?object=" + object + "&id=" + std::to_string(id))).at("entries");
}

SupplierClient OperatorClient::createSupplier(const json& body) {
    json all{{"name", "Rozenhof"}, {"status", "verified"}};
    all.merge_patch(body);
    const json made = dataOf(post("/suppliers", all), 201).at("supplier");
    const json key = dataOf(post("/suppliers/" + made.at("id").dump() + "/keys", json::object()), 201).at("key");
    return SupplierClient(_on, idOf(made), made.at("name"), key.at("secret"));
}

void race(int count, const std::function<void(OperatorClient&, int)>& work, ServerFixture& on) {
    std::vector<OperatorClient> operators;
    for (int i = 0; i < count; ++i)
        requireStatus(200, operators.emplace_back(on).get("/categories"));
    together(count, [&](int i) { work(operators[static_cast<std::size_t>(i)], i); });
}

} // namespace supplierd::tests
