#pragma once

#include <supplierd/Request.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::testing {

/// A request to give to a handler, or to PluginRun::call():
///     FakeRequest(host.database(), Method::Post, "/notes").withBody(R"({"title": "Roses"})")
/// The path is relative to the audience's base path and may carry a query. The caller is supplier 1 unless told
/// otherwise. Thread: one. Since 1.0.
class FakeRequest final : public Request {
public:
    FakeRequest(Database& database, Method method, std::string_view pathAndQuery);

    /// Parsed as the host parses it: throws the ApiError that a client would see.
    FakeRequest& withBody(std::string_view json);
    FakeRequest& withHeader(std::string name, std::string value);
    FakeRequest& withPrincipal(Principal principal);
    /// Set by PluginRun::call() from the path; set it here when a handler is called directly.
    FakeRequest& withPathParameter(std::string name, std::string value);
    bool hasBody() const { return _body.has_value(); }

    Method method() const override { return _method; }
    const Principal& principal() const override { return _principal; }
    std::string_view requestId() const override { return "test-request"; }
    std::string_view path() const override { return _path; }
    std::int64_t pathInteger(std::string_view name) const override;
    std::string_view pathText(std::string_view name) const override;
    const QueryParameters& query() const override { return _query; }
    std::optional<std::string_view> header(std::string_view name) const override;
    JsonObject body() const override;
    Database& database() override { return _database; }
    /// Throws std::logic_error the second time.
    Response transact(const std::function<Response(Transaction&)>& work) override;
    Response reply(int status = 200) override { return Response(status); }
    std::string_view rawQuery() const override { return _rawQuery; }

private:
    Database& _database;
    Method _method;
    std::string _path;
    std::string _rawQuery;
    QueryParameters _query;
    Principal _principal;
    std::map<std::string, std::string, std::less<>> _pathParameters;
    std::vector<std::pair<std::string, std::string>> _headers;
    std::optional<JsonDocument> _body;
    bool _transacted = false;
};

} // namespace supplierd::testing
