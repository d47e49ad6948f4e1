#include "host/ctl/client/CommandInputs.h"

#include "host/auth/ApiKey.h"
#include "host/ctl/terminal/Terminal.h"

#include <Poco/URI.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

namespace supplierd::host {

namespace {

/// Arguments can be seen by everybody on the machine; never echoed.
void requireNoSecret(const std::string& value) {
    if (maskedKeys(value) != value)
        throw CommandFailure("name a key by its id or by its first characters, never by the whole: arguments can be "
                             "seen by everybody on this machine",
                             ExitCode::Usage);
}

std::string firstLineOf(const std::string& file) {
    std::ifstream in(file);
    std::string line;
    if (!std::getline(in, line))
        throw CommandFailure("cannot read " + file, ExitCode::Usage);
    return line;
}

/// Of an option or argument: what --help says of it, beside the column of the names.
std::string helpOf(const ResponseJson& rule) {
    constexpr std::size_t COLUMNS = 70;
    return wrapped(rule.value("help", ""), COLUMNS);
}

CLI::Validator rangeOf(const ResponseJson& rule) {
    const auto check = [rule](const std::string& given) {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), number);
        if (error != std::errc() || end != given.data() + given.size())
            return fmt::format("'{}' is no whole number", given);
        if (number < rule.value("minimum", INT64_MIN) || number > rule.value("maximum", INT64_MAX))
            return fmt::format("{} is not from {} to {}", number, rule.value("minimum", INT64_MIN),
                               rule.value("maximum", INT64_MAX));
        return std::string();
    };
    return {check, ""};
}

std::string textOf(const ResponseJson& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

ResponseJson jsonOf(const ResponseJson& rule, const std::string& value) {
    const auto type = rule.value("type", "string");
    if (type == "string")
        return value;
    auto parsed = ResponseJson::parse(value, nullptr, false);
    return parsed.is_discarded() ? ResponseJson(value) : parsed; // the server says what is wrong with it
}

bool isFlag(const ResponseJson& rule) {
    return rule.value("type", "") == "boolean" && rule.contains("option");
}

/// "--products" as "--no-products", for one that is on unless it is given.
std::string offSwitch(const std::string& option) {
    return "--no-" + option.substr(2);
}

bool isPlaceInList(const ResponseJson& rule) {
    static const std::set<std::string> NAMES = {"page", "per_page", "cursor"};
    return rule.value("in", "") == "query" && NAMES.contains(rule.value("name", ""));
}

} // namespace

std::string urlEncoded(const std::string& text) {
    std::string result;
    Poco::URI::encode(text, "!#$&'()*+,/:;=?@[]%", result);
    return result;
}

void CommandInputs::declare(CLI::App& command) {
    const auto& inputs = _row.at("inputs");
    _inputs.reserve(inputs.size()); // options keep references
    for (const auto& rule : inputs)
        declareInput(command, _inputs.emplace_back(Input{rule, {}, false}));
    for (const auto& flag : _row.value("flags", ResponseJson::array()))
        command.add_flag(flag.at("option").get<std::string>(), _flags[flag.at("option").get<std::string>()],
                         helpOf(flag));
    declareFiles(command);
    if (_row.contains("confirm"))
        command.add_flag("-y,--yes", isSure, "Ask nothing");
    if (_row.value("paged", false))
        command.add_flag("--all", wantsAll, "All pages, one after the other");
    if (_row.contains("follow"))
        command.add_flag("--no-wait", returnsAtOnce, "Return at once; the server goes on, see `supplierctl job list`");
}

void CommandInputs::declareInput(CLI::App& command, Input& input) {
    const auto& rule = input.rule;
    const auto help = helpOf(rule);
    if (isFlag(rule)) {
        const auto option = rule.at("option").get<std::string>();
        command.add_flag(rule.value("default", false) ? offSwitch(option) : option, input.isSet, help);
        return;
    }
    const auto name = rule.contains("argument") ? rule.at("argument") : rule.at("option");
    auto* const option = command.add_option(name.get<std::string>(), input.values, help);
    const bool isMany = rule.value("repeated", false) || (_row.value("each", false) && rule.value("in", "") == "path");
    option->expected(isMany ? -1 : 1)->allow_extra_args(isMany && rule.contains("argument"));
    option->required(rule.value("required", false) && !rule.contains("default"));
    if (rule.contains("default"))
        option->default_str(textOf(rule["default"]));
    if (!isMany || !rule.contains("argument"))
        option->multi_option_policy(isMany ? CLI::MultiOptionPolicy::TakeAll : CLI::MultiOptionPolicy::Throw);
    if (rule.contains("enum")) {
        std::vector<std::string> known;
        for (const auto& value : rule["enum"])
            if (!value.is_null())
                known.push_back(textOf(value));
        option->check(CLI::IsMember(known).description(""))->type_name(fmt::format("{}", fmt::join(known, "|")));
    } else if (rule.value("type", "") == "integer") {
        option->check(rangeOf(rule))->type_name("NUMBER");
    } else if (rule.value("type", "") == "number") {
        option->type_name("NUMBER");
    }
    if (rule.value("file", false))
        option->type_name("FILE");
}

void CommandInputs::declareFiles(CLI::App& command) {
    if (_row.contains("upload"))
        command.add_option(_row["upload"].at("argument").get<std::string>(), file, "The file; - is standard input")
            ->required();
    if (_row.contains("save"))
        command.add_option(_row.value("save", "FILE"), file, "Where to; - is standard output")->required();
}

