#pragma once

#include <string>
#include <string_view>

namespace supplierd::host {

/// What changed between two JSON objects, for people: "status: verified -> suspended"; without a before what there is
/// now: "name: Bloom BV, status: verified". Long values are cut. Text that is no JSON object gives "".
std::string describeChange(std::string_view before, std::string_view after);

} // namespace supplierd::host
