#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::apidocs {

using Json = nlohmann::ordered_json;

/// What a JSON object has by this name; null when there is none, or it is no object. Lifetime: that of `part`.
const Json& member(const Json& part, std::string_view name);

/// One line of a list of fields: "variants[].sku", "string or null", what it means and may be.
struct ApiField {
    std::string name;
    std::string type;
    bool isRequired = false;
    std::string description; ///< Markdown
};

/// What the schemas of an OpenAPI 3.1 document mean. Lifetime: the document's.
class ApiSchemas {
public:
    explicit ApiSchemas(const Json& document) : _document(document) {}

    /// What a reference within the document leads to; other parts as they are.
    const Json& resolve(const Json& part) const;
    /// The schema without references and `allOf` at its top, and without alternatives that are null alone.
    Json whole(const Json& schema) const;
    /// The fields of an object, or of an array's objects, with those within them.
    std::vector<ApiField> fields(const Json& schema) const;
    /// A field of its own: a parameter.
    ApiField field(std::string name, const Json& schema, bool isRequired, const std::string& description) const;
    /// A value that the schema allows, of its examples where it has some.
    Json sample(const Json& schema) const { return sample(schema, 0); }

private:
    void addFields(const Json& schema, const std::string& prefix, int depth, std::vector<ApiField>& fields) const;
    std::string typeOf(const Json& whole) const;
    Json sample(const Json& schema, int depth) const;

    const Json& _document;
};

} // namespace supplierd::apidocs
