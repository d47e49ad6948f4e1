#pragma once

#include <supplierd/Response.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

namespace supplierd::csv {

/// A text that is made in parts while it is sent: one part at a time is in memory.
class TextStream : public ContentStream {
public:
    std::size_t read(std::span<char> to) final {
        while (_at == _part.size()) {
            _part.clear();
            _at = 0;
            if (!append(_part))
                break;
        }
        const std::size_t size = std::min(to.size(), _part.size() - _at);
        std::copy_n(_part.data() + _at, size, to.data());
        _at += size;
        return size;
    }

protected:
    /// Adds the next part, which may be empty; false at the end.
    virtual bool append(std::string& text) = 0;

private:
    std::string _part;
    std::size_t _at = 0;
};

} // namespace supplierd::csv
