#pragma once

#include "stock/ResolvedItems.h"

#include <supplierd/Database.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::catalog {

/// One statement about the stocks or prices of all given products or variants. It is made for certain numbers of rows
/// only, so that few texts are prepared and kept: what is left over is filled with the last row again. The items
/// outlive it; they are in id order, and at most as many as a request has items.
class BulkStatement {
public:
    /// Sets live products, all of which are stamped with the change.
    static BulkStatement setProducts(std::int64_t supplierId, Subject subject, const ResolvedList& products);
    /// Sets and stamps those of live products that have another value; nobody need have looked. What an item names by
    /// its SKU must still have it.
    static BulkStatement setPlain(std::int64_t supplierId, Subject subject, const ResolvedList& products);
    /// Sets variants; their products are stamped by a statement of their own.
    static BulkStatement setVariants(Subject subject, const ResolvedList& variants);
    /// Reads live products, and perhaps others that lie between them; the columns are those of Column. At least one.
    static BulkStatement readProducts(std::int64_t supplierId, Subject subject, const ResolvedList& products);
    enum Column : std::size_t { ID, AMOUNT, SKU, CHANGE_SEQ, SUPPLIERS_CHANGE_SEQ };

    /// Of one that sets, within a transaction that holds the catalog's lock. Returns how many of the rows there are,
    /// or were set; 0 without items.
    std::int64_t execute(Transaction& transaction, std::int64_t changeSeq);
    Rows& query(SqlSession& session) { return session.query(_sql, _params); }

private:
    explicit BulkStatement(const ResolvedList& resolved);

    const ResolvedItem& at(std::size_t i) const { return *_resolved[i < _resolved.size() ? i : _resolved.size() - 1]; }
    void addMarks(std::string& sql, std::string_view first) const;
    void addIds(std::string& sql, std::string_view first);
    void addProducts(std::string& sql, std::int64_t supplierId);
    void addSearch(std::string& sql);
    void addAmounts(std::string& sql, Subject subject);
    void addSkus(std::string& sql, std::string_view first);

    ResolvedList _resolved;
    std::size_t _size = 0;
    std::string _sql;
    std::vector<SqlParam> _params;
    bool _stamps = false; ///< the first parameter is the number of the change
};

} // namespace supplierd::catalog
