#pragma once

#include "stock/Targets.h"

#include <supplierd/Database.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::catalog {

/// One statement that sets the stocks or prices of all given products or variants. It is made for certain numbers of
/// rows only, so that few texts are prepared and kept: what is left over is filled with the last row again. The targets
/// outlive it; they are in id order, and at most as many as a request has items.
class SetStatement {
public:
    /// Live products, all of which are stamped with the change.
    static SetStatement ofProducts(std::int64_t supplierId, Subject subject, const TargetList& products);
    /// Live products, of which those are stamped that had another value; nobody need have looked. Those that an item
    /// names by its SKU must still have it.
    static SetStatement ofNamed(std::int64_t supplierId, Subject subject, const TargetList& products);
    /// Variants; their products are stamped by a statement of their own.
    static SetStatement ofVariants(Subject subject, const TargetList& variants);

    /// Within a transaction that holds the catalogue's lock. Returns how many of the rows there are; 0 without targets.
    std::int64_t execute(Transaction& transaction, std::int64_t changeSeq);

private:
    explicit SetStatement(const TargetList& targets);

    const Target& at(std::size_t i) const { return *_targets[i < _targets.size() ? i : _targets.size() - 1]; }
    void addChangeSeqs(std::size_t count);
    void addMarks(std::string& sql, std::string_view first) const;
    void addIds(std::string& sql, std::string_view first);
    void addSearch(std::string& sql);
    void addAmounts(std::string& sql, Subject subject);
    void addSkus(std::string& sql, std::string_view first);

    TargetList _targets;
    std::size_t _size = 0;
    std::string _sql;
    std::vector<SqlParam> _params;
    std::size_t _changeSeqAt = 0; ///< among the parameters, so many times
    std::size_t _changeSeqs = 0;
};

} // namespace supplierd::catalog
