#pragma once

#include "host/ctl/plugin/PluginExamination.h"

namespace supplierd::host {

/// Loads the plugin, judges its description, and takes it through its life on a ValidationHost, telling what it finds.
/// Throws nothing. It may crash or never return: call it within runIsolated().
void liveThrough(const PluginSubject& subject, const PluginNoteInfo& note, FindingWriter& findings) noexcept;

} // namespace supplierd::host
