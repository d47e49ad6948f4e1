#include "host/openapi/RequestSchema.h"

#include "host/config/NearestName.h"
#include "host/openapi/OpenApiPart.h"
#include "host/plugins/RoutePattern.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace supplierd::host {

namespace {

using Json = OpenApiJson;

/// Reads the schemas of one plugin's part, which may refer to what the host has.
class SchemaReader {
public:
    explicit SchemaReader(const Json& document) : _document(document) {}

    /// What a reference leads to, the part itself when it is none, null when it leads nowhere.
    const Json& resolve(const Json& part) const {
        static const Json NOTHING;
        const Json* at = &part;
        for (int steps = 0; at->is_object() && at->contains("$ref"); ++steps) {
            const auto& target = at->at("$ref");
            if (steps == MOST_STEPS || !target.is_string() || !target.get_ref<const std::string&>().starts_with("#/"))
                return NOTHING;
            const Json::json_pointer pointer(target.get_ref<const std::string&>().substr(1));
            const Json& owner = _document.contains(pointer) ? _document : hostOpenApiPart();
            if (!owner.contains(pointer))
                return NOTHING;
            at = &owner.at(pointer);
        }
        return *at;
    }

    /// Adds what the schema says to what others said. `depth`: a schema may refer to itself.
    void read(const Json& part, SchemaFields& into, int depth = 0) const {
        const Json& schema = resolve(part);
        if (!schema.is_object() || depth == MOST_STEPS) {
            into.isOpen = true;
            return;
        }
        for (const auto& [name, property] : member(schema, "properties").items())
            read(property, into.at(name), depth + 1);
        if (schema.contains("items"))
            read(schema["items"], into, depth + 1);
        for (const char* const all : {"allOf", "oneOf", "anyOf"})
            for (const auto& one : member(schema, all))
                read(one, into, depth + 1);
        const Json& others = member(schema, "additionalProperties");
        if (others.is_object() || (others.is_boolean() && others.get<bool>()))
            into.isOpen = true;
    }

    /// The JSON schema of a request's or response's content.
    const Json& contentOf(const Json& part) const {
        return member(member(member(resolve(part), "content"), "application/json"), "schema");
    }

    /// null when it is not there.
    static const Json& member(const Json& object, std::string_view name) {
        static const Json NOTHING;
        const auto found = object.is_object() ? object.find(name) : object.end();
        return object.is_object() && found != object.end() ? *found : NOTHING;
    }

private:
    static constexpr int MOST_STEPS = 12;

    const Json& _document;
};

void merge(const SchemaFields& from, SchemaFields& into) {
    for (const SchemaFields& field : from.fields)
        merge(field, into.at(field.name));
}

/// The fields of the objects that successes have in `data`, whatever their names there: of `{ product }` those of a
/// product, of `{ products }` too. Only below `base`.
void readOutput(const SchemaReader& reader, const Json& paths, std::string_view base, SchemaFields& output) {
    for (const auto& [path, item] : paths.items()) {
        if (!path.starts_with(base))
            continue;
        for (const auto& [method, operation] : item.items())
            for (const auto& [status, response] : SchemaReader::member(operation, "responses").items()) {
                if (!status.starts_with('2'))
                    continue;
                SchemaFields envelope;
                reader.read(reader.contentOf(response), envelope);
                if (const SchemaFields* const data = envelope.find("data"))
                    for (const SchemaFields& object : data->fields)
                        merge(object, output);
            }
    }
}

/// A place in a body, written out only when it is told.
struct Place {
    const Place* above = nullptr;
    std::string_view name;
    std::optional<std::size_t> index = std::nullopt;

    std::string text() const {
        const std::string before = above == nullptr ? std::string() : above->text() + ".";
        return before + std::string(name) + (index ? "[" + std::to_string(*index) + "]" : std::string());
    }
};

/// The client chose it, and it is sent back.
constexpr std::size_t LONGEST_ECHO = 64;

std::string cut(std::string_view name) {
    if (name.size() <= LONGEST_ECHO)
        return std::string(name);
    std::size_t length = LONGEST_ECHO;
    while (length > 0 && (static_cast<unsigned char>(name[length]) & 0xC0U) == 0x80U)
        --length; // not through the middle of a character
    return std::string(name.substr(0, length)) + "...";
}

Detail unknownName(const char* kind, std::string field, std::string_view name, std::span<const std::string> known) {
    const std::string nearest = name.size() <= LONGEST_ECHO ? suggestion(name, known) : std::string();
    return {std::move(field), "unknown", std::string("unknown ") + kind + " '" + cut(name) + "'" + nearest};
}

std::vector<std::string> namesOf(const SchemaFields& schema) {
    std::vector<std::string> names;
    for (const SchemaFields& field : schema.fields)
        names.push_back(field.name);
    return names;
}

/// Compares a body with its schema.
class UnknownFields {
public:
    explicit UnknownFields(std::vector<Detail>& warnings) : _warnings(warnings) {}

