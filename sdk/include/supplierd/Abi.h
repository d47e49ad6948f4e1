// The version of the plugin interface. A plugin carries these numbers in an ELF note (see PluginNote.h); the host reads
// the note before it loads the file and refuses what does not fit.
//
// Until the SDK reaches 1.0 the interface may change with every minor; from 1.0 on, interfaces only grow.
#pragma once

#define SUPPLIERD_SDK_ABI_MAJOR 0
#define SUPPLIERD_SDK_ABI_MINOR 1

/// Marks what crosses the border between host and plugin (types whose typeinfo both sides must agree on).
#define SUPPLIERD_API __attribute__((visibility("default")))
