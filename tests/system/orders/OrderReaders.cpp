#include "OrderReaders.h"

#include <algorithm>
#include <exception>

namespace supplierd::tests {

namespace {

constexpr unsigned READERS = 6;
constexpr int LONGEST_WALK = 80;

} // namespace

struct OrderReaders::Reader {
    std::mt19937 random;
    ServerConnections connections;
    OrderedSupplier* supplier = nullptr;

    int number(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random); }
};

OrderReaders::OrderReaders(OrderServers& servers, unsigned seed) : _servers(servers) {
    for (unsigned i = 0; i < READERS; ++i)
        _threads.emplace_back([this, seed, i] { run(seed + 1'000 + i); });
}

OrderReaders::~OrderReaders() {
    finish();
}

void OrderReaders::finish() {
    _stopping = true;
    for (auto& thread : _threads)
        if (thread.joinable())
            thread.join();
}

void OrderReaders::run(unsigned seed) {
    Reader reader{std::mt19937(seed), ServerConnections(_servers)};
    while (!_stopping) {
        reader.supplier = &_servers.supplier(static_cast<std::size_t>(reader.number(OrderServers::SUPPLIERS)));
        switch (reader.number(12)) {
        case 0:
            walk(reader);
            break;
        case 1:
            followChanges(reader);
            break;
        case 2:
        case 3:
        case 4:
            readList(reader);
            break;
        default:
            readOrder(reader);
            break;
        }
    }
}

void OrderReaders::readOrder(Reader& reader) {
    const auto order = reader.supplier->anyOrder(reader.random);
    if (!order)
        return;
    auto answer = std::make_shared<OrderAnswer>();
    answer->orderId = *order;
    const std::string path = "/orders/" + std::to_string(*order);
    if (answer = ask(reader, path, answer); answer && reader.number(3) == 0)
        askAgain(reader, path, *answer);
}

void OrderReaders::readList(Reader& reader) {
    const OrderRequest request = OrderRequest::random(reader.random);
    auto answer = std::make_shared<OrderAnswer>();
    answer->list = request;
    if (answer = ask(reader, request.path(), answer); answer && reader.number(3) == 0)
        askAgain(reader, request.path(), *answer);
}

void OrderReaders::walk(Reader& reader) {
    OrderRequest request = OrderRequest::random(reader.random);
    request.page = 1;
    request.perPage += 10;
    if (reader.number(2) == 0)
        request.clearFilter();
    OrderAnswerPointer previous;
    for (int page = 0; page < LONGEST_WALK && !_stopping; ++page) {
        auto answer = std::make_shared<OrderAnswer>();
        answer->list = request;
        answer->previous = previous;
        answer = ask(reader, request.path(), answer);
        if (!answer)
            return;
        const nlohmann::json cursor = answer->response.data().at("pagination").at("next_cursor");
        if (!cursor.is_string())
            return;
        request.cursor = cursor.get<std::string>();
        previous = answer;
    }
}

void OrderReaders::followChanges(Reader& reader) {
    OrderRequest request = OrderRequest::random(reader.random);
    request.page = 1;
    request.changedAfter = std::max<std::int64_t>(0, reader.supplier->heardOf.get() - reader.number(60));
    if (reader.number(3) == 0) {
        request.clearFilter();
        request.perPage += 10;
        request.changedAfter = 0;
    }
    const bool byNumber = reader.number(2) == 0;
    OrderAnswerPointer previous;
    for (int page = 0; page < LONGEST_WALK && !_stopping; ++page) {
        auto answer = std::make_shared<OrderAnswer>();
        answer->list = request;
        answer->previous = previous;
        OrderRequest sent = request;
        if (previous)
            sent.changedAfter.reset(); // a walk goes on by its cursor alone
        answer = ask(reader, sent.path(), answer);
        if (!answer)
            return;
        if (reader.number(8) == 0)
            askAgain(reader, sent.path(), *answer);
        const nlohmann::json pagination = answer->response.data().at("pagination");
        if (!pagination.at("has_more").get<bool>())
            return;
        if (byNumber) {
            request.changedAfter = pagination.at("last_change_seq").get<std::int64_t>();
        } else {
            request.cursor = pagination.at("next_cursor").get<std::string>();
            previous = answer;
        }
    }
}

OrderAnswerPointer OrderReaders::ask(Reader& reader, const std::string& path, OrderAnswerPointer answer) {
    const auto server = static_cast<std::size_t>(reader.number(2));
    answer->supplierId = reader.supplier->id;
    answer->server = std::to_string(server);
    answer->heardOf = reader.supplier->heardOf.get();
    try {
        answer->response = reader.connections.to(server, reader.supplier->key).get(path);
    } catch (const std::exception&) {
        reader.connections.forget(server); // it was killed
        return nullptr;
    }
    const HttpResponse& response = answer->response;
    if (response.status != 200) {
        fail(std::to_string(response.status) + (response.status == 503 ? "" : " " + path + " " + response.body));
        return nullptr;
    }
    answer->number = std::stoll(response.header("X-Change-Seq"));
    reader.supplier->heardOf.raise(answer->number);
    keep(answer);
    return answer;
}

void OrderReaders::askAgain(Reader& reader, const std::string& path, const OrderAnswer& answer) {
    const auto server = static_cast<std::size_t>(reader.number(2));
    const std::int64_t heardOf = reader.supplier->heardOf.get();
    HttpResponse again;
    try {
        again = reader.connections.to(server, reader.supplier->key)
                    .get(path, {{"If-None-Match", answer.response.header("ETag")}});
    } catch (const std::exception&) {
        reader.connections.forget(server);
        return;
    }
    if (again.status != 304)
        return;
    auto same = std::make_shared<OrderAnswer>(answer); // what it was is what it still is
    same->server = std::to_string(server);
    same->heardOf = heardOf;
    same->number = std::stoll(again.header("X-Change-Seq"));
    reader.supplier->heardOf.raise(same->number);
    keep(same);
    const std::lock_guard lock(_mutex);
    ++_unchanged;
}

void OrderReaders::keep(const OrderAnswerPointer& answer) {
    const std::lock_guard lock(_mutex);
    answer->order = _answers.size();
    _answers.push_back(answer);
}

void OrderReaders::fail(const std::string& what) {
    const std::lock_guard lock(_mutex);
    ++_failures[what];
}

} // namespace supplierd::tests
