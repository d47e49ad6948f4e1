#include "ApiSchema.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace supplierd::apidocs {

namespace {

constexpr int DEEPEST = 8;
/// Rows of a list of fields, and members of a sample.
constexpr std::size_t MOST = 300;
/// Bounds of the types themselves say nothing.
constexpr std::int64_t NO_BOUND = 2'147'483'647;
constexpr std::array<const char*, 2> ALTERNATIVES = {"anyOf", "oneOf"};

bool isNull(const Json& schema) {
    return schema.is_object() && member(schema, "type") == "null";
}

std::string joined(const Json& values, const char* separator) {
    std::string text;
    for (const Json& value : values)
        if (!value.is_null())
            text += (text.empty() ? "`" : separator + std::string("`")) +
                    (value.is_string() ? value.get<std::string>() : value.dump()) + "`";
    return text;
}

/// "1 entry", "20 entries"; "20" of what has no unit
std::string counted(const Json& number, const std::array<const char*, 2>& unit) {
    return number.dump() + unit[number == 1 ? 0 : 1];
}

std::string range(const Json& schema, const char* least, const char* most, const std::array<const char*, 2>& unit) {
    const bool hasLeast = schema.contains(least);
    const bool hasMost = schema.contains(most) && schema[most].is_number() && schema[most] < NO_BOUND;
    if (hasLeast && hasMost)
        return " " + schema[least].dump() + " to " + counted(schema[most], unit) + ".";
    if (hasMost)
        return " At most " + counted(schema[most], unit) + ".";
    return hasLeast ? " At least " + counted(schema[least], unit) + "." : "";
}

/// What a value may be, in words.
std::string bounds(const Json& whole) {
    std::string text;
    if (whole.contains("enum"))
        text += " One of " + joined(whole["enum"], ", ") + ".";
    if (whole.contains("const"))
        text += " Always " + joined(Json::array({whole["const"]}), "") + ".";
    text += range(whole, "minimum", "maximum", {"", ""});
    text += range(whole, "minLength", "maxLength", {" character", " characters"});
    text += range(whole, "minItems", "maxItems", {" entry", " entries"});
    if (!member(whole, "default").is_null())
        text += " The default is " + joined(Json::array({whole["default"]}), "") + ".";
    return text;
}

Json sampleText(const Json& whole) {
    const std::string format = whole.value("format", "");
    if (format == "date-time")
        return "2026-03-02T09:30:00Z";
    if (format == "date")
        return "2026-03-02";
    if (format == "email")
        return "ann@example.com";
    if (format == "uri")
        return "https://example.com/";
    return "text";
}

} // namespace

const Json& member(const Json& part, std::string_view name) {
    static const Json NONE;
    const auto found = part.find(name);
    return found == part.end() ? NONE : *found;
}

const Json& ApiSchemas::resolve(const Json& part) const {
    if (!part.is_object() || !part.contains("$ref") || !part["$ref"].is_string())
        return part;
    const std::string target = part["$ref"].get<std::string>();
    const Json::json_pointer pointer(target.starts_with('#') ? target.substr(1) : "");
    static const Json NONE = Json::object();
    return !target.starts_with('#') || !_document.contains(pointer) ? NONE : _document[pointer];
}

ApiSchemas::Walk ApiSchemas::Walk::from(const Json& schema) {
    return Walk().into(schema).value();
}

std::optional<ApiSchemas::Walk> ApiSchemas::Walk::into(const Json& schema) const {
    Walk next{depth + 1, open};
    const Json& reference = member(schema, "$ref");
    if (depth > DEEPEST || (reference.is_string() && !next.open.insert(reference.get<std::string>()).second))
        return std::nullopt;
    return next;
}

Json ApiSchemas::whole(const Json& schema, const Walk& walk) const {
    const Json& found = resolve(schema);
    if (!found.is_object())
        return Json::object();
    Json merged = found;
    if (schema.contains("$ref") && schema.contains("description"))
        merged["description"] = schema["description"];
    merged.erase("allOf");
    const auto merge = [&](const Json& part) {
        const auto next = walk.into(part);
        const Json added = next ? whole(part, *next) : Json::object();
        for (const auto& [name, value] : added.items())
            if (name == "properties")
                merged[name].update(value);
            else if (name == "required" && merged.contains(name))
                merged[name].insert(merged[name].end(), value.begin(), value.end());
            else if (!merged.contains(name))
                merged[name] = value;
    };
    if (found.contains("allOf"))
        for (const Json& part : found["allOf"])
            merge(part);
    for (const char* const list : ALTERNATIVES) {
        if (!merged.contains(list))
            continue;
        Json others = Json::array();
        std::copy_if(merged[list].begin(), merged[list].end(), std::back_inserter(others),
                     [](const Json& one) { return !isNull(one); });
        if (others.size() != 1)
            continue;
        const bool isNullable = merged[list].size() > 1;
        merged.erase(list);
        merge(others[0]);
        if (!isNullable || !merged.contains("type"))
            continue;
        Json types = merged["type"].is_array() ? merged["type"] : Json::array({merged["type"]});
        if (std::find(types.begin(), types.end(), "null") == types.end())
            types.push_back("null");
        merged["type"] = std::move(types);
    }
    return merged;
}

