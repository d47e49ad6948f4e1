#include "host/Version.h"
#include "host/ctl/terminal/Commands.h"
#include "host/ctl/terminal/ControlContext.h"
#include "host/plugins/PluginNoteReader.h"
#include "host/plugins/RoutePattern.h"

#include <supplierd/Assets.h>
#include <supplierd/Request.h>

#include <Poco/Environment.h>
#include <Poco/String.h>

#include <CLI/CLI.hpp>
#include <PluginTemplate.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace supplierd::host {

namespace {

namespace fs = std::filesystem;

/// Targets that CMake makes itself, names of packages, and plugins that are there already (plugins/list).
constexpr std::array TAKEN = {"all",       "clean",   "help", "install", "package", "rebuild-cache",          "test",
                              "supplierd", "cppunit", "dev",  "full",    "abi",     SUPPLIERD_BUNDLED_PLUGINS};
constexpr std::array METHODS = {Method::Get, Method::Post, Method::Put, Method::Patch, Method::Delete};
constexpr std::string_view PARTS = "parts/";
constexpr std::string_view IN = ".in";

[[noreturn]] void refuse(const std::string& message) {
    throw CommandFailure(message, ExitCode::Usage);
}

void checkName(const std::string& name) {
    if (!isPluginId(name) || name.front() < 'a' || name.front() > 'z' || name.back() == '-' ||
        name.find("--") != std::string::npos)
        refuse(fmt::format("'{}' is no name for a plugin: 1 to 32 of a-z, 0-9 and single dashes, a letter first, as in "
                           "'price-alerts'",
                           name));
    if (std::find(TAKEN.begin(), TAKEN.end(), name) != TAKEN.end())
        refuse(fmt::format("'{}' is taken, by supplierd or by CMake; choose another name", name));
}

/// "price-alerts" is "PriceAlerts".
std::string className(const std::string& name) {
    std::string result;
    bool isFirst = true;
    for (const char c : name) {
        if (c != '-')
            result += isFirst ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        isFirst = c == '-';
    }
    return result;
}

std::string fromEnvironment(const char* name, const std::string& otherwise) {
    const auto value = Poco::Environment::get(name, "");
    return value.empty() ? otherwise : value;
}

std::string now(const char* format) {
    return fmt::format(fmt::runtime(std::string("{:") + format + "}"), fmt::gmtime(std::time(nullptr)));
}

/// A new plugin's source tree, made from the files in sdk/template.
class PluginProject {
public:
    struct File {
        std::filesystem::path path; ///< within the project
        std::string text;
        bool isProgram = false;
    };

    /// `route` is "GET /path", relative to /api/v1/supplier. Throws CommandFailure (Usage) saying what is wrong with
    /// the name or the route.
    PluginProject(const std::string& name, std::string_view route) : _name(name) {
        checkName(name);
        readRoute(route);
        fillNames();
        fillPaths();
        fillKind();
    }

    std::vector<File> files() const {
        std::vector<File> files;
        for (const auto& asset : plugin_template::assets()) {
            if (asset.path.starts_with(PARTS))
                continue;
            std::string name(asset.path);
            if (name.ends_with(IN)) { // kept from tools that take it for C++
                name.resize(name.size() - IN.size());
                name.insert(name.find('/') + 1, _values.at("CLASS"));
            } else if (name == "conf/NAME.toml") {
                name = "conf/" + _name + ".toml";
            }
            files.push_back({name, expand(asset.bytes), name == "debian/rules"});
        }
        return files;
    }

    /// Throws CommandFailure when there is something in `folder` already, std::filesystem::filesystem_error.
    void write(const std::filesystem::path& folder) const {
        if (fs::exists(fs::symlink_status(folder)) && (!fs::is_directory(folder) || !fs::is_empty(folder)))
            throw CommandFailure(fmt::format("{} is there already, and not an empty folder; nothing was written. Name "
                                             "another with --output",
                                             folder.string()));
        for (const File& file : files()) {
            const fs::path place = folder / file.path;
            fs::create_directories(place.parent_path());
            std::ofstream out(place, std::ios::binary);
            out << file.text;
            if (!out.flush())
                throw fs::filesystem_error("cannot write", place, std::make_error_code(std::errc::io_error));
            if (file.isProgram)
                fs::permissions(place, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                                fs::perm_options::add);
        }
    }

private:
    void readRoute(std::string_view route) {
        const std::size_t blank = route.find(' ');
        const std::string_view method = route.substr(0, blank);
        const auto found =
            std::find_if(METHODS.begin(), METHODS.end(), [&](Method known) { return methodName(known) == method; });
        if (blank == std::string_view::npos || found == METHODS.end())
            refuse(fmt::format("'{}' is no route: it begins with GET, POST, PUT, PATCH or DELETE and a blank, as in "
                               "'GET /wishes'",
                               route));
        _method = *found;
        const std::string_view pattern = route.substr(blank + 1);
        try {
            _pattern = RoutePattern::parse(pattern);
        } catch (const std::invalid_argument& error) {
            refuse(error.what());
        }
        if (_pattern.segments.empty() || pattern == "/api" || pattern.starts_with("/api/"))
            refuse("the path is relative to /api/v1/supplier: give what comes behind that, as in 'GET /wishes'");
        _values["PATTERN"] = pattern;
    }

    void fillNames() {
        std::string identifier = _name;
        std::replace(identifier.begin(), identifier.end(), '-', '_');
        _values["NAME"] = _name;
        _values["IDENTIFIER"] = identifier;
        _values["CLASS"] = className(_name);
        _values["ABI"] = SDK_ABI_TEXT;
        _values["MAINTAINER"] = fmt::format("{} <{}>", fromEnvironment("DEBFULLNAME", "The makers of " + _name),
                                            fromEnvironment("DEBEMAIL", _name + "@example.org"));
        _values["DATE"] = now("%a, %d %b %Y %H:%M:%S +0000");
        _values["YEAR"] = now("%Y");
    }

