#pragma once

#include "tests/support/HttpClient.h"
#include "tests/support/ServerFixture.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace supplierd::tests {

struct SupplierOptions {
    std::string name = "Rozenhof";
    std::string status = "verified";
    /// Of its key, as the column has them; empty: all.
    std::string scopes = {};
    /// Further columns of its key as SQL literals: {"hourly_limit", "5"}; without that one, no limit to speak of.
    std::map<std::string, std::string> columns = {};
};

/// A supplier on the API: its key, and a connection of its own. What gives JSON fails the test unless the response is
/// the good one. Thread: one.
class SupplierClient : public HttpClient {
public:
    /// Made straight in the database.
    explicit SupplierClient(const SupplierOptions& options = {}, ServerFixture& on = fixture());
    /// One that is there already.
    SupplierClient(ServerFixture& on, std::int64_t id, const std::string& name, const std::string& key);

    std::int64_t id() const { return _id; }
    const std::string& name() const { return _name; }
    ServerFixture& on() const { return _on; }
    /// Where operators find it: "/suppliers/7", and what follows there.
    std::string path(const std::string& rest = {}) const { return "/suppliers/" + std::to_string(_id) + rest; }
    /// Of the same key, on a connection of its own.
    HttpClient anotherClient() const { return _on.server().client(key()); }

    /// The body of a create that is in order, with `changes` merged into it (null there leaves the field out).
    nlohmann::json productBody(const nlohmann::json& changes = nlohmann::json::object()) const;
    /// POST /products with productBody().
    HttpResponse postProduct(const nlohmann::json& changes = nlohmann::json::object(), const HttpHeaders& headers = {});
    /// `data.product`
    nlohmann::json create(const nlohmann::json& changes = nlohmann::json::object());
    nlohmann::json read(std::int64_t product);
    nlohmann::json update(std::int64_t product, const nlohmann::json& changes);
    void remove(std::int64_t product);
    /// `data` of GET /products with that query.
    nlohmann::json list(const std::string& query = {});
    std::vector<std::int64_t> ids(const std::string& query = {});
    /// Creates `count` products straight in the database, totals included. Their ids, ascending.
    std::vector<std::int64_t> fill(int count);

    std::int64_t changeSeq() const;
    /// Fails when the totals of lists differ from what counting the products gives, or as
    /// ServerFixture::requireChangeSeqs() does.
    void requireTrueTotals();

private:
    ServerFixture& _on;
    std::int64_t _id;
    std::string _name;
};

} // namespace supplierd::tests