std::string ApiSchemas::typeOf(const Json& whole, const Walk& walk) const {
    const Json type = member(whole, "type");
    std::string text;
    for (const Json& one : type.is_array() ? type : Json::array({type})) {
        if (!one.is_string())
            continue;
        std::string name = one.get<std::string>();
        if (name == "array" && whole.contains("items"))
            if (const auto next = walk.into(whole["items"]))
                name = "array of " + typeOf(this->whole(whole["items"]), *next);
        if (name == "string" && whole.value("format", "").starts_with("date"))
            name = whole["format"] == "date" ? "date" : "time";
        text += (text.empty() ? "" : " or ") + name;
    }
    for (const char* const list : ALTERNATIVES)
        for (const Json& one : member(whole, list)) {
            const auto next = walk.into(one);
            const std::string name = next ? typeOf(this->whole(one), *next) : text;
            if (text != name)
                text += (text.empty() ? "" : " or ") + name;
        }
    return text.empty() ? "any" : text;
}

ApiField ApiSchemas::field(std::string name, const Json& schema, bool isRequired,
                           const std::string& description) const {
    const Json merged = whole(schema);
    std::string text = description.empty() ? merged.value("description", "") : description;
    if (!text.empty() && !text.ends_with('.') && !text.ends_with('?'))
        text += '.';
    text += bounds(merged);
    if (merged.contains("items"))
        text += bounds(whole(merged["items"]));
    return {std::move(name), typeOf(merged, Walk::from(schema)), isRequired, text};
}

void ApiSchemas::addFields(const Json& schema, const std::string& prefix, const Walk& walk,
                           std::vector<ApiField>& fields) const {
    const auto next = walk.into(schema);
    if (!next)
        return;
    const Json merged = whole(schema);
    if (merged.contains("items"))
        addFields(merged["items"], prefix + "[]", *next, fields);
    for (const char* const list : ALTERNATIVES)
        for (const Json& one : member(merged, list))
            addFields(one, prefix, *next, fields);
    if (member(merged, "additionalProperties").is_object())
        addFields(merged["additionalProperties"], prefix + ".*", *next, fields);
    const Json required = member(merged, "required");
    for (const auto& [name, value] : member(merged, "properties").items()) {
        if (fields.size() == MOST)
            return;
        const std::string path = prefix.empty() ? name : prefix + "." + name;
        if (std::any_of(fields.begin(), fields.end(), [&](const ApiField& one) { return one.name == path; }))
            continue;
        const bool isRequired = std::find(required.begin(), required.end(), name) != required.end();
        fields.push_back(field(path, value, isRequired, ""));
        addFields(value, path, *next, fields);
    }
}

std::vector<ApiField> ApiSchemas::fields(const Json& schema) const {
    std::vector<ApiField> all;
    addFields(schema, "", Walk(), all);
    return all;
}

Json ApiSchemas::sample(const Json& schema) const {
    std::size_t left = MOST;
    return sample(schema, Walk(), left);
}

Json ApiSchemas::sample(const Json& schema, const Walk& walk, std::size_t& left) const {
    const auto next = walk.into(schema);
    if (!next)
        return nullptr;
    const Json merged = whole(schema);
    for (const char* const given : {"example", "default", "const"})
        if (merged.contains(given))
            return merged[given];
    for (const char* const list : {"examples", "enum"})
        if (merged.contains(list) && !merged[list].empty())
            return merged[list].front();
    for (const char* const list : ALTERNATIVES)
        for (const Json& one : member(merged, list))
            if (!isNull(one))
                return sample(one, *next, left);
    Json type = member(merged, "type");
    if (type.is_array())
        type = type.empty() ? Json() : type.front();
    if (merged.contains("properties")) {
        Json object = Json::object();
        for (const auto& [name, value] : merged["properties"].items())
            if (left > 0) {
                --left;
                object[name] = sample(value, *next, left);
            }
        return object;
    }
    if (type == "array") {
        const Json& items = member(merged, "items");
        return items.is_object() && next->into(items) ? Json::array({sample(items, *next, left)}) : Json::array();
    }
    if (type == "integer" || type == "number")
        return merged.value("minimum", Json(1));
    if (type == "boolean")
        return true;
    if (type == "object")
        return Json::object();
    return type == "string" ? sampleText(merged) : Json();
}

} // namespace supplierd::apidocs
