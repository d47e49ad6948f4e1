#pragma once

#include <supplierd/Database.h>
#include <supplierd/ListPage.h>
#include <supplierd/internal/ImageIngest.h>
#include <supplierd/services/Accounts.h>
#include <supplierd/services/Products.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace supplierd::catalog {

/// Which products the operators' list shows, and in which order. `state` and `approval` exclude each other.
struct OperatorListFilters {
    std::optional<std::int64_t> state;    ///< as ProductState
    std::optional<std::int64_t> approval; ///< as Approval
    std::optional<std::int64_t> supplierId;
    /// Of the supplier's, those with a stock, or those without.
    std::optional<bool> inStock = std::nullopt;
    /// These alone, of whichever supplier, as a JSON array; with no other filter.
    std::optional<std::string> ids = std::nullopt;
    /// Of every supplier's: those of sandboxes too. A list of one supplier shows his, whichever he is.
    bool withSandboxes = false;
    bool oldestFirst = false;
    /// A pattern of LIKE, for the name or the SKU. No index has these: of the list the first MOST_SEARCHED are looked
    /// at.
    std::optional<std::string> search = std::nullopt;

    static constexpr std::int64_t MOST_SEARCHED = 20'000;
    static constexpr std::size_t MOST_IDS = 100;
};

/// SQL of the operators' product list: constant fragments chosen by the filters, every value bound. The ids of a page
/// are found in an index alone, and the total is counted there, to a limit.
class OperatorListStatement {
public:
    static OperatorListStatement page(const OperatorListFilters& filters, const supplierd::ListWindow& window);
    /// One row with one column, the list's total.
    static OperatorListStatement total(const OperatorListFilters& filters);

    const std::string& sql() const { return _sql; }
    SqlParams params() const { return _params; }

private:
    void appendTotal(const OperatorListFilters& filters);
    void appendIds(const OperatorListFilters& filters, bool isOfSandbox, const supplierd::ListWindow& window,
                   std::int64_t limit, std::int64_t offset);
    void appendSource(const OperatorListFilters& filters, bool isOfSandbox);
    void appendListed(const OperatorListFilters& filters, bool isOfSandbox);

    std::string _sql;
    std::vector<SqlParam> _params;
};

/// As Products::list(); without `images` (null) no product has one.
Listed<ProductRecord> listForOperators(Database& database, const QueryParameters& query, ImageIngest* images,
                                       Accounts& accounts);

struct WaitingSupplier {
    std::int64_t supplierId = 0;
    std::string supplierName;
    std::int64_t products = 0;
};
/// Suppliers with how many of their products wait for approval: whose first one has waited longest comes first. `query`
/// has `page` and `per_page`.
Listed<WaitingSupplier> waitingSuppliers(Database& database, const QueryParameters& query, Accounts& accounts);

/// As Products::count().
ProductCounts countProducts(SqlSession& session, std::int64_t supplierId);

} // namespace supplierd::catalog
