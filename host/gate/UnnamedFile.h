#pragma once

#include "host/base/OwnedDescriptor.h"

#include <supplierd/Response.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace supplierd::host {

/// A temporary file that nobody else ever sees, and that is gone with this. All of it waits for the disk. Thread: one
/// at a time.
class UnnamedFile final : public Content {
public:
    /// Throws std::system_error when there can be none.
    UnnamedFile();

    /// At its end. Throws std::system_error.
    void append(std::string_view bytes);
    /// Up to `size` bytes; throws std::system_error, also at its end.
    std::size_t readSome(std::uint64_t offset, char* to, std::size_t size) const;

    std::uint64_t size() const override { return _size; }
    std::string read(std::uint64_t offset, std::size_t size) const override;
    int descriptor() const override { return _file.get(); }

private:
    const OwnedDescriptor _file;
    std::uint64_t _size = 0;
};

} // namespace supplierd::host
