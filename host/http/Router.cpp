#include "host/http/Router.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace supplierd::host {

namespace {

std::vector<RoutedHandler::Segment> compile(std::string_view pattern) {
    using Kind = RoutedHandler::Segment::Kind;
    std::vector<RoutedHandler::Segment> segments;
    pattern.remove_prefix(1);
    for (;;) {
        const auto slash = pattern.find('/');
        const auto part = pattern.substr(0, slash);
        if (part.starts_with('{') && part.ends_with('}')) {
            const auto inner = part.substr(1, part.size() - 2);
            const auto colon = inner.find(':');
            segments.push_back({colon == std::string_view::npos ? Kind::Text : Kind::Integer,
                                std::string(inner.substr(0, colon))});
        } else
            segments.push_back({Kind::Literal, std::string(part)});
        if (slash == std::string_view::npos)
            return segments;
        pattern.remove_prefix(slash + 1);
    }
}

/// Ids: decimal digits, positive, no leading zero.
std::optional<std::int64_t> parseId(std::string_view text) {
    if (text.empty() || text.front() < '1' || text.front() > '9')
        return std::nullopt;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

bool matches(const RoutedHandler& handler, const std::vector<std::string>& segments,
             std::vector<PathParameter>& parameters) {
    using Kind = RoutedHandler::Segment::Kind;
    if (handler.segments.size() != segments.size())
        return false;
    parameters.clear();
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const auto& wanted = handler.segments[i];
        const auto& given = segments[i];
        if (wanted.kind == Kind::Literal) {
            if (given != wanted.text)
                return false;
        } else if (wanted.kind == Kind::Integer) {
            const auto id = parseId(given);
            if (!id)
                return false;
            parameters.push_back({wanted.text, given, *id});
        } else if (given.empty())
            return false;
        else
            parameters.push_back({wanted.text, given, 0});
    }
    return true;
}

/// Literals before integers before text, from the left: the first that matches is the best match.
bool isMoreSpecific(const RoutedHandler& a, const RoutedHandler& b) {
    return std::lexicographical_compare(a.segments.begin(), a.segments.end(), b.segments.begin(), b.segments.end(),
                                        [](const auto& left, const auto& right) { return left.kind < right.kind; });
}

void allowMethod(std::string& allow, Method method) {
    if (!allow.empty())
        allow += ", ";
    allow += methodName(method);
    if (method == Method::Get)
        allow += ", HEAD";
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

Audience audienceOf(const std::vector<std::string>& segments) {
    if (segments.size() >= 3 && segments[0] == "api" && segments[1] == "v1") {
        if (segments[2] == "supplier")
            return Audience::Supplier;
        if (segments[2] == "platform")
            return Audience::Operator;
    }
    return Audience::Public;
}

std::string_view methodName(Method method) {
    switch (method) {
    case Method::Get:
        return "GET";
    case Method::Post:
        return "POST";
    case Method::Put:
        return "PUT";
    case Method::Patch:
        return "PATCH";
    case Method::Delete:
        break;
    }
    return "DELETE";
}

void Router::add(const Route& route) {
    RoutedHandler handler;
    handler.route = route;
    handler.pattern = std::string(basePath(route.audience)) + route.pattern;
    handler.segments = compile(handler.pattern);
    handler.metrics = &_metrics.route(methodName(route.method), handler.pattern);
    const auto place = std::upper_bound(_handlers.begin(), _handlers.end(), handler, isMoreSpecific);
    _handlers.insert(place, std::move(handler));
}

RouteMatch Router::find(std::string_view method, const std::vector<std::string>& segments) const {
    const auto wanted = method == "HEAD" ? std::string_view("GET") : method;
    RouteMatch match;
    std::vector<PathParameter> parameters;
    for (const auto& handler : _handlers) {
        if (!matches(handler, segments, parameters))
            continue;
        if (methodName(handler.route.method) == wanted) {
            match.handler = &handler;
            match.parameters = std::move(parameters);
            match.allow.clear();
            return match;
        }
        allowMethod(match.allow, handler.route.method);
    }
    return match;
}

} // namespace supplierd::host
