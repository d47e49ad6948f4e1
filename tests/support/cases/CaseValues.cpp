#include "tests/support/cases/CaseValues.h"

#include <Poco/URI.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace supplierd::tests {

namespace {

std::size_t endOfQuotes(const std::string& text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\')
            ++at;
    return std::min(at + 1, text.size());
}

/// Behind the bracket that closes the one at `at`.
std::size_t endOfBrackets(const std::string& text, std::size_t at) {
    for (int depth = 0; at < text.size();) {
        const char c = text[at];
        if (c == '"') {
            at = endOfQuotes(text, at);
            continue;
        }
        ++at;
        if (c == '{' || c == '[')
            ++depth;
        else if ((c == '}' || c == ']') && --depth == 0)
            break;
    }
    return at;
}

using Members = std::vector<std::pair<std::string, std::string>>;

/// Names and values as they are written.
Members membersOf(const std::string& object) {
    Members members;
    const auto blank = [&](std::size_t at) { return object.find_first_not_of(" \t\n", at); };
    for (std::size_t at = blank(1); at < object.size() && object[at] == '"';) {
        const std::size_t nameEnd = endOfQuotes(object, at);
        const std::size_t colon = blank(nameEnd);
        const std::size_t value = colon == std::string::npos ? colon : blank(colon + 1);
        if (value == std::string::npos || object[colon] != ':')
            break;
        std::size_t end = value;
        while (end < object.size() && object[end] != ',' && object[end] != '}')
            end = object[end] == '"'                         ? endOfQuotes(object, end)
                  : object[end] == '{' || object[end] == '[' ? endOfBrackets(object, end)
                                                             : end + 1;
        std::string text = object.substr(value, end - value);
        text.erase(text.find_last_not_of(' ') + 1);
        members.emplace_back(object.substr(at + 1, nameEnd - at - 2), text);
        if (end + 1 >= object.size())
            return members;
        at = blank(end + 1);
    }
    if (object == "{}")
        return members;
    throw std::runtime_error("this is no JSON object: " + object);
}

/// Percent-encodes what no URL may hold, after `\u00e9`.
std::string encodedPath(const std::string& text) {
    std::string characters;
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::size_t length = 0;
        while (text.compare(at + length, 2, "\\u") == 0)
            length += 6;
        if (length == 0) {
            characters += text[at];
            continue;
        }
        characters += json::parse('"' + text.substr(at, length) + '"').get<std::string>();
        at += length - 1;
    }
    std::string encoded;
    for (const char c : characters)
        if (static_cast<unsigned char>(c) > ' ' && static_cast<unsigned char>(c) < 0x7F)
            encoded += c;
        else
            Poco::URI::encode(std::string(1, c), "", encoded);
    return encoded;
}

std::string written(const json& value, CasePlace place, bool inQuotes) {
    if (!value.is_string())
        return value.dump();
    const auto text = value.get<std::string>();
    if (place == CasePlace::Path) {
        std::string encoded;
        Poco::URI::encode(text, "&=+#?/;:,%\"\\", encoded);
        return encoded;
    }
    if (place == CasePlace::Json && !inQuotes)
        return value.dump();
    const std::string quoted = value.dump();
    return place == CasePlace::Json  ? quoted.substr(1, quoted.size() - 2)
           : place == CasePlace::Sql ? "'" + std::regex_replace(text, std::regex("'"), "''") + "'"
                                     : text;
}

} // namespace

std::size_t endOfToken(const std::string& text, std::size_t at) {
    while (at < text.size() && text[at] != ' ')
        at = text[at] == '"'                      ? endOfQuotes(text, at)
             : text[at] == '{' || text[at] == '[' ? endOfBrackets(text, at)
                                                  : at + 1;
    return at;
}

std::string mergedText(const std::string& base, const std::string& changes) {
    const Members changed = membersOf(changes);
    std::string text;
    const auto add = [&](const auto& member) {
        if (member.second != "-")
            text += (text.empty() ? "\"" : ", \"") + member.first + "\": " + member.second;
    };
    for (const auto& member : membersOf(base))
        if (std::ranges::none_of(changed, [&](const auto& change) { return change.first == member.first; }))
            add(member);
    std::ranges::for_each(changed, add);
    return "{" + text + "}";
}

std::string memberText(const std::string& object, const std::string& name) {
    if (object.starts_with('{') && object != "{}")
        for (const auto& [member, value] : membersOf(object))
            if (member == name)
                return value;
    return {};
}

std::optional<json> valueAt(const json& found, const std::string& path) {
    if (path.empty())
        return found;
    const auto dot = path.find('.');
    const std::string name = path.substr(0, dot);
    const std::string rest = dot == std::string::npos ? "" : path.substr(dot + 1);
    if (name == "*" && found.is_array()) {
        json all = json::array();
        for (const json& element : found)
            all.push_back(valueAt(element, rest).value_or("absent"));
        return all;
    }
    if (name == "length" && found.is_array())
        return json(found.size());
    if (const auto colon = name.find(':'); colon != std::string::npos && found.is_array()) {
        for (const json& element : found) {
            const auto value = valueAt(element, name.substr(0, colon));
            if (value && (value->is_string() ? value->get<std::string>() : value->dump()) == name.substr(colon + 1))
                return valueAt(element, rest);
        }
        return std::nullopt;
    }
    if (found.is_array() && !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) {
        const std::size_t index = std::stoul(name);
        return index < found.size() ? valueAt(found[index], rest) : std::nullopt;
    }
    return found.is_object() && found.contains(name) ? valueAt(found[name], rest) : std::nullopt;
}

