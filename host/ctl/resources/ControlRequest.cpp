#include "host/ctl/resources/ControlRequest.h"

#include <Poco/URI.h>

namespace supplierd::host {

namespace {

/// As a client would send it that escapes all it may.
std::string encoded(const QueryParameters& query) {
    static const std::string STRUCTURE = "&=+#,";
    std::string raw;
    for (const auto& [name, value] : query) {
        raw += raw.empty() ? "" : "&";
        Poco::URI::encode(name, STRUCTURE, raw);
        raw += '=';
        Poco::URI::encode(value, STRUCTURE, raw);
    }
    return raw;
}

} // namespace

ControlRequest::ControlRequest(Database& database, QueryParameters query)
    : _database(database), _rawQuery(encoded(query)), _query(std::move(query)) {
    _principal.isOperator = true;
}

} // namespace supplierd::host
