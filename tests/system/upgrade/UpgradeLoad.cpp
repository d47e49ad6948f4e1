#include "UpgradeLoad.h"

#include <utility>

namespace supplierd::tests {

namespace {

constexpr int CLIENTS = 6;
constexpr std::size_t COMPLAINTS = 5;

} // namespace

void Rotation::takeOut(std::size_t server) {
    std::unique_lock lock(_mutex);
    _servers[server].isIn = false;
    _changed.wait(lock, [&] { return _servers[server].requests == 0; });
}

void Rotation::putBack(std::size_t server, const std::string& url) {
    const std::lock_guard lock(_mutex);
    _servers[server].url = url;
    _servers[server].isIn = true;
}

Rotation::Turn::Turn(Rotation& rotation, std::mt19937& random) : _rotation(rotation) {
    const std::lock_guard lock(rotation._mutex);
    std::uniform_int_distribution<std::size_t> any(0, rotation._servers.size() - 1);
    do
        _server = any(random);
    while (!rotation._servers[_server].isIn);
    ++rotation._servers[_server].requests;
    _url = rotation._servers[_server].url;
}

Rotation::Turn::~Turn() {
    {
        const std::lock_guard lock(_rotation._mutex);
        --_rotation._servers[_server].requests;
    }
    _rotation._changed.notify_all();
}

UpgradeLoad::UpgradeLoad(Rotation& rotation, UpgradeParties parties)
    : _rotation(rotation), _parties(std::move(parties)) {
    for (int i = 0; i < CLIENTS; ++i)
        _threads.emplace_back([this, i] { run(i); });
}

UpgradeLoad::~UpgradeLoad() {
    finish();
}

void UpgradeLoad::finish() {
    _isStopping = true;
    for (auto& thread : _threads)
        if (thread.joinable())
            thread.join();
}

std::vector<std::string> UpgradeLoad::complaints() const {
    const std::lock_guard lock(_mutex);
    return _complaints;
}

void UpgradeLoad::complain(const std::string& text) {
    const std::lock_guard lock(_mutex);
    if (_complaints.size() < COMPLAINTS)
        _complaints.push_back(text);
}

void UpgradeLoad::run(int number) {
    Client client{.number = number, .random = std::mt19937(static_cast<unsigned>(number))};
    while (!_isStopping) {
        ++client.count;
        try {
            switch (number % 3) {
            case 0:
                addStock(client);
                break;
            case 1:
                createProduct(client);
                break;
            default:
                placeOrder(client);
                break;
            }
            readLists(client);
        } catch (const std::exception& failure) {
            complain(std::string("no answer: ") + failure.what());
        }
    }
}

json UpgradeLoad::ask(Client& client, const std::string& path, const json& body, bool asOperator) {
    const Rotation::Turn turn(_rotation, client.random);
    std::string url = turn.url();
    if (asOperator)
        url = url.substr(0, url.find("/api/")) + "/api/v1/platform";
    HttpClient& http =
        client.connections.try_emplace(url, url, asOperator ? _parties.operatorKey : _parties.supplierKey)
            .first->second;
    const HttpResponse response = body.is_null() ? http.get(path) : http.post(path, body);
    if (response.status == 200 || response.status == 201)
        return response.data();
    complain(url + path + " " + body.dump() + ": " + response.statusLine + " " + response.body);
    return nullptr;
}

void UpgradeLoad::addStock(Client& client) {
    const auto product =
        _parties.stocked[std::uniform_int_distribution<std::size_t>(0, _parties.stocked.size() - 1)(client.random)];
    const json data = ask(client, "/stock",
                          {{"items", json::array({{{"product_id", product}, {"stock_qty", 1}, {"adjust", true}}})}});
    if (data.is_null())
        return;
    if (data.at("updated") != 1)
        return complain("stock: " + data.dump());
    ++_acknowledged;
    std::int64_t least = 0;
    {
        const std::lock_guard lock(_mutex);
        least = ++_stock[product];
    }
    const json read = ask(client, "/products/" + std::to_string(product), nullptr);
    if (!read.is_null() && read.at("product").at("stock_qty").get<std::int64_t>() < least)
        complain("after " + std::to_string(least) + " were acknowledged: " + read.dump());
}

void UpgradeLoad::createProduct(Client& client) {
    const std::string sku = "N-" + std::to_string(client.number) + "-" + std::to_string(client.count);
    const json data = ask(client, "/products",
                          {{"name", "Tulipa " + sku},
                           {"category_id", _parties.category},
                           {"base_price", 0.5},
                           {"unit", "stem"},
                           {"sku", sku},
                           {"variants", json::array({{{"name", "Red"}, {"sku", sku + "-R"}}})}});
    if (data.is_null())
        return;
    ++_acknowledged;
    {
        const std::lock_guard lock(_mutex);
        _skus.insert(sku);
    }
    const json found = ask(client, "/products?include=variants&sku=" + sku, nullptr);
    if (!found.is_null() && found.at("products").size() != 1)
        complain("SKU " + sku + " was acknowledged: " + found.dump());
    ask(client, "/products/" + std::to_string(data.at("product").at("id").get<std::int64_t>()),
        {{"name", "Rosa " + sku}, {"base_price", 0.75}});
}

void UpgradeLoad::placeOrder(Client& client) {
    const std::string number = "O-" + std::to_string(client.number) + "-" + std::to_string(client.count);
    const json data = ask(client, "/orders",
                          {{"order_number", number},
                           {"customer", {{"company_name", "Bloemist Jansen"}}},
                           {"items", json::array({{{"product_id", _parties.sold}, {"quantity", 1}}})}},
                          true);
    if (data.is_null())
        return;
    ++_acknowledged;
    const std::lock_guard lock(_mutex);
    ++_orders;
}

void UpgradeLoad::readLists(Client& client) {
    for (const char* path : {"/products?per_page=20&sort=-stock_qty", "/products?search=tulip&changed_after=0",
                             "/orders", "/categories", "/me"}) {
        ask(client, path, nullptr);
        ++_reads;
    }
}

} // namespace supplierd::tests
