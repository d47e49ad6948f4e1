#pragma once

#include "host/openapi/OpenApiPart.h"

#include <supplierd/Errors.h>
#include <supplierd/Json.h>
#include <supplierd/Plugin.h>
#include <supplierd/Query.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// The names that an object has by an OpenAPI schema, those of arrays' objects among them.
struct SchemaFields {
    std::string name;
    std::vector<SchemaFields> fields; ///< by name
    bool isOpen = false;              ///< others may be there too

    const SchemaFields* find(std::string_view field) const;
    SchemaFields& at(std::string_view field);
    /// What can be unknown here: the schema names its fields, and no others may be there.
    bool isClosed() const { return !fields.empty() && !isOpen; }
};

/// What a route's requests may have by its plugin's OpenAPI document: built once at start. Thread: any.
class RequestSchema {
public:
    /// Nothing when the text is no OpenAPI document or does not describe the route.
    static std::optional<RequestSchema> of(const std::string& document, const Route& route);
    static std::optional<RequestSchema> ofPart(const OpenApiJson& part, const Route& route);

    /// A warning for each query parameter and body field that the document does not know, Response::MAX_WARNINGS at
    /// most. Fields that the plugin's own responses have at that place are none, so that an object can be sent back as
    /// it was read.
    std::vector<Detail> unknown(const QueryParameters& query, const JsonObject& body) const;

private:
    std::vector<std::string> _parameters;
    SchemaFields _body;
    SchemaFields _output; ///< of the objects that the responses have in `data`, all together
};

} // namespace supplierd::host
