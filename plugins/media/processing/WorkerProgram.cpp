#include "WorkerProgram.h"

#include <dlfcn.h>
#include <unistd.h>

// From the folder of the installed plugin.
#ifndef SUPPLIERD_MEDIA_INSTALLED_WORKER
#error "SUPPLIERD_MEDIA_INSTALLED_WORKER is not defined: the path of supplierd-imageworker as it is installed"
#endif

namespace supplierd::media {

namespace {

constexpr const char* BUILT_WORKER = "media/supplierd-imageworker";

} // namespace

std::optional<std::filesystem::path> findWorkerProgram() {
    Dl_info plugin{};
    if (::dladdr(reinterpret_cast<const void*>(&findWorkerProgram), &plugin) == 0 || plugin.dli_fname == nullptr)
        return std::nullopt;
    std::error_code failure;
    const auto folder = std::filesystem::canonical(plugin.dli_fname, failure).parent_path();
    for (const auto* const place : {BUILT_WORKER, SUPPLIERD_MEDIA_INSTALLED_WORKER}) {
        auto program = (folder / place).lexically_normal();
        if (std::filesystem::is_regular_file(program, failure) && ::access(program.c_str(), X_OK) == 0)
            return program;
    }
    return std::nullopt;
}

} // namespace supplierd::media
