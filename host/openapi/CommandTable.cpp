#include "host/openapi/CommandTable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace supplierd::host {

namespace {

using Json = OpenApiJson;

constexpr int MOST_STEPS = 16;

/// Members that a client gets as the row has them.
constexpr std::array<std::string_view, 14> PLAIN_MEMBERS = {"notes", "examples", "columns", "empty",       "done",
                                                            "hints", "value",    "confirm", "each",        "failures",
                                                            "good",  "save",     "follow",  "needs_option"};
/// `"follow": "job"`: what requestJob() answers, until its job has ended.
constexpr const char* FOLLOWED_JOB = R"json({"path": "/jobs/{job.plugin}/{job.name}", "state": "job.state",
    "while": ["waiting", "running"], "good": ["done"], "done": "job.progress.done", "total": "job.progress.total",
    "what": "job.progress.what", "result": "job.output"})json";
/// Members from which something is made.
constexpr std::array<std::string_view, 6> READ_MEMBERS = {"name", "help", "arguments", "options", "flags", "upload"};

const std::set<std::string, std::less<>> PAGE_PARAMETERS = {"page", "per_page", "cursor"};

const Json& member(const Json& object, std::string_view name) {
    static const Json NOTHING;
    const auto found = object.is_object() ? object.find(name) : object.end();
    return found == object.end() ? NOTHING : *found;
}

std::string textOf(const Json& object, std::string_view name) {
    const auto& text = member(object, name);
    return text.is_string() ? text.get<std::string>() : std::string();
}

/// The row of one operation.
class CommandRow {
public:
    CommandRow(const Json& document, std::string method, std::string path)
        : _document(document), _method(std::move(method)), _path(std::move(path)) {}

