#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Database.h>
#include <supplierd/Json.h>
#include <supplierd/Query.h>
#include <supplierd/Response.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd {

enum class Method { Get, Post, Put, Patch, Delete };

/// Who may call a route, and under which base path it lies.
enum class Audience {
    Supplier, ///< /api/v1/supplier, supplier keys
    Operator, ///< /api/v1/platform, operator keys
    Public    ///< the server's root, no key
};

/// Who is calling: taken from the API key, checked before the handler runs.
struct SUPPLIERD_API Principal {
    std::int64_t supplierId = 0; ///< 0 for operators and public routes
    std::int64_t keyId = 0;
    std::string keyPrefix; ///< "sk_ab12cd34", for display and audit
    bool isOperator = false;
    Reserved reserved = {};
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
    /// A path parameter; throws std::out_of_range for a name that the route's pattern does not have.
    virtual std::int64_t pathInteger(std::string_view name) const = 0;
    virtual std::string_view pathText(std::string_view name) const = 0;
    virtual const QueryParameters& query() const = 0;
    virtual std::optional<std::string_view> header(std::string_view name) const = 0;
    /// The parsed body of a route with Body::Json; std::logic_error on another. Lifetime: the request's.
    virtual JsonObject body() const = 0;

    virtual Database& database() = 0;

    /// Runs `work` in a transaction (see Database::withTransaction) and answers with what it returns. The outcome is
    /// stored in the same transaction when the request has an Idempotency-Key. At most once per request.
    virtual Response transact(const std::function<Response(Transaction&)>& work) = 0;

    /// An empty response that reuses an earlier response's memory.
    virtual Response reply(int status = 200) = 0;

    /// The raw query as it came, without the '?', for what decoding loses: see listValues() in Query.h. Since 1.0.
    virtual std::string_view rawQuery() const = 0;

protected:
    ~Request() = default;
};

} // namespace supplierd
