#pragma once

#include "NameSet.h"

#include <supplierd/Json.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd {

/// A piece of a text.
struct TextSpan {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
};

/// Grows a document from the events of a reader of its text, and knows where in it the reader is.
class JsonTree {
public:
    /// `mostValues`: so many may come, and no more.
    JsonTree(std::string text, std::size_t mostValues);

    /// Stays where it is; of what was read already only what keep() made must be relied on.
    std::string_view text() const { return _content->text; }
    /// A name or text without its escapes, written over what it was read from, whose last byte is before `end`.
    TextSpan keep(std::string_view decoded, std::size_t end);

    void beginObject() { begin(JsonKind::Object); }
    void beginArray() { begin(JsonKind::Array); }
    void end();
    /// Names the next value. False when the object has one of that name already.
    bool key(TextSpan name);
    void add(JsonKind kind, TextSpan place = {});

    std::size_t values() const { return _content->nodes.size(); }
    std::size_t depth() const { return _open.size(); }
    /// The field being read, e.g. "items[3].stock_qty".
    std::string path() const;
    /// What was read. Nothing may be added afterwards.
    JsonDocument document() const { return {_content, _content->text.data(), _content->nodes.data()}; }

private:
    struct Content {
        std::string text;
        std::vector<JsonNode> nodes;
    };
    /// An object or array that is not closed yet.
    struct Level {
        std::size_t node = 0;
        bool isObject = false;
        std::uint32_t size = 0;
        TextSpan key = {};
        NameSet names = {}; ///< when there are many
    };

    void begin(JsonKind kind);
    JsonNode& push(JsonKind kind);
    bool isNew(Level& level, std::string_view name) const;
    std::string_view textAt(TextSpan span) const { return text().substr(span.begin, span.size); }

    std::shared_ptr<Content> _content;
    std::vector<Level> _open;
};

} // namespace supplierd