    /// Throws std::runtime_error with the reason when it cannot be a command.
    Json read(const Json& item, const Json& operation) {
        _row = operation.at("x-command");
        if (!_row.is_object() || textOf(_row, "name").empty())
            throw std::runtime_error("x-command needs a name");
        requireKnownMembers();
        requireOwnName();
        readParameters(item);
        readParameters(operation);
        addUndeclaredParameters();
        readBody(resolve(member(operation, "requestBody")));
        placeArguments();
        applyOptions();
        Json row = {{"name", textOf(_row, "name")},
                    {"help", helpOf(operation)},
                    {"method", upper(_method)},
                    {"path", _path},
                    {"inputs", _inputs}};
        addFlags(row);
        for (const auto plain : PLAIN_MEMBERS)
            if (_row.contains(plain))
                row[std::string(plain)] = _row[std::string(plain)];
        if (textOf(row, "follow") == "job")
            row["follow"] = Json::parse(FOLLOWED_JOB);
        if (_row.contains("upload"))
            row["upload"] = {{"argument", _row["upload"]}, {"type", _contentType}};
        if (_isPaged)
            row["paged"] = true;
        return row;
    }

private:
    static std::string upper(std::string text) {
        std::transform(text.begin(), text.end(), text.begin(),
                       [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
        return text;
    }

    static std::string optionOf(std::string name) {
        std::replace(name.begin(), name.end(), '_', '-');
        return "--" + name;
    }

    std::string helpOf(const Json& operation) const {
        const auto help = textOf(_row, "help");
        return help.empty() ? textOf(operation, "summary") : help;
    }

    void requireKnownMembers() const {
        for (const auto& [name, value] : _row.items()) {
            const auto isIt = [&](std::string_view known) { return known == name; };
            if (std::none_of(PLAIN_MEMBERS.begin(), PLAIN_MEMBERS.end(), isIt) &&
                std::none_of(READ_MEMBERS.begin(), READ_MEMBERS.end(), isIt))
                throw std::runtime_error(fmt::format("x-command has no member '{}'", name));
        }
    }

    /// The first words of commands that need no server.
    void requireOwnName() const {
        static const std::set<std::string, std::less<>> TAKEN = {"backup",  "completion", "config", "doctor",
                                                                 "migrate", "plugin",     "setup",  "status"};
        const auto name = textOf(_row, "name");
        const auto first = name.substr(0, name.find(' '));
        if (TAKEN.contains(first))
            throw std::runtime_error(
                fmt::format("'{}' is a command of supplierctl itself; choose another first word", first));
    }

    const Json& resolve(const Json& part) const {
        static const Json NOTHING;
        const Json* at = &part;
        for (int steps = 0; at->is_object() && at->contains("$ref"); ++steps) {
            const auto target = textOf(*at, "$ref");
            if (steps == MOST_STEPS || !target.starts_with("#/"))
                return NOTHING;
            const Json::json_pointer pointer(target.substr(1));
            const Json& owner = _document.contains(pointer) ? _document : hostOpenApiPart();
            if (!owner.contains(pointer))
                return NOTHING;
            at = &owner.at(pointer);
        }
        return *at;
    }

    /// The type of a value that may be null, too.
    static std::string typeOf(const Json& schema) {
        const auto& type = member(schema, "type");
        if (type.is_string())
            return type.get<std::string>();
        if (type.is_array())
            for (const auto& one : type)
                if (one != "null")
                    return one.get<std::string>();
        return "string";
    }

    static bool isScalar(const std::string& type) { return type != "object" && type != "array"; }

    /// Nothing for what cannot be written on a command line.
    std::optional<Json> inputOf(const std::string& name, const char* in, const Json& given, const std::string& help) {
        const Json& schema = resolve(given);
        for (const char* const alternatives : {"anyOf", "oneOf"})
            for (const auto& one : member(schema, alternatives))
                if (typeOf(resolve(one)) != "null")
                    return inputOf(name, in, one, help.empty() ? textOf(schema, "description") : help);
        const bool isRepeated = typeOf(schema) == "array";
        const Json& value = isRepeated ? resolve(member(schema, "items")) : schema;
        const auto type = typeOf(value);
        if (!isScalar(type))
            return std::nullopt;
        Json input = {
            {"name", name}, {"in", in}, {"type", type}, {"help", help.empty() ? textOf(schema, "description") : help}};
        if (isRepeated)
            input["repeated"] = true;
        for (const char* const rule : {"minimum", "maximum", "enum"})
            if (value.contains(rule))
                input[rule] = value[rule];
        return input;
    }

    void readParameters(const Json& described) {
        for (const auto& given : member(described, "parameters")) {
            const Json& parameter = resolve(given);
            const auto name = textOf(parameter, "name");
            const auto in = textOf(parameter, "in");
            if (in != "path" && in != "query")
                continue;
            if (in == "query" && PAGE_PARAMETERS.contains(name))
                _isPaged = true;
            auto input = inputOf(name, in == "path" ? "path" : "query", member(parameter, "schema"),
                                 textOf(parameter, "description"));
            if (!input)
                continue;
            if (in == "path" || parameter.value("required", false))
                (*input)["required"] = true;
            add(std::move(*input));
        }
    }

    /// A part need not declare the parameters of its paths: the host does that in the whole document.
    void addUndeclaredParameters() {
        for (std::size_t open = _path.find('{'); open != std::string::npos; open = _path.find('{', open + 1)) {
            const auto name = _path.substr(open + 1, _path.find('}', open) - open - 1);
            if (std::none_of(_inputs.begin(), _inputs.end(), [&](const Json& input) { return input["name"] == name; }))
                add({{"name", name}, {"in", "path"}, {"type", "string"}, {"help", ""}, {"required", true}});
        }
    }

    void readBody(const Json& body) {
        const Json& content = member(body, "content");
        if (!content.is_object() || content.empty())
            return;
        _contentType = content.begin().key();
        if (!_row.contains("upload"))
            readProperties(resolve(member(*content.begin(), "schema")), 0);
    }

    void readProperties(const Json& schema, int depth) {
        if (depth == MOST_STEPS)
            return;
        for (const auto& one : member(schema, "allOf"))
            readProperties(resolve(one), depth + 1);
        const Json& required = member(schema, "required");
        for (const auto& [name, property] : member(schema, "properties").items()) {
            if (resolve(property).value("readOnly", false))
                continue;
            auto input = inputOf(name, "body", property, textOf(property, "description"));
            if (!input)
                continue;
            if (required.is_array() && std::find(required.begin(), required.end(), name) != required.end())
                (*input)["required"] = true;
            add(std::move(*input));
        }
    }

    void add(Json input) {
        const auto name = input["name"].get<std::string>();
        const auto known = std::find_if(_inputs.begin(), _inputs.end(), [&](const Json& one) {
            return one["name"] == name && (one["in"] == "body") == (input["in"] == "body");
        });
        if (known != _inputs.end())
            *known = std::move(input);
        else
            _inputs.push_back(std::move(input));
    }

    Json& inputNamed(const std::string& name) {
        const auto found =
            std::find_if(_inputs.begin(), _inputs.end(), [&](const Json& input) { return input["name"] == name; });
        if (found == _inputs.end())
            throw std::runtime_error(fmt::format("x-command names '{}', which the operation does not take", name));
        return *found;
    }

    /// Those that are given by position come first, in their order.
    void placeArguments() {
        std::vector<std::string> names;
        if (_row.contains("arguments"))
            for (const auto& name : _row["arguments"])
                names.push_back(name.get<std::string>());
        else
            for (const auto& input : _inputs)
                if (input["in"] == "path")
                    names.push_back(input["name"].get<std::string>());
        Json placed = Json::array();
        for (auto name : names) {
            const bool isRepeated = name.ends_with("...");
            if (isRepeated)
                name.resize(name.size() - 3);
            Json& input = inputNamed(name);
            input["argument"] = upper(name);
            if (isRepeated)
                input["repeated"] = true;
            placed.push_back(input);
        }
        for (auto& input : _inputs)
            if (!input.contains("argument")) {
                input["option"] = optionOf(input["name"].get<std::string>());
                placed.push_back(input);
            }
        _inputs = std::move(placed);
    }

    void applyOptions() {
        std::set<std::string> left;
        for (const auto& [name, change] : member(_row, "options").items()) {
            Json& input = inputNamed(name);
            const auto& named = change.is_object() ? member(change, "name") : change;
            if (change.is_boolean() && !change.get<bool>())
                left.insert(name);
            else if (named.is_string())
                input[input.contains("argument") ? "argument" : "option"] = named;
            for (const char* const key : {"help", "default", "file", "required", "pieces"})
                if (change.is_object() && change.contains(key))
                    input[key] = change[key];
        }
        Json kept = Json::array();
        for (auto& input : _inputs)
            if (!left.contains(input["name"].get<std::string>()))
                kept.push_back(std::move(input));
        _inputs = std::move(kept);
    }

    void addFlags(Json& row) const {
        for (const auto& [option, flag] : member(_row, "flags").items()) {
            if (!member(flag, "set").is_object())
                throw std::runtime_error(fmt::format("x-command: the flag '{}' sets nothing", option));
            Json set = Json::array();
            for (const auto& [name, value] : flag["set"].items())
                set.push_back({{"name", name}, {"in", placeOf(name)}, {"value", value}});
            row["flags"].push_back({{"option", option}, {"help", textOf(flag, "help")}, {"set", std::move(set)}});
        }
    }

    std::string placeOf(const std::string& name) const {
        for (const auto& input : _inputs)
            if (input["name"] == name)
                return input["in"].get<std::string>();
        return _contentType.empty() || _row.contains("upload") ? "query" : "body";
    }

    const Json& _document;
    const std::string _method;
    const std::string _path;
    Json _row;
    Json _inputs = Json::array();
    std::string _contentType;
    bool _isPaged = false;
};

} // namespace

Json commandTable(const Json& document, std::vector<std::string>& problems) {
    Json table = Json::array();
    std::map<std::string, std::string> known;
    for (const auto& [path, item] : member(document, "paths").items())
        for (const auto method : DOCUMENTED_METHODS) {
            const Json& operation = member(item, method);
            if (!operation.is_object() || !operation.contains("x-command"))
                continue;
            const auto where = fmt::format("{} {}", method, path);
            try {
                Json row = CommandRow(document, std::string(method), path).read(item, operation);
                const auto [other, isNew] = known.emplace(row["name"].get<std::string>(), where);
                if (!isNew)
                    throw std::runtime_error(
                        fmt::format("the command '{}' belongs to {} already", other->first, other->second));
                table.push_back(std::move(row));
            } catch (const std::exception& problem) {
                problems.push_back(fmt::format("{}: {}", where, problem.what()));
            }
        }
    return table;
}

} // namespace supplierd::host
