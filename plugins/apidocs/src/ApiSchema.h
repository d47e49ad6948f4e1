#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <set>
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
    /// The schema without references and `allOf` at its top. What is an alternative to null alone is merged into it.
    Json whole(const Json& schema) const { return whole(schema, Walk::from(schema)); }
    /// The fields of an object, or of an array's objects, with those within them: at most 300.
    std::vector<ApiField> fields(const Json& schema) const;
    /// A field of its own: a parameter.
    ApiField field(std::string name, const Json& schema, bool isRequired, const std::string& description) const;
    /// A value of the schema's type, of its examples where it has some. Lengths and patterns are not regarded.
    Json sample(const Json& schema) const;

private:
    /// Where a walk through schemas is. They may refer to themselves, so it ends at a reference that it is within.
    struct Walk {
        int depth = 0;
        std::set<std::string> open; ///< the references that it is within

        static Walk from(const Json& schema);
        /// Nothing when the walk ends before that schema.
        std::optional<Walk> into(const Json& schema) const;
    };

    Json whole(const Json& schema, const Walk& walk) const;
    void addFields(const Json& schema, const std::string& prefix, const Walk& walk,
                   std::vector<ApiField>& fields) const;
    std::string typeOf(const Json& whole, const Walk& walk) const;
    /// @param left how many members it may still have
    Json sample(const Json& schema, const Walk& walk, std::size_t& left) const;

    const Json& _document;
};

} // namespace supplierd::apidocs
