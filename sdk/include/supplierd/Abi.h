// The version of the plugin interface. A plugin carries these numbers in an ELF note (see PluginNote.h); the host reads
// the note before it loads the file and refuses what does not fit.
//
// Interfaces only grow: see sdk/abi/HISTORY for what that means.
//
// What holds in all headers where nothing else is said:
// - Thread: functions that belong to no class may be called on any thread; a value (a struct, a reader, a writer) is
//   used by one thread at a time. Interfaces say it themselves.
// - Lifetime: what is handed over by reference, view, span or pointer is there until the call returns, either way.
// - Errors: std::bad_alloc; of whatever asks the database also DatabaseError, and ApiError (Unavailable) when it gets
// no
//   session or the database is away. What is thrown beside these stands beside the function or at its interface.
// - Texts are UTF-8. Times are ISO 8601 UTC ("2026-11-20T14:48:00Z"), sizes bytes, ids positive; an id of 0 is
//   nobody's.
// - Enumerations grow at the end: take a value that you do not know for something newer.
// - Since 1.0.
#pragma once

#include <memory>

#define SUPPLIERD_SDK_ABI_MAJOR 1
#define SUPPLIERD_SDK_ABI_MINOR 0

/// Marks what crosses the border between host and plugin (types whose typeinfo both sides must agree on).
#define SUPPLIERD_API __attribute__((visibility("default")))

namespace supplierd {

/// Room in a struct or an exception for what later minors add to it: its size never changes within a major. Leave it
/// empty; copy it with the rest.
using Reserved = std::shared_ptr<void>;

} // namespace supplierd
