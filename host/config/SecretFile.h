#pragma once

#include "host/config/Diagnostic.h"

#include <filesystem>
#include <optional>
#include <string>

namespace supplierd::host {

/// The content of a file that holds one secret, without the line end. Empty, with a problem at `position`, when the
/// file cannot be read, is empty or holds more than one line.
std::optional<std::string> readSecretFile(const std::filesystem::path& file, const ConfigPosition& position,
                                          Diagnostics& problems);

/// What systemd gave this process under that name (LoadCredential=, found in $CREDENTIALS_DIRECTORY). Empty when it
/// gave nothing, or a blank file, which is how a unit says that the credential is optional.
std::optional<std::string> readCredential(const std::string& name);

/// Says so when others could read a file that holds a secret: an error when everybody can; a warning when the owner's
/// group can, unless the owner is root (root:supplierd with mode 0640 is how packages give a server its secrets).
void checkSecretFileMode(const std::filesystem::path& file, const ConfigPosition& position, Diagnostics& problems);

} // namespace supplierd::host
