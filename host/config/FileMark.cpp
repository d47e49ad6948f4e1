#include "host/config/FileMark.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace supplierd::host {

MarkedFile markFile(const std::filesystem::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0)
        return {file, {}};
    return {file, fmt::format("{}-{}-{}.{:09}", status.st_ino, status.st_size, status.st_mtim.tv_sec,
                              status.st_mtim.tv_nsec)};
}

} // namespace supplierd::host
