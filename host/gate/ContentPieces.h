#pragma once

#include "host/gate/ResponseOutput.h"

#include <supplierd/Response.h>

#include <cstdint>
#include <memory>
#include <string>

namespace supplierd::host {

/// Content that has to be read, piece by piece. Thread: as ResponseSource.
class ContentPieces final : public ResponseSource {
public:
    ContentPieces(std::shared_ptr<const Content> content, std::uint64_t offset, std::uint64_t size)
        : _content(std::move(content)), _next(offset), _end(offset + size) {}

    /// Throws std::runtime_error when the content gives fewer bytes than it has, and what reading it throws.
    bool produce(std::string& to) override;

private:
    const std::shared_ptr<const Content> _content;
    std::uint64_t _next;
    const std::uint64_t _end;
};

/// A part of the content, sent from its file where it has one.
FilePart partOf(const std::shared_ptr<const Content>& content, std::uint64_t offset, std::uint64_t size);

} // namespace supplierd::host
