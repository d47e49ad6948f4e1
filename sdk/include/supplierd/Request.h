#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/Json.h>
#include <supplierd/Query.h>
#include <supplierd/RequestHead.h>
#include <supplierd/Response.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

enum class Method { Get, Post, Put, Patch, Delete };

/// "GET", as in a request line. Since 1.0.
constexpr std::string_view methodName(Method method) {
    switch (method) {
    case Method::Get:
        return "GET";
    case Method::Post:
        return "POST";
    case Method::Put:
        return "PUT";
    case Method::Patch:
        return "PATCH";
    case Method::Delete:
        return "DELETE";
    }
    return "?";
}

/// Who may call a route, and under which base path it lies.
enum class Audience {
    Supplier, ///< /api/v1/supplier, supplier keys
    Operator, ///< /api/v1/platform, operator keys
    Public    ///< the server's root, no key; limited by client address
};

/// Who is calling: taken from the API key, or from a RequestAuthenticator, and checked before the handler runs.
struct SUPPLIERD_API Principal {
    std::int64_t supplierId = 0; ///< 0 for operators and public routes
    std::int64_t keyId = 0;
    std::string keyPrefix; ///< "sk_ab12cd34", for display and audit; an authenticator may put a user's name here
    bool isOperator = false;
    bool hasAllScopes = false;
    /// What the caller may do, unless it has all.
    std::vector<std::string> scopes = {};
    Reserved reserved = {};

    bool hasScope(std::string_view scope) const {
        return scope.empty() || hasAllScopes || std::find(scopes.begin(), scopes.end(), scope) != scopes.end();
    }
    /// False on a public route whom nobody has signed in on.
    bool isKnown() const { return supplierId != 0 || isOperator || keyId != 0; }
};

/// The body of a route with Body::Raw, as it comes in. What a handler leaves unread costs the client its connection.
/// Thread: the handler's. Since 1.0.
class SUPPLIERD_API BodyStream {
public:
    /// All of it, however it was sent.
    virtual std::uint64_t size() const = 0;
    /// What has come by now, at least a byte and at most `to`'s size; waits for it. 0 at the end. Throws ApiError
    /// (BadRequest) when the client goes away before, or is too slow.
    virtual std::size_t read(std::span<char> to) = 0;

protected:
    ~BodyStream() = default;
};

/// One request, authenticated, routed and parsed. Implemented by the host; tests use testing::FakeRequest.
/// Thread: the handler's. Lifetime: until the handler returns. Since 1.0.
class SUPPLIERD_API Request {
public:
    virtual Method method() const = 0;
    virtual const Principal& principal() const = 0;
    virtual std::string_view requestId() const = 0;
    /// The raw path as it came, without the query.
    virtual std::string_view path() const = 0;
    /// What is known of the request beside that: cookies, the client's address.
    virtual const RequestHead& head() const = 0;
    /// A path parameter; throws std::out_of_range for a name that the route's pattern does not have.
    virtual std::int64_t pathInteger(std::string_view name) const = 0;
    virtual std::string_view pathText(std::string_view name) const = 0;
    virtual const QueryParameters& query() const = 0;
    /// The raw query as it came, without the '?', for what decoding loses: see listValues() in Query.h.
    virtual std::string_view rawQuery() const = 0;
    /// The first line of this name, in any case.
    virtual std::optional<std::string_view> header(std::string_view name) const = 0;
    /// The parsed body of a route with Body::Json; std::logic_error on another. Lifetime: the request's.
    virtual JsonObject body() const = 0;
    /// The parameters of a route with Body::Form, for QueryReader; std::logic_error on another.
    virtual const QueryParameters& form() const = 0;
    /// The body of a route with Body::Raw; std::logic_error on another.
    virtual BodyStream& rawBody() = 0;

    /// It knows since when the response has to be up to date: Database::committed(). What outlives the handler, as a
    /// stream does, reads over Host::database().
    virtual Database& database() = 0;

    /// Runs `work` in a transaction (see Database::withTransaction) and answers with what it returns. The outcome is
    /// stored in the same transaction when the request has an Idempotency-Key. When it changed one supplier
    /// (Transaction::change()), the answer says under which number, in the header `X-Change-Seq`. At most once per
    /// request.
    virtual Response transact(const std::function<Response(Transaction&)>& work) = 0;
    /// transact() for work of one supplier that comes often and is short: requests that wait for the lock of his
    /// catalog anyway may go together, in one transaction, one after the other. Each has its own outcome, change
    /// number and errors, as if alone: when the work of one of them throws, none of it has happened, and each is done
    /// again for itself. So such work seldom throws, changes no other supplier, and may run on another request's
    /// thread, while its own waits.
    virtual Response transactTogether(const std::function<Response(Transaction&)>& work) = 0;

    /// An empty response that reuses an earlier response's memory.
    virtual Response reply(int status = 200) = 0;
    /// What the route's `admit` returned for this request; null when it has none.
    virtual const std::shared_ptr<void>& admission() const = 0;

    std::string_view clientAddress() const { return head().clientAddress(); }
    std::string_view scheme() const { return head().scheme(); }
    std::optional<std::string_view> cookie(std::string_view name) const { return head().cookie(name); }

protected:
    ~Request() = default;
};

} // namespace supplierd
