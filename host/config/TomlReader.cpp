#include "host/config/TomlReader.h"

#include "host/config/ServerAccount.h"
#include "host/config/TomlProblem.h"

#include <toml++/toml.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

namespace supplierd::host {

namespace {

/// None of what stands in no file.
ConfigPosition positionOf(const toml::source_region& source, const std::string& file) {
    if (file.empty())
        return {};
    return {file, static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)};
}

ConfigValue convert(const toml::node& node, const std::string& file);

ConfigTable convertTable(const toml::table& table, const std::string& file) {
    ConfigTable converted;
    for (const auto& [key, node] : table)
        converted.entries.emplace(std::string(key.str()),
                                  ConfigEntry{positionOf(key.source(), file), convert(node, file)});
    return converted;
}

ConfigValue convert(const toml::node& node, const std::string& file) {
    ConfigValue value{ConfigValue::Foreign{"a date or time"}, positionOf(node.source(), file)};
    if (const auto* boolean = node.as_boolean()) {
        value.data = boolean->get();
    } else if (const auto* integer = node.as_integer()) {
        value.data = integer->get();
    } else if (const auto* floating = node.as_floating_point()) {
        value.data = floating->get();
    } else if (const auto* text = node.as_string()) {
        value.data = text->get();
    } else if (const auto* table = node.as_table()) {
        value.data = convertTable(*table, file);
    } else if (const auto* array = node.as_array()) {
        std::vector<ConfigValue> items;
        for (const toml::node& item : *array)
            items.push_back(convert(item, file));
        value.data = std::move(items);
    }
    return value;
}

std::optional<std::string> readWhole(const std::filesystem::path& file, Diagnostics& problems) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) {
        problems.error({file.string()}, "this is a folder, a configuration file is needed");
        return std::nullopt;
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"), &std::fclose);
    if (!stream) {
        const int reason = errno;
        std::string message = std::string("cannot be read: ") + std::strerror(reason);
        if (reason == ENOENT)
            message = "there is no such configuration file; name the right one with --config=FILE, or copy the "
                      "example supplierd.toml to this place";
        else if (reason == EACCES)
            message += "; run this as root, and let the server's user read it: " +
                       commandsToLetTheServerRead(file).value_or("chown or chgrp");
        problems.error({file.string()}, std::move(message));
        return std::nullopt;
    }
    std::string text;
    char buffer[16'384];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, stream.get()))
        text.append(buffer, got);
    if (std::ferror(stream.get())) {
        problems.error({file.string()}, std::string("cannot be read: ") + std::strerror(errno));
        return std::nullopt;
    }
    return text;
}

} // namespace

std::optional<ConfigTable> readTomlFile(const std::filesystem::path& file, Diagnostics& problems) {
    const auto text = readWhole(file, problems);
    if (!text)
        return std::nullopt;
    try {
        return convertTable(toml::parse(*text), file.string());
    } catch (const toml::parse_error& error) {
        const auto position = positionOf(error.source(), file.string());
        problems.error(position, describeTomlProblem(error.description(), *text, position.line));
        return std::nullopt;
    }
}

std::optional<ConfigValue> readTomlValue(std::string_view text) {
    try {
        const toml::table table = toml::parse("value = " + std::string(text));
        if (table.size() != 1)
            return std::nullopt;
        return convert(*table.get("value"), {});
    } catch (const toml::parse_error&) {
        return std::nullopt;
    }
}

} // namespace supplierd::host
