#pragma once

#include <supplierd/Config.h>
#include <supplierd/services/Dashboard.h>

namespace supplierd::dashboard {

/// Of the keys `name`, `logo` and `accent`. Throws ConfigError for a logo that cannot be read or is no SVG, and for an
/// accent that is no colour, or one on which white text cannot be read.
Branding readBranding(const Config& config);

} // namespace supplierd::dashboard
