#include "ListReaders.h"

#include <chrono>

namespace supplierd::tests {

namespace {

constexpr unsigned READERS = 8;
constexpr int LONGEST_WALK = 60;

} // namespace

struct ListReaders::Reader {
    std::mt19937 random;
    ServerConnections connections;
    ListedSupplier* supplier = nullptr;

    int number(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random); }
    std::size_t server(const ListServers& servers) {
        return static_cast<std::size_t>(number(static_cast<int>(servers.size())));
    }
};

ListReaders::ListReaders(ListServers& servers, unsigned seed) : _servers(servers) {
    for (unsigned i = 0; i < READERS; ++i)
        _threads.emplace_back([this, seed, i] { run(seed + 1'000 + i); });
}

ListReaders::~ListReaders() {
    finish();
}

void ListReaders::finish() {
    _stopping = true;
    for (auto& thread : _threads)
        if (thread.joinable())
            thread.join();
}

void ListReaders::run(unsigned seed) {
    Reader reader{std::mt19937(seed), ServerConnections(_servers)};
    while (!_stopping) {
        const int dice = reader.number(24);
        reader.supplier = &_servers.supplier(dice < 12 ? 0 : dice < 23 ? 1 : 2);
        switch (reader.number(8)) {
        case 0:
            walk(reader);
            break;
        case 1:
            followChanges(reader);
            break;
        case 2:
            readProduct(reader);
            break;
        default:
            readList(reader);
            break;
        }
    }
}

void ListReaders::readList(Reader& reader) {
    const ListRequest request = ListRequest::random(reader.random, _servers.categories());
    auto answer = std::make_shared<RecordedAnswer>();
    answer->list = request;
    answer = ask(reader, request.path(), answer);
    if (answer && reader.number(6) == 0)
        askAgain(reader, request.path(), *answer);
}

void ListReaders::walk(Reader& reader) {
    ListRequest request = ListRequest::random(reader.random, _servers.categories());
    request.page = 1;
    request.perPage += 10;
    if (reader.number(2) == 0)
        request.clearFilter();
    AnswerPointer previous;
    for (int page = 0; page < LONGEST_WALK && !_stopping; ++page) {
        auto answer = std::make_shared<RecordedAnswer>();
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

void ListReaders::followChanges(Reader& reader) {
    ListRequest request = ListRequest::random(reader.random, _servers.categories());
    request.page = 1;
    const std::int64_t known = reader.supplier->heard.least();
    request.changedAfter = reader.number(10) == 0 ? 0 : std::max<std::int64_t>(0, known - reader.number(30));
    const bool byNumber = reader.number(2) == 0;
    AnswerPointer previous;
    for (int page = 0; page < LONGEST_WALK && !_stopping; ++page) {
        auto answer = std::make_shared<RecordedAnswer>();
        answer->list = request;
        answer->previous = previous;
        std::string path = request.path();
        if (previous) { // a walk goes on by its cursor alone
            ListRequest sent = request;
            sent.changedAfter.reset();
            sent.sort = 1;
            path = sent.path();
        }
        answer = ask(reader, path, answer);
        if (!answer)
            return;
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

void ListReaders::readProduct(Reader& reader) {
    auto answer = std::make_shared<RecordedAnswer>();
    answer->productId = reader.supplier->anyProduct(reader.random);
    const std::string path = "/products/" + std::to_string(answer->productId);
    if (answer = ask(reader, path, answer); answer && answer->response.status == 200 && reader.number(3) == 0)
        askAgain(reader, path, *answer);
}

AnswerPointer ListReaders::ask(Reader& reader, const std::string& path, AnswerPointer answer) {
    const std::size_t server = reader.server(_servers);
    answer->supplierId = reader.supplier->id;
    answer->server = std::to_string(server);
    answer->heardOf = reader.supplier->heard.least();
    answer->marketplaceHeardOf = _servers.marketplaceHeard().least();
    answer->sentAt = std::chrono::system_clock::now();
    try {
        answer->response = reader.connections.to(server, reader.supplier->key).get(path);
    } catch (const std::exception&) {
        reader.connections.forget(server); // it was killed
        return nullptr;
    }
    const HttpResponse& response = answer->response;
    const bool isGone = response.status == 404 && answer->productId != 0;
    if (!isGone && response.status != 200) {
        fail(std::to_string(response.status) + (response.status == 503 ? "" : " " + path + " " + response.body));
        if (response.status == 503)
            std::this_thread::sleep_for(AFTER_A_REFUSAL);
        return nullptr;
    }
    if (!isGone) {
        answer->number = std::stoll(response.header("X-Change-Seq"));
        reader.supplier->heard.show(answer->number);
        // Where only what was acknowledged counts, a walk may come to a server that does not show its last commit yet.
        if (answer->previous && answer->number < answer->previous->number && answer->number >= answer->heardOf)
            return nullptr;
    }
    const std::lock_guard lock(_mutex);
    answer->order = _answers.size();
    _answers.push_back(answer);
    return answer;
}

void ListReaders::askAgain(Reader& reader, const std::string& path, const RecordedAnswer& answer) {
    const std::size_t server = reader.server(_servers);
    const std::int64_t heardOf = reader.supplier->heard.least();
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
    const std::int64_t number = std::stoll(again.header("X-Change-Seq"));
    if (number < heardOf)
        fail("304 at number " + std::to_string(number) + ", when " + std::to_string(heardOf) +
             " was heard of: " + path);
    auto same = std::make_shared<RecordedAnswer>(answer); // what it was is what it still is
    same->server = std::to_string(server);
    same->sentAt = std::chrono::system_clock::now();
    same->heardOf = heardOf;
    same->number = number;
    const std::lock_guard lock(_mutex);
    same->order = _answers.size();
    _answers.push_back(same);
    ++_unchanged;
}

void ListReaders::fail(const std::string& what) {
    const std::lock_guard lock(_mutex);
    ++_failures[what];
}

} // namespace supplierd::tests
