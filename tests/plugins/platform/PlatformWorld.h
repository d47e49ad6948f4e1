#pragma once

#include "tests/support/HttpClient.h"
#include "tests/support/ServerProcess.h"
#include "tests/support/TestDatabase.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A server with every plugin, and the address of the operators' API on it.
ServerOptions platformServer();
std::string platformUrl(const ServerProcess& server);

/// One database and one server for all tests of this program; each test makes suppliers of its own.
class PlatformWorld {
public:
    static PlatformWorld& instance();

    TestDatabase& database() { return _database; }
    ServerProcess& server() { return _server; }
    std::int64_t category() const { return _category; }
    /// A client of the operators' API with that key.
    HttpClient platformClient(const std::string& key = {}) const { return HttpClient(platformUrl(_server), key); }

private:
    PlatformWorld();

    TestDatabase _database;
    ServerProcess _server;
    std::int64_t _category;
};

/// An operator with a key of its own, and what tests do as it.
class Operator {
public:
    Operator();

    const std::string& key() const { return _key; }
    /// "ok_ab12cd34": the actor of the audit log.
    std::string prefix() const { return _key.substr(0, 11); }
    HttpClient& http() { return _http; }

    /// `data` of a GET; fails unless the answer is 200.
    nlohmann::json get(const std::string& path);
    /// `data` of a POST; fails unless the answer has that status.
    nlohmann::json post(const std::string& path, const nlohmann::json& body, int status = 200);
    nlohmann::json postEmpty(const std::string& path, int status = 200);

    /// The entries of the audit log about one object, newest first.
    nlohmann::json audit(const std::string& object, std::int64_t id);

private:
    std::string _key;
    HttpClient _http;
};

/// A supplier that an operator made, with a key, and what it does on the suppliers' API.
class Seller {
public:
    explicit Seller(Operator& op, const nlohmann::json& supplier = nlohmann::json::object());

    std::int64_t id() const { return _id; }
    const std::string& name() const { return _name; }
    const std::string& key() const { return _key; }
    HttpClient& http() { return _http; }
    std::string path(const std::string& rest = {}) const { return "/suppliers/" + std::to_string(_id) + rest; }

    /// Creates and returns `data.product`; fails unless the answer is 201.
    nlohmann::json create(const nlohmann::json& changes = nlohmann::json::object());
    nlohmann::json read(std::int64_t product);
    nlohmann::json get(const std::string& path);
    std::vector<std::int64_t> listed(const std::string& query = {});
    /// Creates `count` products straight in the database, totals included.
    void fill(int count);
    /// Fails when a counter differs from what counting the products anew gives.
    void requireTrueTotals() const;

private:
    std::int64_t _id;
    std::string _name;
    std::string _key;
    HttpClient _http;
};

/// The value of `id` as a number.
std::int64_t idOf(const nlohmann::json& object);
std::vector<std::int64_t> idsOf(const nlohmann::json& objects);

void requireStatus(int status, const HttpResponse& response);
/// An error envelope with that status and code.
void requireError(int status, const std::string& code, const HttpResponse& response);
/// 422 with one detail for each of the given `field:code`, in any order, and no other.
void requireProblems(const HttpResponse& response, std::vector<std::string> problems);
/// A 403 whose first detail has that code.
void requireForbidden(const std::string& code, const HttpResponse& response);

/// A change of keys or suppliers takes effect within this time.
void waitForKeys();

/// Runs `work` for the runners 0 to count - 1, each in a thread of its own and as an operator who is connected already;
/// all begin together.
void race(int count, const std::function<void(Operator&, int)>& work);

} // namespace supplierd::tests
