#include "OrderWriters.h"

#include "tests/support/ChildProcess.h"
#include "tests/support/Control.h"

#include <array>
#include <chrono>
#include <thread>

namespace supplierd::tests {

namespace {

constexpr unsigned WRITERS = 6;
constexpr int MOST_ITEMS = 5;
constexpr auto BETWEEN_COMMANDS = std::chrono::milliseconds(20);
constexpr std::array<const char*, 5> NEXT{"confirmed", "processing", "shipped", "delivered", "cancelled"};

} // namespace

OrderWriters::OrderWriters(OrderServers& servers, unsigned seed) : RecordingWriters(servers) {
    for (unsigned i = 0; i < WRITERS; ++i)
        start(seed + i, [this, name = "W" + std::to_string(seed + i) + "-"](Writer& writer) {
            writer.name = name;
            write(writer);
        });
    start(seed + WRITERS, [this](Writer& writer) { completeByTool(writer); });
}

void OrderWriters::write(Writer& writer) {
    OrderedSupplier& supplier = servers().supplier(static_cast<std::size_t>(writer.number(OrderServers::SUPPLIERS)));
    const auto order = supplier.anyOrder(writer.random);
    const int dice = writer.number(20);
    if (!order || dice < 5)
        return place(writer);
    if (dice < 9)
        return pushStock(writer, supplier);
    if (dice < 11)
        return complete(writer, supplier, supplier.takeDelivered().value_or(*order));
    move(writer, supplier, *order);
}

/// Of one supplier to all of them; at times the order before once more.
void OrderWriters::place(Writer& writer) {
    json body = writer.last;
    if (body.is_null() || writer.number(6) != 0) {
        json items = json::array();
        for (int i = 1 + writer.number(MOST_ITEMS); i > 0; --i) {
            const auto& products =
                servers().supplier(static_cast<std::size_t>(writer.number(OrderServers::SUPPLIERS))).products;
            items.push_back({{"product_id", products[static_cast<std::size_t>(writer.number(4))]},
                             {"quantity", 1 + writer.number(30)}});
            if (writer.number(2) == 0)
                items.back()["unit_price"] = writer.number(40'000) / 16.0;
        }
        body = {{"order_number", writer.name + std::to_string(++writer.count)},
                {"customer", {{"company_name", "Jansen " + std::to_string(writer.number(100))}}},
                {"items", std::move(items)}};
        if (writer.number(2) == 0)
            body["customer"]["contact_name"] = "Jan";
    }
    const HttpResponse response = writer.connections.toPlatform(writer.server).post("/orders", body);
    count("place", response.status);
    if (response.status != 201)
        return;
    const json groups = response.data().at("order").at("groups");
    for (const json& group : groups)
        for (std::size_t i = 0; i < OrderServers::SUPPLIERS; ++i)
            if (OrderedSupplier& supplier = servers().supplier(i); group.at("supplier").at("id") == supplier.id) {
                supplier.heard.acknowledge(servers().committed(supplier.id));
                supplier.add(group.at("id").get<std::int64_t>());
            }
    writer.last = std::move(body);
}

void OrderWriters::move(Writer& writer, OrderedSupplier& supplier, std::int64_t order) {
    HttpClient& http = writer.connections.to(writer.server, supplier.key);
    const std::string path = "/orders/" + std::to_string(order);
    const HttpResponse read = http.get(path);
    if (read.status != 200)
        return count("read", read.status);
    const json allowed = read.data().at("order").at("allowed_statuses");
    // Mostly one that is allowed, unless somebody is faster.
    const std::string status = allowed.empty() || writer.number(8) == 0
                                   ? NEXT.at(static_cast<std::size_t>(writer.number(NEXT.size())))
                                   : allowed[writer.number(5) == 0 ? allowed.size() - 1 : 0].get<std::string>();
    json body{{"status", status}};
    if (writer.number(3) == 0)
        body["comment"] = "by " + writer.name;
    if (status == "shipped" && writer.number(3) != 0)
        body["tracking"] = {{"carrier", "PostNL"}, {"number", std::to_string(writer.number(1'000'000))}};
    const HttpResponse response = http.post(path + "/status", body);
    count("move", response.status);
    if (response.status == 200)
        acknowledge(supplier, response, order, status);
    if (response.status == 200 && status == "delivered")
        supplier.addDelivered(order);
}

void OrderWriters::complete(Writer& writer, OrderedSupplier& supplier, std::int64_t order) {
    const HttpResponse response =
        writer.connections.toPlatform(writer.server).postEmpty("/order-groups/" + std::to_string(order) + "/complete");
    count("complete", response.status);
    if (response.status == 200)
        acknowledge(supplier, response, order, "completed");
}

void OrderWriters::pushStock(Writer& writer, OrderedSupplier& supplier) {
    json items = json::array();
    for (const std::int64_t product : supplier.products)
        items.push_back({{"product_id", product}, {"stock_qty", 900'000'000 + writer.number(1'000)}});
    const HttpResponse response = writer.connections.to(writer.server, supplier.key).post("/stock", {{"items", items}});
    count("stock", response.status);
    if (response.status == 200)
        supplier.heard.acknowledge(std::stoll(response.header("X-Change-Seq")));
}

void OrderWriters::completeByTool(Writer& writer) {
    OrderedSupplier& supplier = servers().supplier(writer.random() % OrderServers::SUPPLIERS);
    const auto order = supplier.takeDelivered();
    if (!order)
        return std::this_thread::sleep_for(BETWEEN_COMMANDS);
    count("supplierctl", runControl(servers().server(0), {"order", "complete", std::to_string(*order)}).exitCode);
    supplier.heard.acknowledge(servers().committed(supplier.id));
}

void OrderWriters::acknowledge(OrderedSupplier& supplier, const HttpResponse& response, std::int64_t order,
                               const std::string& status) {
    const std::int64_t number = std::stoll(response.header("X-Change-Seq"));
    supplier.heard.acknowledge(number);
    keep({supplier.id, number, order, status});
}

} // namespace supplierd::tests
