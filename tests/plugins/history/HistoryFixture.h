#pragma once

#include "tests/support/Json.h"
#include "tests/support/SupplierClient.h"

#include <cstdint>
#include <string>

namespace supplierd::tests {

/// With the plugin, and rates that leave nothing out; `more`: further lines of its table.
ServerOptions historyOptions(const std::string& more = {});

/// A supplier whose requests are recorded.
class RecordedSupplier : public SupplierClient {
public:
    explicit RecordedSupplier(const SupplierOptions& options = {}, ServerFixture& on = fixture())
        : SupplierClient(options, on) {}

    /// Sends it under a request id of its own; the id.
    std::string send(const std::string& method, const std::string& target, const HttpHeaders& headers = {},
                     const std::optional<std::string>& body = std::nullopt);
    /// How many of its requests are in the table.
    std::int64_t recorded(const std::string& condition = "TRUE");
    void waitForRecorded(std::int64_t count, const std::string& condition = "TRUE");
    /// GET /requests/{id} of the one with this request id, as soon as it is recorded.
    Json record(const std::string& requestId);
    /// `data` of GET /requests with this query.
    Json listed(const std::string& query = {});
};

} // namespace supplierd::tests
