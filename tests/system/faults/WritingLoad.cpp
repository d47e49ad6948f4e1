#include "tests/system/faults/WritingLoad.h"

#include <Poco/Exception.h>

#include <cppunit/extensions/HelperMacros.h>

#include <map>

namespace supplierd::tests {
namespace {

constexpr auto PAUSE_FOR_FIRST = std::chrono::milliseconds(50);
constexpr int TRIES_FOR_FIRST = 600;

HttpResponse create(HttpClient& http, const SuppliersFixture& fixture, const Write& write) {
    return http.post("/products", fixture.product(write.name), write.headers());
}

/// The repeat of a request with an Idempotency-Key, by the rules of the API: a 409 means that the first may still run.
HttpResponse createAgain(HttpClient& http, const SuppliersFixture& fixture, const Write& write) {
    HttpResponse response;
    for (int i = 0; i < TRIES_FOR_FIRST; ++i) {
        response = create(http, fixture, write);
        if (response.status != 409 && response.status != 503)
            break;
        std::this_thread::sleep_for(PAUSE_FOR_FIRST);
    }
    return response;
}

std::map<std::string, std::vector<std::int64_t>> idsByName(TestDatabase& database) {
    std::map<std::string, std::vector<std::int64_t>> ids;
    for (const auto& row : database.query("SELECT name, id FROM products WHERE deleted = 0"))
        ids[row[0].value()].push_back(std::stoll(row[1].value()));
    return ids;
}

} // namespace

HttpHeaders Write::headers() const {
    return key.empty() ? HttpHeaders{} : HttpHeaders{{"Idempotency-Key", key}};
}

WritingLoad::WritingLoad(const SuppliersFixture& fixture, std::size_t accounts, Settings settings)
    : _fixture(fixture), _accounts(accounts), _settings(std::move(settings)) {
    for (int i = 0; i < _settings.clients; ++i)
        _threads.emplace_back([this, i] { run(static_cast<std::size_t>(i)); });
}

WritingLoad::~WritingLoad() {
    finish();
}

void WritingLoad::finish() {
    _stopping = true;
    for (auto& thread : _threads)
        if (thread.joinable())
            thread.join();
}

void WritingLoad::run(std::size_t client) {
    try {
        const auto account = client % _accounts;
        auto http = _fixture.client(account);
        http.setTimeout(std::chrono::minutes(2));
        for (int i = 0; !_stopping; ++i) {
            Write write;
            write.name = _settings.prefix + " " + std::to_string(client) + "-" + std::to_string(i);
            write.key = _settings.someWithoutKey && i % 2 == 1 ? "" : write.name;
            write.account = account;
            const bool goOn = post(http, write);
            if (write.acknowledged())
                ++_acknowledged;
            const std::lock_guard lock(_mutex);
            _writes.push_back(write);
            if (!goOn)
                return;
        }
    } catch (const std::exception& error) {
        reportFailure(std::string("a client failed: ") + error.what());
    }
}

/// False: the connection broke.
bool WritingLoad::post(HttpClient& http, Write& write) {
    try {
        const auto response = create(http, _fixture, write);
        write.status = response.status;
        if (write.acknowledged())
            write.productId = response.data().at("product").at("id").get<std::int64_t>();
        else if (response.status == 503 && response.hasHeader("Retry-After"))
            std::this_thread::sleep_for(PAUSE_AFTER_REFUSAL);
        else
            reportFailure(write.name + " got " + response.statusLine + ": " + response.body);
        return true;
    } catch (const Poco::Exception& error) {
        if (!_settings.serverMayVanish)
            reportFailure(write.name + " got no response: " + error.displayText());
        return false;
    }
}

void WritingLoad::reportFailure(const std::string& what) {
    const std::lock_guard lock(_mutex);
    _complaints.push_back(what);
}

void requireWritesAsAcknowledged(SuppliersFixture& fixture, std::vector<Write>& writes) {
    std::map<std::size_t, HttpClient> clients;
    const auto before = idsByName(fixture.database());
    for (const auto& write : writes) {
        const auto found = before.find(write.name);
        const std::size_t times = found == before.end() ? 0 : found->second.size();
        CPPUNIT_ASSERT_MESSAGE(write.name + " is there " + std::to_string(times) + " times", times <= 1);
        if (write.acknowledged())
            CPPUNIT_ASSERT_MESSAGE(write.name + " was acknowledged and is lost",
                                   times == 1 && found->second.front() == write.productId);
        if (write.acknowledged() || write.key.empty())
            continue;
        auto& http = clients.try_emplace(write.account, fixture.client(write.account)).first->second;
        const auto response = createAgain(http, fixture, write);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(write.name + ": " + response.body, 201, response.status);
        const auto id = response.data().at("product").at("id").get<std::int64_t>();
        CPPUNIT_ASSERT_MESSAGE(write.name + " was there, and its repeat gave another product",
                               times == 0 || found->second.front() == id);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(write.name, std::int64_t{1}, fixture.productsNamed(write.name));
    }
}

} // namespace supplierd::tests
