#pragma once

#include "host/config/Settings.h"
#include "host/ctl/Finding.h"
#include "host/plugins/PluginSet.h"

namespace supplierd::host {

// The examinations of `supplierctl doctor`. Each adds what it found, good news included, and throws nothing for what
// it came to find. None changes anything.

/// Who can read the configuration, whether logs can be written, free disk space.
void checkFiles(const Settings& settings, Findings& findings);

/// Reachable, version, durability, character set, limits, clock, schema.
void checkDatabase(const Settings& settings, const PluginSet& plugins, Findings& findings);

/// The server answers at its addresses, or they are free for it.
void checkServer(const Settings& settings, Findings& findings);

} // namespace supplierd::host