void CommandInputs::check() const {
    for (const auto& input : _inputs)
        for (const auto& value : input.values)
            requireNoSecret(value);
    std::vector<std::string> options;
    bool isGiven = !_row.value("needs_option", false);
    for (const auto& input : _inputs)
        if (input.rule.contains("option")) {
            options.push_back(input.rule["option"]);
            isGiven = isGiven || input.isSet || !input.values.empty();
        }
    for (const auto& [flag, isSet] : _flags) {
        options.push_back(flag);
        isGiven = isGiven || isSet;
    }
    if (!isGiven)
        throw CommandFailure(
            fmt::format("there is nothing to change; give at least one of {}", fmt::join(options, ", ")),
            ExitCode::Usage);
}

std::vector<std::string> CommandInputs::each() const {
    std::vector<std::string> all;
    for (const auto& input : _inputs)
        if (input.rule.value("in", "") == "path")
            all = input.values;
    return all;
}

CommandInputs::Places CommandInputs::places(const std::string& each) const {
    Places places;
    for (const auto& input : _inputs)
        if (!input.values.empty())
            places[input.rule.at("name")] =
                input.rule.value("in", "") == "path" && !each.empty() ? each : input.values.front();
        else if (input.isSet)
            places[input.rule.at("name")] = "true";
    return places;
}

std::vector<std::string> CommandInputs::valuesOf(const Input& input) const {
    const auto& rule = input.rule;
    if (isFlag(rule))
        return input.isSet != rule.value("default", false) ? std::vector<std::string>{"true"}
                                                           : std::vector<std::string>();
    if (input.values.empty() && rule.contains("default"))
        return {filledIn(textOf(rule["default"]), {}, {{"FILE", std::filesystem::path(file).filename().string()}})};
    if (!input.values.empty() && rule.value("file", false))
        return {firstLineOf(input.values.front())};
    return input.values;
}

/// What the flags that were given set in this place.
std::vector<ResponseJson> CommandInputs::setByFlags(const std::string& place) const {
    std::vector<ResponseJson> all;
    for (const auto& flag : _row.value("flags", ResponseJson::array()))
        if (_flags.at(flag.at("option")))
            for (const auto& set : flag.at("set"))
                if (set.value("in", "") == place)
                    all.push_back(set);
    return all;
}

std::map<std::string, std::string> CommandInputs::names() const {
    std::map<std::string, std::string> names;
    for (const auto& input : _inputs)
        names[input.rule.at("name")] =
            textOf(input.rule.contains("argument") ? input.rule["argument"] : input.rule["option"]);
    for (const auto& flag : _row.value("flags", ResponseJson::array()))
        if (_flags.at(flag.at("option")))
            for (const auto& set : flag.at("set"))
                names[set.at("name")] = flag.at("option");
    return names;
}

std::string CommandInputs::path(const Places& places) const {
    std::string path = _row.at("path");
    for (const auto& [name, value] : places)
        if (const auto at = path.find("{" + name + "}"); at != std::string::npos) {
            if (value.empty() || value == "." || value == "..") // would be another path
                throw CommandFailure(fmt::format("'{}' names nothing", value), ExitCode::Usage);
            path.replace(at, name.size() + 2, urlEncoded(value));
        }
    std::string query;
    const auto add = [&](const std::string& name, const std::string& value) {
        query += (query.empty() ? "?" : "&") + name + "=" + urlEncoded(value);
    };
    for (const auto& input : _inputs)
        if (input.rule.value("in", "") == "query" && !(wantsAll && isPlaceInList(input.rule)))
            for (const auto& value : valuesOf(input))
                add(input.rule.at("name"), value);
    for (const auto& set : setByFlags("query"))
        add(set.at("name"), textOf(set.at("value")));
    return path + query;
}

/// "" where no field was given, and the command has none.
std::string CommandInputs::bodyText() const {
    ResponseJson body;
    for (const auto& input : _inputs) {
        if (input.rule.value("in", "") != "body")
            continue;
        if (body.is_null())
            body = ResponseJson::object();
        const auto values = valuesOf(input);
        if (values.empty())
            continue;
        auto& field = body[input.rule.at("name").get<std::string>()];
        if (!input.rule.value("repeated", false))
            field = jsonOf(input.rule, values.front());
        else
            for (const auto& value : values)
                field.push_back(jsonOf(input.rule, value));
    }
    for (const auto& set : setByFlags("body"))
        body[set.at("name").get<std::string>()] = set.at("value");
    if (body.is_null())
        return {};
    try {
        return body.dump();
    } catch (const ResponseJson::type_error&) {
        throw CommandFailure("what was given must be valid UTF-8", ExitCode::Usage);
    }
}

/// One for each piece of what is too long for one.
std::vector<std::string> CommandInputs::bodies() {
    const auto isTooLong = [](const Input& input) {
        return input.rule.contains("pieces") && input.values.size() > input.rule["pieces"].get<std::size_t>();
    };
    const auto found = std::find_if(_inputs.begin(), _inputs.end(), isTooLong);
    if (found == _inputs.end())
        return {bodyText()};
    std::vector<std::string> bodies;
    const auto all = found->values;
    const auto most = found->rule["pieces"].get<std::ptrdiff_t>();
    for (auto at = all.begin(); at != all.end();) {
        const auto end = at + std::min(most, all.end() - at);
        found->values.assign(at, end);
        bodies.push_back(bodyText());
        at = end;
    }
    found->values = all;
    return bodies;
}

} // namespace supplierd::host
