#include "JsonTree.h"

namespace supplierd {

void JsonTree::beginObject() {
    Poco::JSON::Object::Ptr object = new Poco::JSON::Object;
    if (_open.empty())
        _root = object;
    else
        add(object);
    _open.push_back({object, {}, {}});
}

void JsonTree::beginArray() {
    Poco::JSON::Array::Ptr array = new Poco::JSON::Array;
    if (_open.empty())
        _root = array;
    else
        add(array);
    _open.push_back({{}, array, {}});
}

bool JsonTree::key(const std::string& name) {
    _open.back().key = name;
    return !_open.back().object->has(name);
}

void JsonTree::add(const Poco::Dynamic::Var& value) {
    Level& level = _open.back();
    if (level.object)
        level.object->set(level.key, value);
    else
        level.array->add(value);
}

std::string JsonTree::path() const {
    constexpr std::size_t MAX_LENGTH = 200; // it is echoed to the client, who chose the names
    std::string path;
    for (std::size_t i = 0; i < _open.size(); ++i) {
        const Level& level = _open[i];
        if (level.object) {
            if (level.key.empty())
                break;
            path += path.empty() ? level.key : "." + level.key;
        } else {
            // The open child of an array is its last element already; a plain value is about to be added.
            const std::size_t size = level.array->size();
            path += '[' + std::to_string(i + 1 < _open.size() ? size - 1 : size) + ']';
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