bool isAsExpected(const json& expected, const json& found) {
    if (expected == "*")
        return true;
    if (!expected.is_structured() || expected.is_array() != found.is_array() ||
        expected.is_object() != found.is_object() || expected.size() != found.size())
        return expected == found;
    if (expected.is_array())
        return std::ranges::equal(expected, found, isAsExpected);
    return std::ranges::all_of(expected.items(), [&](const auto& member) {
        const auto& [name, value] = member;
        return found.contains(name) && isAsExpected(value, found[name]);
    });
}

bool isPartOf(const json& expected, const json& found) {
    if (expected.is_string() && found.is_string())
        return found.get<std::string>().find(expected.get<std::string>()) != std::string::npos;
    if (found.is_array() && !expected.is_array())
        return std::ranges::any_of(found, [&](const json& element) {
            return expected.is_object() ? isPartOf(expected, element) : isAsExpected(expected, element);
        });
    if (expected.is_object() && found.is_object())
        return std::ranges::all_of(expected.items(), [&](const auto& member) {
            const auto& [name, value] = member;
            return found.contains(name) &&
                   (isAsExpected(value, found[name]) || (value.is_object() && isPartOf(value, found[name])));
        });
    return isAsExpected(expected, found);
}

CaseValue CaseValues::valueOf(const std::string& reference) const {
    const auto dot = reference.find('.');
    const std::string name = reference.substr(0, dot);
    const std::string path = dot == std::string::npos ? "" : reference.substr(dot + 1);
    const auto known = _values.find(name);
    const auto value = known == _values.end() ? _others(name) : known->second;
    if (!value)
        throw std::runtime_error("$" + name + " is not known here: name a response with \"" + name +
                                 " = …\" above, or a text with \"let " + name + " = …\"");
    if (path.starts_with('@')) {
        HttpResponse response;
        response.headers = value->headers;
        return {response.header(path.substr(1))};
    }
    if (!value->json || path.empty())
        return *value;
    const auto found = valueAt(*value->json, path);
    if (!found)
        throw std::runtime_error("$" + name + " has no \"" + path + "\": it is " + value->json->dump());
    return {*found};
}

std::string CaseValues::call(const std::string& call, CasePlace place) const {
    static const std::regex repetition("(\\d+) (times|of) (.*)");
    static const std::regex byte("byte ([0-9a-f]{2})");
    std::smatch part;
    if (std::regex_match(call, part, byte))
        return std::string(1, static_cast<char>(std::stoi(part[1], nullptr, 16)));
    if (!std::regex_match(call, part, repetition)) {
        const CaseValue value = valueOf(call);
        return value.json ? written(*value.json, place, false) : value.text;
    }
    const std::string one = fill(part[3], place);
    const bool isNumbered = one.find('#') != std::string::npos;
    const int count = std::stoi(part[1]);
    std::string all;
    for (int i = 0; i < count; ++i) {
        all += part[2] == "of" && i > 0 ? ", " : "";
        all += isNumbered ? std::regex_replace(one, std::regex("#"), std::to_string(i)) : one;
    }
    return all;
}

/// A "$name.path", with "+1", "+{…}" or "+$other" behind it.
std::string CaseValues::reference(const std::string& text, std::size_t& at, CasePlace place) const {
    static const std::regex form(R"(\$([a-z]\w*(?:\.@[A-Za-z-]+|\.\w+)*)(\+\d+)?)");
    std::smatch part;
    if (!std::regex_search(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), part, form,
                           std::regex_constants::match_continuous))
        return std::string(1, text[at++]);
    bool inQuotes = false;
    for (std::size_t i = 0; i < at; i += text[i] == '\\' ? 2 : 1)
        inQuotes ^= text[i] == '"';
    at += static_cast<std::size_t>(part.length());
    CaseValue value = valueOf(part[1]);
    if (!value.json)
        return value.text + part[2].str();
    if (part[2].matched && value.json->is_number_integer())
        return std::to_string(value.json->get<std::int64_t>() + std::stoll(part[2].str().substr(1)));
    if (place == CasePlace::Json && text.compare(at, 2, "+{") == 0) {
        const std::size_t end = endOfBrackets(text, at + 1);
        value.json->update(json::parse(fill(text.substr(at + 1, end - at - 1), place)));
        at = end;
    } else if (place == CasePlace::Json && text.compare(at, 2, "+$") == 0) {
        value.json->update(json::parse(reference(text, ++at, place)));
    }
    return written(*value.json, place, inQuotes) + part[2].str();
}

std::string CaseValues::fill(const std::string& text, CasePlace place) const {
    std::string filled;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] != '$') {
            filled += text[at++];
        } else if (text.compare(at, 2, "${") == 0) {
            std::size_t end = at + 2;
            for (int depth = 1; end < text.size() && depth > 0; ++end)
                depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
            filled += call(text.substr(at + 2, end - at - 3), place);
            at = end;
        } else {
            filled += reference(text, at, place);
        }
    }
    return place == CasePlace::Path ? encodedPath(filled) : filled;
}

} // namespace supplierd::tests
