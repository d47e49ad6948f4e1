#include "host/plugins/RoutePattern.h"

#include <algorithm>
#include <stdexcept>

namespace supplierd::host {

namespace {

constexpr std::string_view LITERAL_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
constexpr std::string_view NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789_";

[[noreturn]] void refuse(std::string_view pattern, std::string_view reason) {
    throw std::invalid_argument("the route pattern '" + std::string(pattern) +
                                "' is malformed: " + std::string(reason));
}

RoutePattern::Segment parseParameter(std::string_view pattern, std::string_view inner) {
    constexpr std::string_view DOTS = "...";
    const bool isRest = inner.ends_with(DOTS);
    if (isRest)
        inner.remove_suffix(DOTS.size());
    const std::size_t colon = isRest ? std::string_view::npos : inner.find(':');
    const std::string_view name = inner.substr(0, colon);
    if (name.empty() || name.find_first_not_of(NAME_CHARACTERS) != std::string_view::npos)
        refuse(pattern, "a parameter's name is of a-z, 0-9 and _");
    if (colon == std::string_view::npos)
        return {isRest ? RoutePattern::Kind::Rest : RoutePattern::Kind::Text, std::string(name)};
    if (inner.substr(colon + 1) != "int")
        refuse(pattern, "the only parameter type is int, as in {id:int}");
    return {RoutePattern::Kind::Integer, std::string(name)};
}

RoutePattern::Segment parseSegment(std::string_view pattern, std::string_view text) {
    if (text.empty())
        refuse(pattern, "a part between two slashes is empty");
    if (text.front() == '{' && text.back() == '}')
        return parseParameter(pattern, text.substr(1, text.size() - 2));
    if (text == "." || text == ".." || text.find_first_not_of(LITERAL_CHARACTERS) != std::string_view::npos)
        refuse(pattern, "a part is a literal of letters, digits, - . _ ~ or one parameter like {id:int}");
    return {RoutePattern::Kind::Literal, std::string(text)};
}

} // namespace

std::string_view basePath(Audience audience) {
    switch (audience) {
    case Audience::Supplier:
        return "/api/v1/supplier";
    case Audience::Operator:
        return "/api/v1/platform";
    case Audience::Public:
        break;
    }
    return "";
}

RoutePattern RoutePattern::parse(std::string_view pattern) {
    if (!pattern.starts_with('/'))
        refuse(pattern, "it must begin with a slash");
    RoutePattern parsed;
    if (pattern == "/")
        return parsed;
    for (std::size_t begin = 1; begin <= pattern.size();) {
        const std::size_t end = std::min(pattern.find('/', begin), pattern.size());
        Segment segment = parseSegment(pattern, pattern.substr(begin, end - begin));
        if (parsed.hasRest())
            refuse(pattern, "nothing can follow a rest like {path...}");
        const bool repeated = std::any_of(parsed.segments.begin(), parsed.segments.end(), [&](const Segment& earlier) {
            return earlier.kind != Kind::Literal && segment.kind != Kind::Literal && earlier.text == segment.text;
        });
        if (repeated)
            refuse(pattern, "it has two parameters of the same name");
        parsed.segments.push_back(std::move(segment));
        begin = end + 1;
    }
    return parsed;
}

std::string RoutePattern::shape() const {
    std::string shape;
    for (const Segment& segment : segments)
        shape += "/" + (segment.kind == Kind::Literal ? segment.text
                                                      : std::string(segment.kind == Kind::Rest ? "{...}" : "{}"));
    return shape.empty() ? "/" : shape;
}

std::string routeText(const Route& route) {
    return std::string(methodName(route.method)) + " " + route.pattern;
}

} // namespace supplierd::host
