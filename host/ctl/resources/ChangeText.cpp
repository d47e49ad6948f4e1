#include "host/ctl/resources/ChangeText.h"

#include "host/ctl/terminal/TerminalText.h"

#include <supplierd/Errors.h>
#include <supplierd/JsonBody.h>
#include <supplierd/JsonWriter.h>
#include <supplierd/Validation.h>

#include <map>
#include <set>

namespace supplierd::host {

namespace {

constexpr std::size_t MAX_VALUE = 40;

/// By field, "approval.status" for one within another.
using Values = std::map<std::string, std::string>;

/// On one line and without what a terminal could take for a command; in code points, not bytes.
std::string cut(std::string_view text) {
    std::string quoted;
    appendJsonString(quoted, text);
    quoted = terminalText(std::string_view(quoted).substr(1, quoted.size() - 2));
    if (codePoints(quoted) <= MAX_VALUE)
        return quoted;
    std::size_t length = 0;
    for (std::size_t points = 0; length < quoted.size(); ++length) {
        const bool isFirstByte = (static_cast<unsigned char>(quoted[length]) & 0xC0U) != 0x80U;
        if (isFirstByte && ++points > MAX_VALUE)
            break;
    }
    return quoted.substr(0, length) + "...";
}

std::string shown(const JsonValue& value) {
    if (value.isNull())
        return "none";
    if (value.isNumber())
        return std::string(value.number());
    if (value.isBoolean())
        return value.boolean() ? "yes" : "no";
    if (value.isText())
        return cut(value.text());
    const JsonArray array = value.array();
    std::string text;
    for (const JsonValue element : array) {
        if (element.isObject() || element.isArray())
            return std::to_string(array.size()) + " entries";
        text += (text.empty() ? "" : " ") + shown(element);
    }
    return cut(text);
}

void collect(const JsonObject& object, const std::string& prefix, Values& values) {
    for (const auto& [name, value] : object) {
        const std::string path = prefix + std::string(name);
        if (value.isObject())
            collect(value.object(), path + ".", values);
        else
            values[cut(path)] = shown(value);
    }
}

Values valuesOf(std::string_view text) {
    Values values;
    if (text.empty())
        return values;
    try {
        collect(parseJsonObject(std::string(text)).object(), "", values);
    } catch (const ApiError&) {
        values.clear(); // written by a plugin, which may write what it likes
    }
    return values;
}

} // namespace

std::string describeChange(std::string_view before, std::string_view after) {
    const Values old = valuesOf(before);
    const Values now = valuesOf(after);
    std::set<std::string> names;
    for (const auto* values : {&old, &now})
        for (const auto& [name, value] : *values)
            names.insert(name);
    std::string text;
    for (const auto& name : names) {
        const auto was = old.find(name);
        const auto is = now.find(name);
        if (was != old.end() && is != now.end() && was->second == is->second)
            continue;
        text += (text.empty() ? "" : ", ") + name + ": ";
        if (!before.empty())
            text += (was == old.end() ? "none" : was->second) + " -> ";
        text += is == now.end() ? "none" : is->second;
    }
    return text;
}

} // namespace supplierd::host