    void collect(const JsonObject& object, const SchemaFields& known, const SchemaFields* output, const Place* above) {
        for (const auto& [name, value] : object) {
            if (_warnings.size() >= Response::MAX_WARNINGS)
                return;
            const SchemaFields* const field = known.find(name);
            const SchemaFields* const silent = output == nullptr ? nullptr : output->find(name);
            if (field != nullptr)
                descend(value, *field, silent, {above, name});
            else if (silent == nullptr)
                _warnings.push_back(unknownName("field", Place{above, cut(name)}.text(), name, namesOf(known)));
        }
    }

private:
    void descend(const JsonValue& value, const SchemaFields& known, const SchemaFields* output, Place place) {
        if (!known.isClosed())
            return;
        if (value.isObject())
            collect(value.object(), known, output, &place);
        if (!value.isArray())
            return;
        place.index = 0;
        for (const JsonValue element : value.array()) {
            if (element.isObject())
                collect(element.object(), known, output, &place);
            ++*place.index;
        }
    }

    std::vector<Detail>& _warnings;
};

} // namespace

const SchemaFields* SchemaFields::find(std::string_view field) const {
    const auto found =
        std::lower_bound(fields.begin(), fields.end(), field,
                         [](const SchemaFields& one, std::string_view other) { return one.name < other; });
    return found == fields.end() || found->name != field ? nullptr : &*found;
}

SchemaFields& SchemaFields::at(std::string_view field) {
    auto place = std::lower_bound(fields.begin(), fields.end(), field,
                                  [](const SchemaFields& one, std::string_view other) { return one.name < other; });
    if (place == fields.end() || place->name != field)
        place = fields.insert(place, SchemaFields{std::string(field), {}, false});
    return *place;
}

std::optional<RequestSchema> RequestSchema::of(const std::string& document, const Route& route) {
    return ofPart(Json::parse(document, nullptr, false), route);
}

std::optional<RequestSchema> RequestSchema::ofPart(const Json& whole, const Route& route) try {
    const SchemaReader reader(whole);
    const Json& paths = SchemaReader::member(whole, "paths");
    if (!whole.is_object())
        return std::nullopt;
    const std::string server = serverOf(whole);
    const Json& item = SchemaReader::member(paths, documentedPath(route, server));
    const Json& operation = SchemaReader::member(item, documentedMethod(route.method));
    if (!operation.is_object())
        return std::nullopt;
    RequestSchema schema;
    for (const Json* const part : {&item, &operation})
        for (const auto& given : SchemaReader::member(*part, "parameters")) {
            const Json& parameter = reader.resolve(given);
            if (SchemaReader::member(parameter, "in") == "query" && SchemaReader::member(parameter, "name").is_string())
                schema._parameters.push_back(parameter["name"]);
        }
    reader.read(reader.contentOf(SchemaReader::member(operation, "requestBody")), schema._body);
    readOutput(reader, paths, documentedBase(route.audience, server), schema._output);
    return schema;
} catch (const Json::exception&) {
    return std::nullopt; // such as a reference that is no JSON pointer: `plugin validate` checks documents
}

std::vector<Detail> RequestSchema::unknown(const QueryParameters& query, const JsonObject& body) const {
    std::vector<Detail> warnings;
    for (const auto& [name, value] : query)
        if (std::find(_parameters.begin(), _parameters.end(), name) == _parameters.end() &&
            warnings.size() < Response::MAX_WARNINGS)
            warnings.push_back(unknownName("parameter", cut(name), name, _parameters));
    if (_body.isClosed())
        UnknownFields(warnings).collect(body, _body, &_output, nullptr);
    return warnings;
}

} // namespace supplierd::host
