#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace supplierd::catalog {

/// The least version that a change under this number gives. Each run of the database raises all numbers by 2^20: so the
/// versions of a run are above those that the one before may have given and lost, up to half as many commits.
constexpr std::int64_t VERSION_STEP = std::int64_t{1} << 19;
constexpr std::int64_t versionFloor(std::int64_t changeSeq) {
    return changeSeq - changeSeq % VERSION_STEP;
}
/// Of a product that is added.
constexpr std::int64_t firstVersion(std::int64_t changeSeq) {
    return std::max<std::int64_t>(1, versionFloor(changeSeq));
}

/// The statement by which products change: it stamps each of its rows with the number of the change, a new version and
/// the time. A version is in entity tags, so it is no less than versionFloor() of that number: a database that comes
/// back without its last commits never gives either again. Nothing but renumberProducts() writes products.change_seq of
/// a row that is there otherwise. The pieces are constants.
struct ProductUpdate {
    /// With others joined to them a second `?` stands behind that of `changeSeq`: its versionFloor().
    std::string_view update = "UPDATE products FORCE INDEX (PRIMARY)";
    /// What stands for the number that the lock of the catalog gave.
    std::string_view changeSeq = "?";
    /// Further assignments.
    std::string_view set = {};
    std::string_view where = {};

    /// The parameters follow the members but the first: change number, `set`, `where`.
    std::string sql() const;
};

/// For PluginDescription::renumber.
std::string renumberProducts();

} // namespace supplierd::catalog
