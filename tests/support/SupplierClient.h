#pragma once

#include "tests/support/HttpClient.h"
#include "tests/support/Json.h"
#include "tests/support/ServerFixture.h"

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
    Json productBody(const Json& changes = Json::object()) const;
    /// POST /products with productBody().
    HttpResponse postProduct(const Json& changes = Json::object(), const HttpHeaders& headers = {});
    /// `data.product`
    Json create(const Json& changes = Json::object());
    Json read(std::int64_t product);
    Json update(std::int64_t product, const Json& changes);
    void remove(std::int64_t product);
    /// `data` of GET /products with that query.
    Json list(const std::string& query = {});
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
