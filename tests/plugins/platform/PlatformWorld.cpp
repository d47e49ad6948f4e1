#include "PlatformWorld.h"

#include <barrier>
#include <chrono>
#include <exception>
#include <memory>
#include <sstream>
#include <thread>

namespace supplierd::tests {

using nlohmann::json;

ServerOptions platformServer() {
    ServerOptions options;
    options.plugins.clear();
    std::istringstream names(SUPPLIERD_TEST_PLUGINS);
    for (std::string name; std::getline(names, name, ',');)
        options.plugins.push_back(name);
    options.configuration = "[auth]\nfailures_per_minute = 100000\n[rate_limit]\nrequests_per_hour = 10000000\n";
    return options;
}

PlatformWorld& PlatformWorld::instance() {
    static PlatformWorld world;
    return world;
}

Operator::Operator()
    : _key(PlatformWorld::instance().server().createOperatorKey()),
      _http(PlatformWorld::instance().platformClient(_key)) {}

json Operator::get(const std::string& path) {
    return dataOf(_http.get(path), 200);
}

json Operator::post(const std::string& path, const json& body, int status) {
    return dataOf(_http.post(path, body), status);
}

json Operator::postEmpty(const std::string& path, int status) {
    return dataOf(_http.postEmpty(path), status);
}

json Operator::audit(const std::string& object, std::int64_t id) {
    return get("/audit?object=" + object + "&id=" + std::to_string(id)).at("entries");
}

Seller::Account Seller::made(Operator& op, const json& supplier) {
    json body{{"name", "Rozenhof"}, {"status", "verified"}};
    body.merge_patch(supplier);
    const json made = op.post("/suppliers", body, 201).at("supplier");
    const std::string keys = "/suppliers/" + std::to_string(idOf(made)) + "/keys";
    return {idOf(made), made.at("name").get<std::string>(),
            op.post(keys, json::object(), 201).at("key").at("secret").get<std::string>()};
}

Seller::Seller(Operator& op, const json& supplier) : Seller(made(op, supplier)) {}

Seller::Seller(const Account& account)
    : TestSeller(PlatformWorld::instance(), account.id, account.key), _name(account.name) {}

json Seller::create(const json& changes) {
    json all{{"stock_qty", 100}};
    all.merge_patch(changes);
    return TestSeller::create(all);
}

void Seller::fill(int count) {
    TestDatabase& database = market().database();
    const std::string supplier = std::to_string(id());
    const std::string category = std::to_string(market().category());
    const std::string many = std::to_string(count);
    database.exec("INSERT INTO products (supplier_id, name, category_id, base_price, unit, change_seq) SELECT " +
                  supplier + ", CONCAT('Tulipa ', seq), " + category + ", 1 + seq MOD 7, 1, 1 FROM seq_1_to_" + many);
    database.exec("UPDATE supplier_state SET change_seq = change_seq + 1 WHERE supplier_id = " + supplier);
}

void waitForKeys() {
    std::this_thread::sleep_for(std::chrono::seconds(2)); // what the API promises
}

void race(int count, const std::function<void(Operator&, int)>& work) {
    std::vector<std::unique_ptr<Operator>> operators;
    for (int i = 0; i < count; ++i) {
        operators.push_back(std::make_unique<Operator>());
        operators.back()->get("/categories");
    }
    std::barrier start(count);
    std::vector<std::exception_ptr> failures(operators.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < operators.size(); ++i)
        threads.emplace_back([&, i] {
            start.arrive_and_wait();
            try {
                work(*operators[i], static_cast<int>(i));
            } catch (...) {
                failures[i] = std::current_exception();
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    for (const auto& failure : failures)
        if (failure)
            std::rethrow_exception(failure);
}

} // namespace supplierd::tests
