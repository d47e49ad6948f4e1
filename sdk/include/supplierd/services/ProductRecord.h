#pragma once

#include <supplierd/Abi.h>
#include <supplierd/Json.h>
#include <supplierd/JsonBody.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Request.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace supplierd {

/// A product as the API shows it: `json` is the object that the API's reference calls Product, where it comes from a
/// list, or else ProductDetail. Read the members that you know, by their names: the plugin `catalog` may add some at
/// any time, and keeps what there is, as the API does. Since 1.0.
struct SUPPLIERD_API ProductRecord {
    std::int64_t id = 0;
    std::int64_t supplierId = 0;
    std::string supplierName = {};
    /// As its supplier sees it; from a list of operators with `approval` too.
    std::string json = {};
    Reserved reserved = {};

    JsonDocument read() const { return parseJson(json); }
};

/// What the API shows, as a value; to operators with `supplier: { id, name }`.
SUPPLIERD_API void writeJson(JsonWriter& json, const ProductRecord& product, Audience audience = Audience::Operator);

/// The products of a list, a part at a time. Thread: one at a time. Lifetime: not beyond the stop of who asked for it.
/// Since 1.0.
class SUPPLIERD_API ProductWalk {
public:
    virtual ~ProductWalk() = default;

    /// How many the list had when the walk began.
    virtual std::int64_t total() const = 0;
    /// The next ones, at most `limit`, as a single read shows them now, without the supplier's name; those that were
    /// deleted since are left out. Empty: that was all. A constant number of statements. Throws DatabaseError.
    virtual std::vector<ProductRecord> next(std::size_t limit) = 0;
};

} // namespace supplierd
