#pragma once

#include <Poco/Dynamic/Var.h>
#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>

#include <cstddef>
#include <string>
#include <vector>

namespace supplierd {

/// Grows a Poco::JSON::Object, or an Array, from the events of a reader, and knows where in it the reader is.
class JsonTree {
public:
    void beginObject();
    void beginArray();
    void end() { _open.pop_back(); }
    /// Names the next value. False when the object has one of that name already.
    bool key(const std::string& name);
    void add(const Poco::Dynamic::Var& value);

    std::size_t depth() const { return _open.size(); }
    /// The field being read, e.g. "items[3].stock_qty".
    std::string path() const;
    const Poco::Dynamic::Var& root() const { return _root; }

private:
    /// An object or array that is not closed yet; `object` is null for an array.
    struct Level {
        Poco::JSON::Object::Ptr object;
        Poco::JSON::Array::Ptr array;
        std::string key;
    };

    Poco::Dynamic::Var _root;
    std::vector<Level> _open;
};

} // namespace supplierd
