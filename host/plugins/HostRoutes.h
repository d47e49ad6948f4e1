#pragma once

#include <supplierd/Plugin.h>

#include <string_view>

namespace supplierd::host {

/// Served by the host itself, on both APIs; no plugin can have it.
inline constexpr std::string_view ME_PATTERN = "/me";

inline bool isHostRoute(const Route& route) {
    return route.audience != Audience::Public && route.method == Method::Get && route.pattern == ME_PATTERN;
}

} // namespace supplierd::host
