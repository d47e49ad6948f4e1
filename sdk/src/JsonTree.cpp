#include "JsonTree.h"

#include <algorithm>
#include <cstring>

namespace supplierd {

namespace {

/// Up to so many names are compared one by one.
constexpr std::uint32_t FEW_NAMES = 16;

/// At least as many as the values that a text can have: each but the first follows one of these.
std::size_t countBeforeValues(std::string_view text) {
    return 1 + static_cast<std::size_t>(
                   std::count_if(text.begin(), text.end(), [](char c) { return c == ',' || c == '[' || c == '{'; }));
}

} // namespace

JsonTree::JsonTree(std::string text, std::size_t mostValues) : _content(std::make_shared<Content>()) {
    _content->text = std::move(text);
    // All at once: a vector that grows holds its content twice meanwhile.
    _content->nodes.reserve(std::min(countBeforeValues(_content->text), mostValues));
}

TextSpan JsonTree::keep(std::string_view decoded, std::size_t end) {
    const std::size_t begin = end - decoded.size();
    if (!decoded.empty() && std::memcmp(_content->text.data() + begin, decoded.data(), decoded.size()) != 0)
        std::memcpy(_content->text.data() + begin, decoded.data(), decoded.size());
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(decoded.size())};
}

void JsonTree::begin(JsonKind kind) {
    const std::size_t node = values();
    push(kind);
    _open.push_back({node, kind == JsonKind::Object});
}

void JsonTree::end() {
    const Level& level = _open.back();
    JsonNode& node = _content->nodes[level.node];
    node.begin = static_cast<std::uint32_t>(values() - level.node);
    node.size = level.size;
    _open.pop_back();
}

bool JsonTree::key(TextSpan name) {
    Level& level = _open.back();
    level.key = name;
    return isNew(level, textAt(name));
}

bool JsonTree::isNew(Level& level, std::string_view name) const {
    const NameSet::Source names{text().data(), _content->nodes};
    const auto first = static_cast<std::uint32_t>(level.node + 1);
    const auto next = static_cast<std::uint32_t>(values());
    const auto step = [&](std::uint32_t node) {
        const JsonNode& at = _content->nodes[node];
        return node + (at.hasParts() ? at.begin : 1);
    };
    if (level.size <= FEW_NAMES) {
        for (std::uint32_t node = first; node < next; node = step(node))
            if (names[node] == name)
                return false;
        return true;
    }
    if (level.names.empty())
        for (std::uint32_t node = first; node < next; node = step(node))
            level.names.insert(names[node], node, names);
    return level.names.insert(name, next, names);
}

void JsonTree::add(JsonKind kind, TextSpan place) {
    JsonNode& node = push(kind);
    node.begin = place.begin;
    node.size = place.size;
}

JsonNode& JsonTree::push(JsonKind kind) {
    JsonNode node;
    node.kindNumber = static_cast<std::uint32_t>(kind) & 7U;
    if (!_open.empty()) {
        Level& level = _open.back();
        ++level.size;
        node.nameBegin = level.key.begin;
        node.nameSize = level.key.size & 0x1FFFFFFFU;
    }
    return _content->nodes.emplace_back(node);
}

std::string JsonTree::path() const {
    constexpr std::size_t MAX_LENGTH = 200; // it is echoed to the client, who chose the names
    std::string path;
    for (std::size_t i = 0; i < _open.size(); ++i) {
        const Level& level = _open[i];
        if (level.isObject) {
            if (level.key.size == 0)
                break;
            path += path.empty() ? "" : ".";
            path += textAt(level.key);
        } else {
            // The open child of an array is its last element already; a plain value is about to be added.
            path += '[' + std::to_string(i + 1 < _open.size() ? level.size - 1 : level.size) + ']';
        }
    }
    if (path.size() > MAX_LENGTH) {
        std::size_t length = MAX_LENGTH;
        while (length > 0 && (static_cast<unsigned char>(path[length]) & 0xC0U) == 0x80U)
            --length; // not through the middle of a character
        path.resize(length);
        path += "...";
    }
    return path;
}

} // namespace supplierd
