#pragma once

#include <supplierd/Database.h>
#include <supplierd/Request.h>
#include <supplierd/Response.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace supplierd::host {

/// A request of nobody but the operator at the terminal, for services that answer requests: it has a query and a
/// database, no path, no headers and no body. Thread: one. Lifetime: the database's.
class ControlRequest final : public Request {
public:
    ControlRequest(Database& database, QueryParameters query);

    Method method() const override { return Method::Get; }
    const Principal& principal() const override { return _principal; }
    std::string_view requestId() const override { return {}; }
    std::string_view path() const override { return {}; }
    std::int64_t pathInteger(std::string_view name) const override { throw std::out_of_range(std::string(name)); }
    std::string_view pathText(std::string_view name) const override { throw std::out_of_range(std::string(name)); }
    const QueryParameters& query() const override { return _query; }
    std::optional<std::string_view> header(std::string_view) const override { return std::nullopt; }
    JsonObject body() const override { return {}; }
    Database& database() override { return _database; }
    Response transact(const std::function<Response(Transaction&)>& work) override {
        Response response;
        _database.withTransaction([&](Transaction& transaction) { response = work(transaction); });
        return response;
    }
    Response reply(int status = 200) override { return Response(status); }
    std::string_view rawQuery() const override { return _rawQuery; }

private:
    Database& _database;
    std::string _rawQuery;
    QueryParameters _query;
    Principal _principal;
};

} // namespace supplierd::host
