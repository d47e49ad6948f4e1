#pragma once

#include <supplierd/Json.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace supplierd {

/// The names of a large object, as numbers of its nodes: tells a repeated one at once, however many there are and
/// however they were chosen.
class NameSet {
public:
    /// Where the names are.
    struct Source {
        const char* text;
        const std::vector<JsonNode>& nodes;

        std::string_view operator[](std::uint32_t node) const {
            return {text + nodes[node].nameBegin, nodes[node].nameSize};
        }
    };

    bool empty() const { return _count == 0; }
    /// False when a node of that name is in it already. `node` itself may be one that is still to come.
    bool insert(std::string_view name, std::uint32_t node, const Source& source);

private:
    void grow(const Source& source);
    /// Where the name is, or the free place for it.
    std::size_t find(std::string_view name, const Source& source) const;

    std::vector<std::uint32_t> _slots; ///< a power of two of them; node + 1, 0 when free
    std::size_t _count = 0;
};

} // namespace supplierd
