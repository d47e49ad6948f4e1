#include "host/http/Router.h"

#include "host/plugins/PluginDescriptionCheck.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace supplierd::host {

namespace {

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

/// Dot segments are steps in a tree, however they were encoded: no route has a tree to step through.
bool isName(std::string_view text) {
    return !text.empty() && text != "." && text != "..";
}

/// All segments from the first on as one path. Nothing when some segment is not a plain name; the last may be empty,
/// for a path that ends with a slash.
std::optional<std::string> joinRest(const std::vector<std::string>& segments, std::size_t first) {
    std::string rest;
    for (std::size_t i = first; i < segments.size(); ++i) {
        const auto& segment = segments[i];
        const bool isEnd = segment.empty() && i + 1 == segments.size();
        if (!isEnd && (!isName(segment) || segment.find('/') != std::string::npos))
            return std::nullopt;
        rest.append(i == first ? "" : "/").append(segment);
    }
    return rest;
}

bool matchesRest(const RoutedHandler& handler, const std::vector<std::string>& segments,
                 std::vector<PathParameter>& parameters) {
    const auto last = handler.compiled.segments.size() - 1;
    if (handler.route.audience != audienceOf(segments)) // "/{rest...}" takes nothing of the APIs
        return false;
    auto rest = joinRest(segments, last);
    if (rest)
        parameters.push_back({handler.compiled.segments[last].text, std::move(*rest), 0});
    return rest.has_value();
}

bool matches(const RoutedHandler& handler, const std::vector<std::string>& segments,
             std::vector<PathParameter>& parameters) {
    using Kind = RoutePattern::Kind;
    const auto count = handler.compiled.segments.size();
    if (count == 0) // "/"
        return segments.size() == 1 && segments.front().empty();
    const bool hasRest = handler.compiled.hasRest();
    if (hasRest ? segments.size() < count : segments.size() != count)
        return false;
    parameters.clear();
    for (std::size_t i = 0; i < count; ++i) {
        const auto& wanted = handler.compiled.segments[i];
        if (wanted.kind == Kind::Rest)
            return matchesRest(handler, segments, parameters);
        const auto& given = segments[i];
        if (wanted.kind == Kind::Literal) {
            if (given != wanted.text)
                return false;
        } else if (wanted.kind == Kind::Integer) {
            const auto id = parseId(given);
            if (!id)
                return false;
            parameters.push_back({wanted.text, given, *id});
        } else if (!isName(given))
            return false;
        else
            parameters.push_back({wanted.text, given, 0});
    }
    return true;
}

/// Literals before integers before text, from the left: the first that matches is the best match.
bool isMoreSpecific(const RoutedHandler& a, const RoutedHandler& b) {
    const auto& left = a.compiled.segments;
    const auto& right = b.compiled.segments;
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end(),
                                        [](const auto& one, const auto& other) { return one.kind < other.kind; });
}

void allowMethod(std::string& allow, Method method) {
    if (!allow.empty())
        allow += ", ";
    allow += methodName(method);
    if (method == Method::Get)
        allow += ", HEAD";
}

} // namespace

Audience audienceOf(const std::vector<std::string>& segments) {
    if (segments.size() == 4 && segments[3] == OPENAPI_PATTERN.substr(1))
        return Audience::Public; // the documents of both APIs are for everybody
    if (segments.size() >= 3 && segments[0] == "api" && segments[1] == "v1") {
        if (segments[2] == "supplier")
            return Audience::Supplier;
        if (segments[2] == "platform")
            return Audience::Operator;
    }
    return Audience::Public;
}

void Router::add(const Route& route, std::optional<RequestSchema> schema, std::string plugin) {
    RoutedHandler handler;
    handler.route = route;
    handler.plugin = std::move(plugin);
    handler.pattern = std::string(basePath(route.audience)) + route.pattern;
    handler.work = std::string(methodName(route.method)) + " " + handler.pattern;
    handler.schema = std::move(schema);
    handler.compiled = RoutePattern::parse(handler.pattern);
    handler.metrics = &_metrics.route(methodName(route.method), handler.pattern);
    if (route.audience == Audience::Public && route.perMinute > 0) {
        handler.limiter = std::make_shared<AddressLimiter>(route.perMinute);
        handler.limiter->share(_counts, std::string(methodName(route.method)) + " " + handler.pattern);
    }
    _hasErrorPages = _hasErrorPages || route.errorPage;
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
