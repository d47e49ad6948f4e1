#include "host/ctl/client/CommandCall.h"

#include "host/auth/ApiKey.h"
#include "host/ctl/client/AnswerPrinter.h"
#include "host/ctl/client/JobFollower.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/ctl/terminal/OpenFile.h"
#include "host/ctl/terminal/Terminal.h"

#include <Poco/URI.h>
#include <Poco/UUIDGenerator.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace supplierd::host {

namespace {

using Places = std::map<std::string, std::string>;

std::string encoded(const std::string& text) {
    std::string result;
    Poco::URI::encode(text, "!#$&'()*+,/:;=?@[]%", result);
    return result;
}

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
std::string helpOf(const AnswerJson& rule) {
    constexpr std::size_t COLUMNS = 70;
    return wrapped(rule.value("help", ""), COLUMNS);
}

CLI::Validator rangeOf(const AnswerJson& rule) {
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

std::string textOf(const AnswerJson& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

AnswerJson jsonOf(const AnswerJson& rule, const std::string& value) {
    const auto type = rule.value("type", "string");
    if (type == "string")
        return value;
    auto parsed = AnswerJson::parse(value, nullptr, false);
    return parsed.is_discarded() ? AnswerJson(value) : parsed; // the server says what is wrong with it
}

bool isFlag(const AnswerJson& rule) {
    return rule.value("type", "") == "boolean" && rule.contains("option");
}

/// "--products" as "--no-products", for one that is on unless it is given.
std::string offSwitch(const std::string& option) {
    return "--no-" + option.substr(2);
}

bool isPlaceInList(const AnswerJson& rule) {
    static const std::set<std::string> NAMES = {"page", "per_page", "cursor"};
    return rule.value("in", "") == "query" && NAMES.contains(rule.value("name", ""));
}

/// Numbers are added up, lists go on; of all else the last counts.
void addTo(AnswerJson& whole, AnswerJson piece) {
    if (whole.is_null()) {
        whole = std::move(piece);
        return;
    }
    for (auto& [name, value] : piece.items()) {
        auto& sum = whole[name];
        if (sum.is_number_integer() && value.is_number_integer())
            sum = sum.get<std::int64_t>() + value.get<std::int64_t>();
        else if (sum.is_array() && value.is_array())
            sum.insert(sum.end(), value.begin(), value.end());
        else
            sum = std::move(value);
    }
}

} // namespace

void CommandCall::declare(CLI::App& command) {
    const auto& inputs = _row.at("inputs");
    _inputs.reserve(inputs.size()); // options keep references
    for (const auto& rule : inputs)
        declareInput(command, _inputs.emplace_back(Input{rule, {}, false}));
    for (const auto& flag : _row.value("flags", AnswerJson::array()))
        command.add_flag(flag.at("option").get<std::string>(), _flags[flag.at("option").get<std::string>()],
                         helpOf(flag));
    declareFiles(command);
    if (_row.contains("confirm"))
        command.add_flag("-y,--yes", _isSure, "Ask nothing");
    if (_row.value("paged", false))
        command.add_flag("--all", _wantsAll, "All pages, one after the other");
    if (_row.contains("follow"))
        command.add_flag("--no-wait", _returnsAtOnce, "Return at once; the server goes on, see `supplierctl job list`");
}

void CommandCall::declareInput(CLI::App& command, Input& input) {
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

void CommandCall::declareFiles(CLI::App& command) {
    if (_row.contains("upload"))
        command.add_option(_row["upload"].at("argument").get<std::string>(), _file, "The file; - is standard input")
            ->required();
    if (_row.contains("save"))
        command.add_option(_row.value("save", "FILE"), _file, "Where to; - is standard output")->required();
}

void CommandCall::run() {
    for (const auto& input : _inputs)
        for (const auto& value : input.values)
            requireNoSecret(value);
    requireOption();
    confirm();
    if (_row.value("each", false))
        runEach();
    else
        runOnce(placesOf({}));
}

void CommandCall::confirm() {
    if (!_row.contains("confirm") || _isSure)
        return;
    const auto places = placesOf({});
    const auto& rule = _row["confirm"];
    if (const auto condition = textAt(rule, "if"); !condition.empty() && !holds(places, condition))
        return;
    if (_context.json || !_context.isInteractive())
        throw CommandFailure("nothing was done: this cannot be undone, and nobody can be asked, so give --yes too",
                             ExitCode::Usage);
    if (!Terminal().confirm(terminalText(filledIn(textAt(rule, rule.is_string() ? "" : "text"), {}, places)), false))
        throw CommandFailure("nothing was done");
}

/// Each by itself: one that cannot be done does not keep the others from it.
void CommandCall::runEach() {
    std::vector<std::string> all;
    for (const auto& input : _inputs)
        if (input.rule.value("in", "") == "path")
            all = input.values;
    if (all.size() == 1)
        return runOnce(placesOf(all.front()));
    AnswerJson results = AnswerJson::array();
    auto worst = ExitCode::Ok;
    for (const auto& one : all) {
        AnswerJson result = {{"id", one}, {"done", true}, {"problem", nullptr}};
        try {
            send(placesOf(one));
        } catch (const CommandFailure& failure) {
            result["done"] = false;
            result["problem"] = failure.what();
            worst = std::max(worst, failure.exitCode() == ExitCode::Usage ? ExitCode::Failed : failure.exitCode());
        }
        results.push_back(std::move(result));
    }
    _context.print({{"results", std::move(results)}},
                   {{"columns", {{"id", "ID"}, {"done", "DONE"}, {"problem", "PROBLEM"}}}});
    if (worst != ExitCode::Ok)
        throw ReportedFailure{worst};
}

/// Where a command does nothing by its arguments alone.
void CommandCall::requireOption() const {
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

void CommandCall::runOnce(const Places& places) {
    auto data = send(places);
    bool isGood = true;
    if (_row.contains("save"))
        return;
    if (_row.contains("follow") && _returnsAtOnce) { // the row describes how it ends
        AnswerPrinter(_context, AnswerJson::object(), places).print(data);
        return;
    }
    if (_row.contains("follow"))
        data = JobFollower(_context, _row.at("follow")).follow(data, isGood);
    if (!(AnswerPrinter(_context, _row, places).print(data) && isGood))
        throw ReportedFailure();
}

AnswerJson CommandCall::send(const Places& places) {
    ServerRequest request;
    request.method = _row.at("method");
    request.path = pathFor(places);
    request.names = namesOfFields();
    std::ifstream file;
    if (_row.contains("upload")) {
        request.contentType = _row["upload"].value("type", "application/json");
        request.upload = &std::cin;
        if (_file != "-") {
            file.open(_file, std::ios::binary);
            if (!file || std::filesystem::is_directory(_file))
                throw CommandFailure("cannot read " + _file);
            request.upload = &file;
        }
        return _context.connection().data(request);
    }
    if (request.method != "GET")
        return sendInPieces(std::move(request));
    if (_row.contains("save")) {
        save(request);
        return {};
    }
    return _wantsAll ? sendForAllPages(std::move(request)) : _context.connection().data(request);
}

/// One request for each piece of what is too long for one; their answers become one.
AnswerJson CommandCall::sendInPieces(ServerRequest request) {
    const auto isTooLong = [](const Input& input) {
        return input.rule.contains("pieces") && input.values.size() > input.rule["pieces"].get<std::size_t>();
    };
    const auto found = std::find_if(_inputs.begin(), _inputs.end(), isTooLong);
    std::vector<std::string> rest;
    if (found != _inputs.end())
        rest = std::exchange(found->values, {});
    AnswerJson whole;
    do {
        if (!rest.empty()) {
            const auto size = std::min(rest.size(), found->rule["pieces"].get<std::size_t>());
            found->values.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size));
            rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size));
        }
        request.body = bodyText();
        request.idempotencyKey = Poco::UUIDGenerator().createRandom().toString();
        addTo(whole, _context.connection().data(request));
    } while (!rest.empty());
    return whole;
}

