#pragma once

#include <filesystem>
#include <vector>

namespace supplierd::host {

/// From now on this process and those that it starts can write, make, rename and remove files in `writable` alone, and
/// write to devices and to /proc; what they try elsewhere is refused (EACCES), root included. Cannot be taken back.
/// False where the kernel has no Landlock. Call it while this process has one thread. Throws std::system_error.
bool allowWritesOnlyIn(const std::vector<std::filesystem::path>& writable);

} // namespace supplierd::host
