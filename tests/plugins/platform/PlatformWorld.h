#pragma once

#include "tests/support/Answers.h"
#include "tests/support/TestMarket.h"
#include "tests/support/TestSupplier.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A server with every plugin.
ServerOptions platformServer();

/// One server for all tests of this program; each test makes suppliers of its own.
class PlatformWorld : public TestMarket {
public:
    static PlatformWorld& instance();

private:
    PlatformWorld() : TestMarket(platformServer(), "Roses") {}
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
class Seller : public TestSeller {
public:
    explicit Seller(Operator& op, const nlohmann::json& supplier = nlohmann::json::object());

    const std::string& name() const { return _name; }
    std::string path(const std::string& rest = {}) const { return "/suppliers/" + std::to_string(id()) + rest; }

    /// With 100 in stock.
    nlohmann::json create(const nlohmann::json& changes = nlohmann::json::object());
    std::vector<std::int64_t> listed(const std::string& query = {}) { return ids(query); }
    /// Creates `count` products straight in the database, totals included.
    void fill(int count);

private:
    struct Account {
        std::int64_t id = 0;
        std::string name;
        std::string key;
    };

    explicit Seller(const Account& account);
    static Account made(Operator& op, const nlohmann::json& supplier);

    std::string _name;
};

/// A change of keys or suppliers takes effect within this time.
void waitForKeys();

/// Runs `work` for the runners 0 to count - 1, each in a thread of its own and as an operator who is connected already;
/// all begin together.
void race(int count, const std::function<void(Operator&, int)>& work);

} // namespace supplierd::tests
