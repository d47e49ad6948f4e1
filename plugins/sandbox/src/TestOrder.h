#pragma once

#include "SandboxServices.h"

#include <supplierd/Json.h>
#include <supplierd/Request.h>

#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::sandbox {

/// An order that arrives at a sandbox, as nobody's but its supplier's wish. Made per request.
class TestOrder {
public:
    TestOrder(const SandboxServices& services, Request& request);

    /// Through the marketplace's own intake, with its rules. Throws ApiError (Validation) with every bad field and
    /// item.
    OrderGroupSummary place(Transaction& transaction) const;

private:
    struct Line {
        std::optional<std::int64_t> productId;
        std::optional<std::int64_t> variantId;
        std::string sku;
        JsonObject item;
    };

    /// Of the sandbox's own products; a wrong one is in the details.
    std::vector<Line> readLines(SqlSession& session, Details& details) const;
    void findSkus(SqlSession& session, std::vector<Line>& lines, Details& details) const;
    void requireOwn(SqlSession& session, const std::vector<Line>& lines, Details& details) const;
    void chooseProducts();
    /// The body of the marketplace's order.
    std::string text(const std::vector<Line>& lines) const;

    const SandboxServices& _services;
    const Actor _actor;
    const std::int64_t _supplierId;
    const JsonObject _body;
    const std::string _number;
    /// Instead of the body's: one of each.
    std::vector<std::int64_t> _chosen;
};

} // namespace supplierd::sandbox
