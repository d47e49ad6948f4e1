#pragma once

#include <filesystem>
#include <optional>

namespace supplierd::media {

/// The program supplierd-imageworker that belongs to this plugin: where the build puts it beside the plugin's file, or
/// where the installation does. Nothing when there is none.
std::optional<std::filesystem::path> findWorkerProgram();

} // namespace supplierd::media
