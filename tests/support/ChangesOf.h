#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace supplierd::tests {

class TestDatabase;

/// The entries of a supplier's change log after that number, each as "product.created 5; product.stock_changed 5,6"
/// ("-": all). Fails when the log has a gap.
std::vector<std::string> changesOf(TestDatabase& database, std::int64_t supplierId, std::int64_t after = 0);
/// The actor and the request's id of the last entry, with a blank between.
std::string originOfLastChange(TestDatabase& database, std::int64_t supplierId);
/// The supplier's present number.
std::int64_t lastChangeOf(TestDatabase& database, std::int64_t supplierId);

} // namespace supplierd::tests