    void fillPaths() {
        std::string documented;
        std::string example;
        std::string written;
        std::string parameters;
        for (const auto& segment : _pattern.segments) {
            const bool isInteger = segment.kind == RoutePattern::Kind::Integer;
            if (segment.kind == RoutePattern::Kind::Literal) {
                documented += "/" + segment.text;
                example += "/" + segment.text;
                continue;
            }
            documented += "/{" + segment.text + "}";
            example += isInteger ? "/7" : "/red";
            written += fmt::format("            json.field(\"{0}\", request.{1}(\"{0}\"));\n", segment.text,
                                   isInteger ? "pathInteger" : "pathText");
            parameters +=
                fmt::format(R"({}{{"name": "{}", "in": "path", "required": true, "schema": {{"type": "{}"}}}})",
                            parameters.empty() ? "" : ", ", segment.text, isInteger ? "integer" : "string");
        }
        _values["OPENAPI_PATH"] = documented;
        _values["EXAMPLE_PATH"] = example;
        _values["PARAMETERS"] = written.empty() ? ""
                                                : "            json.key(\"path\").beginObject();\n" + written +
                                                      "            json.endObject();";
        _values["OPENAPI_PARAMETERS"] = parameters.empty() ? "" : "\n        \"parameters\": [" + parameters + "],";
    }

    void fillKind() {
        const bool writes = _method == Method::Post || _method == Method::Put || _method == Method::Patch;
        readParts(std::string(PARTS) + (writes ? "add" : _method == Method::Delete ? "remove" : "list"));
        const std::string method(methodName(_method));
        _values["METHOD"] = method;
        _values["METHOD_LOWER"] = Poco::toLower(method);
        _values["METHOD_NAME"] = className(Poco::toLower(method));
        _values["OPERATION"] = Poco::toLower(method) + _values["CLASS"];
        _values["STATUS"] = _method == Method::Post ? "201" : "200";
        _values["SCOPE"] = _name + (_method == Method::Get ? ":read" : ":write");
        if (!_values["CURL"].empty())
            _values["CURL"] += ' ';
    }

    /// A line "@@NAME" begins the text of @NAME@.
    void readParts(std::string_view path) {
        const auto assets = plugin_template::assets();
        const auto file = std::ranges::find(assets, path, &EmbeddedAsset::path);
        std::istringstream lines{std::string(file->bytes)};
        std::string* value = nullptr;
        bool isFirst = true;
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("@@")) {
                value = &_values[line.substr(2)];
                isFirst = true;
                continue;
            }
            value->append(isFirst ? "" : "\n").append(line);
            isFirst = false;
        }
    }

    /// Replaces every @NAME@ that has a value, also within values. A line that is nothing but an empty value goes.
    std::string expand(std::string_view text) const {
        std::string result;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t begin = text.find('@', at);
            const std::size_t end = begin == std::string_view::npos ? begin : text.find('@', begin + 1);
            if (end == std::string_view::npos) {
                result += text.substr(at);
                break;
            }
            const auto value = _values.find(text.substr(begin + 1, end - begin - 1));
            if (value == _values.end()) {
                result += text.substr(at, begin + 1 - at);
                at = begin + 1;
                continue;
            }
            result += text.substr(at, begin - at);
            result += expand(value->second);
            at = end + 1;
            if (value->second.empty() && (result.empty() || result.back() == '\n') && at < text.size() &&
                text[at] == '\n')
                ++at;
        }
        return result;
    }

    std::string _name;
    Method _method = Method::Get;
    RoutePattern _pattern;
    std::map<std::string, std::string, std::less<>> _values; ///< what stands for @NAME@ and the like
};

struct NewPlugin {
    std::string name;
    std::string route;
    std::string output;
};

void makeProject(ControlContext& context, const NewPlugin& wanted) {
    const PluginProject project(wanted.name, wanted.route);
    const std::filesystem::path folder = wanted.output.empty() ? wanted.name : wanted.output;
    project.write(folder);
    if (context.json) {
        ResponseJson answer = {{"project", {{"name", wanted.name}, {"folder", folder.string()}}}};
        for (const auto& file : project.files())
            answer["project"]["files"].push_back(file.path.string());
        context.print(answer);
        return;
    }
    context.out() << fmt::format("{0} is the plugin '{1}', which answers {2}\n", folder.string(), wanted.name,
                                 wanted.route);
    context.err() << fmt::format("Next: cd {0} && cmake -S . -B build && cmake --build build && ctest --test-dir "
                                 "build && supplierctl plugin validate build/{1}.so\n",
                                 folder.string(), wanted.name);
}

} // namespace

void addPluginNewCommand(CLI::App& plugin, ControlContext& context) {
    auto wanted = std::make_shared<NewPlugin>();
    auto* command = plugin.add_subcommand("new", "Make the project of a new plugin, ready to build, test and package");
    command->add_option("NAME", wanted->name, "Its id: 1 to 32 of a-z, 0-9 and dashes")->required();
    command->add_option("--route", wanted->route, "What it answers, as in 'GET /wishes' or 'POST /wishes/{id:int}'")
        ->required()
        ->type_name("'METHOD /PATH'");
    command
        ->add_option("-o,--output", wanted->output, "The folder to make; it must not exist or be empty (default: NAME)")
        ->type_name("DIR");
    command->callback([&context, wanted] { makeProject(context, *wanted); });
}

} // namespace supplierd::host
