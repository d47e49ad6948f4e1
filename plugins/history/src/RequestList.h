#pragma once

#include "RequestRecord.h"

#include <supplierd/Database.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/ListPage.h>
#include <supplierd/Request.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::history {

/// A page of a supplier's requests, newest first. Totals are counted so far and no further.
inline constexpr std::int64_t MAX_COUNT = 1'000;
Listed<RequestRecord> listRequests(Database& database, std::int64_t supplierId, const QueryParameters& query);

/// With its bodies. Nothing when the supplier has none of that id.
std::optional<RequestRecord> findRequest(Database& database, std::int64_t supplierId, std::int64_t id);

/// The members of the record, without bodies.
void writeFields(JsonWriter& json, const RequestRecord& record);
/// Headers and bodies, and the command that sends it again to this origin.
void writeDetails(JsonWriter& json, const RequestRecord& record, std::string_view origin);

} // namespace supplierd::history
