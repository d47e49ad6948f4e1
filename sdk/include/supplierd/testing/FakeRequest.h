#pragma once

#include <supplierd/Request.h>

#include <map>
#include <memory>
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
    /// As a browser sends a form: "name=Ann&colour=red".
    FakeRequest& withForm(std::string_view encoded);
    /// For Body::Raw; the handler gets it in pieces of `piece` bytes at most.
    FakeRequest& withRawBody(std::string bytes, std::size_t piece = 4'096);
    FakeRequest& withCookie(std::string_view name, std::string_view value);
    FakeRequest& withClientAddress(std::string address);
    /// "https"; "http" unless told.
    FakeRequest& withScheme(std::string scheme);
    FakeRequest& withHeader(std::string name, std::string value);
    FakeRequest& withPrincipal(Principal principal);
    /// Set by PluginRun::call() from the route's `admit`; set it here when a handler is called directly.
    FakeRequest& withAdmission(std::shared_ptr<void> admission);
    /// Set by PluginRun::call() from the path; set it here when a handler is called directly.
    FakeRequest& withPathParameter(std::string name, std::string value);
    bool hasBody() const { return _body.has_value(); }
    bool hasForm() const { return _form.has_value(); }
    bool hasRawBody() const { return _rawBody.has_value(); }
    /// A raw body that the handler did not read to its end would cost the client its connection.
    bool isRawBodyConsumed() const { return !_rawBody || _rawBody->isConsumed(); }

    Method method() const override { return _method; }
    const Principal& principal() const override { return _principal; }
    std::string_view requestId() const override { return "test-request"; }
    std::string_view path() const override { return _path; }
    const RequestHead& head() const override { return _head.emplace(*this); }
    std::int64_t pathInteger(std::string_view name) const override;
    std::string_view pathText(std::string_view name) const override;
    const QueryParameters& query() const override { return _query; }
    std::optional<std::string_view> header(std::string_view name) const override;
    JsonObject body() const override;
    const QueryParameters& form() const override;
    BodyStream& rawBody() override;
    Database& database() override { return _database; }
    /// Throws std::logic_error the second time.
    Response transact(const std::function<Response(Transaction&)>& work) override;
    Response transactTogether(const std::function<Response(Transaction&)>& work) override { return transact(work); }
    Response reply(int status = 200) override { return Response(status); }
    std::string_view rawQuery() const override { return _rawQuery; }
    const std::shared_ptr<void>& admission() const override { return _admission; }

private:
    class Head final : public RequestHead {
    public:
        explicit Head(const FakeRequest& request) : _request(request) {}

        std::string_view method() const override;
        std::string_view path() const override { return _request._path; }
        std::string_view rawQuery() const override { return _request._rawQuery; }
        std::string_view requestId() const override { return _request.requestId(); }
        std::optional<std::string_view> header(std::string_view name) const override { return _request.header(name); }
        std::optional<std::string_view> cookie(std::string_view name) const override;
        std::string_view clientAddress() const override { return _request._clientAddress; }
        std::string_view scheme() const override { return _request._scheme; }

    private:
        const FakeRequest& _request;
    };

    class RawBody final : public BodyStream {
    public:
        RawBody(std::string bytes, std::size_t piece) : _bytes(std::move(bytes)), _piece(piece) {}

        std::uint64_t size() const override { return _bytes.size(); }
        std::size_t read(std::span<char> to) override;
        bool isConsumed() const { return _next == _bytes.size(); }

    private:
        std::string _bytes;
        std::size_t _piece;
        std::size_t _next = 0;
    };

    Database& _database;
    Method _method;
    std::string _path;
    std::string _rawQuery;
    QueryParameters _query;
    Principal _principal;
    std::map<std::string, std::string, std::less<>> _pathParameters;
    std::vector<std::pair<std::string, std::string>> _headers;
    std::optional<JsonDocument> _body;
    std::optional<QueryParameters> _form;
    std::optional<RawBody> _rawBody;
    std::string _clientAddress = "192.0.2.1";
    std::string _scheme = "http";
    mutable std::optional<Head> _head; ///< made anew for each use, as this may have been moved
    std::shared_ptr<void> _admission;
    bool _transacted = false;
};

} // namespace supplierd::testing