AnswerJson CommandCall::sendForAllPages(ServerRequest request) {
    const auto path = request.path + (request.path.find('?') == std::string::npos ? "?" : "&");
    AnswerJson all;
    std::string items;
    for (std::string cursor;;) {
        request.path = path + "per_page=100" + (cursor.empty() ? "" : "&cursor=" + encoded(cursor));
        auto page = _context.connection().data(request);
        if (all.is_null()) {
            all = page;
            items = listIn(page);
        } else {
            for (auto& item : page.at(items))
                all[items].push_back(std::move(item));
        }
        const auto before = std::exchange(cursor, textAt(page, "pagination.next_cursor"));
        if (!cursor.empty() && cursor == before)
            throw CommandFailure("the list of the server does not end");
        if (cursor.empty()) {
            all.erase("pagination");
            return all;
        }
    }
}

/// Under its own name only once it is whole.
void CommandCall::save(ServerRequest& request) {
    const auto send = [&](const std::function<void(std::string_view)>& to) {
        constexpr int FIRST_BAD = 300;
        request.save = to;
        if (const auto answer = _context.connection().send(request); answer.status >= FIRST_BAD)
            throw ServerConnection::failureOf(answer, request.names);
    };
    if (_file == "-")
        return send([&](std::string_view piece) { _context.out() << piece; });
    // Nobody else's file, and none that a link of somebody else leads to.
    const auto unfinished = fmt::format("{}.part-{}", _file, ::getpid());
    const InterruptFlag interrupt;
    OpenFile file(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
    try {
        send([&](std::string_view piece) {
            if (interrupt.isRaised())
                throw CommandFailure("interrupted; nothing is left of " + _file);
            file.write(piece);
        });
        file.close();
        std::filesystem::rename(unfinished, _file);
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove(unfinished, ignored);
        throw;
    }
    _context.err() << "written: " << terminalText(_file) << "\n";
}

Places CommandCall::placesOf(const std::string& each) const {
    Places places;
    for (const auto& input : _inputs)
        if (!input.values.empty())
            places[input.rule.at("name")] =
                input.rule.value("in", "") == "path" && !each.empty() ? each : input.values.front();
        else if (input.isSet)
            places[input.rule.at("name")] = "true";
    return places;
}

std::vector<std::string> CommandCall::valuesOf(const Input& input) const {
    const auto& rule = input.rule;
    if (isFlag(rule))
        return input.isSet != rule.value("default", false) ? std::vector<std::string>{"true"}
                                                           : std::vector<std::string>();
    if (input.values.empty() && rule.contains("default"))
        return {filledIn(textOf(rule["default"]), {}, {{"FILE", std::filesystem::path(_file).filename().string()}})};
    if (!input.values.empty() && rule.value("file", false))
        return {firstLineOf(input.values.front())};
    return input.values;
}

/// What the flags that were given set in this place.
std::vector<AnswerJson> CommandCall::setByFlags(const std::string& place) const {
    std::vector<AnswerJson> all;
    for (const auto& flag : _row.value("flags", AnswerJson::array()))
        if (_flags.at(flag.at("option")))
            for (const auto& set : flag.at("set"))
                if (set.value("in", "") == place)
                    all.push_back(set);
    return all;
}

std::map<std::string, std::string> CommandCall::namesOfFields() const {
    std::map<std::string, std::string> names;
    for (const auto& input : _inputs)
        names[input.rule.at("name")] =
            textOf(input.rule.contains("argument") ? input.rule["argument"] : input.rule["option"]);
    for (const auto& flag : _row.value("flags", AnswerJson::array()))
        if (_flags.at(flag.at("option")))
            for (const auto& set : flag.at("set"))
                names[set.at("name")] = flag.at("option");
    return names;
}

std::string CommandCall::pathFor(const Places& places) const {
    std::string path = _row.at("path");
    for (const auto& [name, value] : places)
        if (const auto at = path.find("{" + name + "}"); at != std::string::npos) {
            if (value.empty() || value == "." || value == "..") // would be another path
                throw CommandFailure(fmt::format("'{}' names nothing", value), ExitCode::Usage);
            path.replace(at, name.size() + 2, encoded(value));
        }
    std::string query;
    const auto add = [&](const std::string& name, const std::string& value) {
        query += (query.empty() ? "?" : "&") + name + "=" + encoded(value);
    };
    for (const auto& input : _inputs)
        if (input.rule.value("in", "") == "query" && !(_wantsAll && isPlaceInList(input.rule)))
            for (const auto& value : valuesOf(input))
                add(input.rule.at("name"), value);
    for (const auto& set : setByFlags("query"))
        add(set.at("name"), textOf(set.at("value")));
    return path + query;
}

/// "" where no field was given, and the command has none.
std::string CommandCall::bodyText() const {
    AnswerJson body;
    for (const auto& input : _inputs) {
        if (input.rule.value("in", "") != "body")
            continue;
        if (body.is_null())
            body = AnswerJson::object();
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
    } catch (const AnswerJson::type_error&) {
        throw CommandFailure("what was given must be valid UTF-8", ExitCode::Usage);
    }
}

} // namespace supplierd::host
