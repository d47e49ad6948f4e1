#pragma once

#include "host/gate/UnnamedFile.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace supplierd::host {

/// The body of a request while it is collected, and until it was read: in memory, and where that is allowed in a file
/// without a name once it is large. Who collects it never waits for the disk: he has it written by spill(), by somebody
/// who may. Thread: one at a time.
class CollectedBody {
public:
    /// From now on what goes beyond `memory` belongs in a file.
    void mayUseFile(std::size_t memory) { _memory = memory; }
    /// To be appended to.
    std::string& memory() { return _bytes; }
    /// There is more in memory than may stay there.
    bool mustSpill() const { return _bytes.size() > _memory; }
    /// Writes what is in memory to the file. Waits for the disk. Throws std::system_error when it cannot be written.
    void spill();

    std::uint64_t size() const { return written() + _bytes.size(); }
    /// All of it, into memory. Throws std::system_error.
    std::string take();
    /// The next bytes; 0 at the end. Throws std::system_error.
    std::size_t read(std::span<char> to);
    /// So many bytes at most from where it begins; none of one that is in a file, or was taken.
    std::string_view begin(std::size_t size) const;
    /// Everything was taken or read.
    bool isRead() const { return _at == size(); }
    void clear();

private:
    std::uint64_t written() const { return _file ? _file->size() : 0; }

    std::string _bytes; ///< behind what is in the file
    std::size_t _memory = SIZE_MAX;
    std::uint64_t _at = 0; ///< where reading is
    std::optional<UnnamedFile> _file;
};

} // namespace supplierd::host
