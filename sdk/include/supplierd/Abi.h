// The version of the plugin interface. A plugin carries these numbers in an ELF note (see PluginNote.h); the host reads
// the note before it loads the file and refuses what does not fit.
//
// Interfaces only grow: see sdk/abi/HISTORY for what that means.
#pragma once

#include <memory>

#define SUPPLIERD_SDK_ABI_MAJOR 1
#define SUPPLIERD_SDK_ABI_MINOR 0

/// Marks what crosses the border between host and plugin (types whose typeinfo both sides must agree on).
#define SUPPLIERD_API __attribute__((visibility("default")))

namespace supplierd {

/// Room in a struct for what later minors add to it: its size never changes within a major. Leave it empty.
using Reserved = std::shared_ptr<void>;

} // namespace supplierd
