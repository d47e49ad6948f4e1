#pragma once

#include <supplierd/Plugin.h>

#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// The pattern of a route, taken apart: "/products/{id:int}/images", "/shop/{rest...}". A value type.
struct RoutePattern {
    enum class Kind { Literal, Integer, Text, Rest }; ///< the more exact before the less

    struct Segment {
        Kind kind;
        std::string text; ///< the literal, or the parameter's name
    };

    std::vector<Segment> segments; ///< none for "/"

    bool hasRest() const { return !segments.empty() && segments.back().kind == Kind::Rest; }

    /// Throws std::invalid_argument saying what is wrong with the pattern.
    static RoutePattern parse(std::string_view pattern);

    /// The same for two patterns that some path matches both of: parameters count alike whatever their name and type.
    /// A literal beside a parameter is no clash, the literal goes first.
    std::string shape() const;
};

/// The base path under which an audience's routes lie.
std::string_view basePath(Audience audience);

/// "GET /products/{id:int}", for messages.
std::string routeText(const Route& route);

} // namespace supplierd::host
