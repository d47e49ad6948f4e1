#include "host/gate/ContentPieces.h"

#include <algorithm>
#include <stdexcept>

namespace supplierd::host {

bool ContentPieces::produce(std::string& to) {
    constexpr std::uint64_t PIECE = std::uint64_t{128} << 10;
    const auto wanted = std::min(_end - _next, PIECE);
    const auto piece = _content->read(_next, static_cast<std::size_t>(wanted));
    if (piece.size() != wanted)
        throw std::runtime_error("the content gave " + std::to_string(piece.size()) + " bytes at " +
                                 std::to_string(_next) + " instead of " + std::to_string(wanted));
    to += piece;
    _next += wanted;
    return _next < _end;
}

FilePart partOf(const std::shared_ptr<const Content>& content, std::uint64_t offset, std::uint64_t size) {
    return {content, offset, size, [content](std::uint64_t from, std::uint64_t length) {
                return std::make_unique<ContentPieces>(content, from, length);
            }};
}

} // namespace supplierd::host
