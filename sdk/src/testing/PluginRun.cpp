#include "../AsciiCase.h"

#include <supplierd/JsonBody.h>
#include <supplierd/testing/PluginRun.h>

#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace supplierd::testing {

namespace {

using PathParameters = std::vector<std::pair<std::string, std::string>>;

std::string_view takeSegment(std::string_view& path) {
    path.remove_prefix(1); // the slash
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    return segment;
}

/// 1 to 9223372036854775807 without leading zeros.
bool isPathInteger(std::string_view text) {
    static constexpr std::string_view LARGEST = "9223372036854775807";
    const bool digits = std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    return digits && !text.empty() && text.front() != '0' &&
           (text.size() < LARGEST.size() || (text.size() == LARGEST.size() && text <= LARGEST));
}

bool matchSegment(std::string_view pattern, std::string_view segment, PathParameters& parameters) {
    if (pattern.empty() || pattern.front() != '{')
        return pattern == segment;
    std::string_view name = pattern.substr(1, pattern.size() - 2);
    const std::size_t colon = name.find(':');
    if (colon != std::string_view::npos && !isPathInteger(segment))
        return false;
    name = name.substr(0, colon);
    parameters.emplace_back(name, segment);
    return !segment.empty() && segment != "." && segment != "..";
}

/// "{name...}": all that is left, without its first slash.
bool matchRest(std::string_view pattern, std::string_view path, PathParameters& parameters) {
    constexpr std::string_view ENDING = "...}";
    path.remove_prefix(1);
    parameters.emplace_back(pattern.substr(1, pattern.size() - ENDING.size() - 1), path);
    for (std::string_view left = path; !left.empty();) {
        const std::string_view segment = left.substr(0, left.find('/'));
        if (segment.empty() || segment == "." || segment == "..")
            return false;
        left.remove_prefix(std::min(segment.size() + 1, left.size()));
    }
    return true;
}

std::optional<PathParameters> match(std::string_view pattern, std::string_view path) {
    PathParameters parameters;
    while (!pattern.empty() && !path.empty()) {
        const std::string_view wanted = takeSegment(pattern);
        if (wanted.ends_with("...}"))
            return matchRest(wanted, path, parameters) ? std::optional(parameters) : std::nullopt;
        if (!matchSegment(wanted, takeSegment(path), parameters))
            return std::nullopt;
    }
    if (!pattern.empty() || !path.empty())
        return std::nullopt;
    return parameters;
}

/// As the host reads it.
std::string readContent(const Content& content) {
    static constexpr std::size_t PIECE = std::size_t{128} << 10;
    const std::uint64_t size = content.size();
    std::string bytes;
    while (bytes.size() < size) {
        const std::size_t wanted = std::min<std::uint64_t>(size - bytes.size(), PIECE);
        const std::string piece = content.read(bytes.size(), wanted);
        if (piece.size() != wanted)
            throw std::logic_error("the content gave " + std::to_string(piece.size()) + " bytes at " +
                                   std::to_string(bytes.size()) + " instead of " + std::to_string(wanted));
        bytes += piece;
    }
    return bytes;
}

std::string readStream(ContentStream& stream) {
    std::string bytes;
    std::string piece(std::size_t{64} << 10, '\0');
    while (const std::size_t got = stream.read(piece))
        bytes.append(piece, 0, got);
    return bytes;
}

/// What sendfile would send instead of `bytes`.
std::string readDescriptor(int descriptor, std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t done = 0;
    while (done < size) {
        const ssize_t got = ::pread(descriptor, bytes.data() + done, size - done, static_cast<off_t>(done));
        if (got <= 0)
            throw std::logic_error("the content's descriptor ends, or cannot be read, at " + std::to_string(done));
        done += static_cast<std::size_t>(got);
    }
    return bytes;
}

bool has(const std::vector<Detail>& details, std::string_view field, std::string_view code) {
    return std::any_of(details.begin(), details.end(),
                       [&](const Detail& detail) { return detail.field == field && detail.code == code; });
}

/// What the host would refuse.
void checkContent(const Response& response, const Route& route) {
    if ((response.content || response.stream) && route.method != Method::Get)
        throw std::logic_error("only a GET can be answered with content or a stream");
    if (response.content && response.status != 200)
        throw std::logic_error("only the status 200 can have content");
    const bool isEnveloped = response.contentType.empty() && !response.content && !response.stream;
    if (isEnveloped && (response.status < 200 || response.status >= 400))
        throw std::logic_error("errors are thrown as ApiError, not returned with the status " +
                               std::to_string(response.status));
}

} // namespace

JsonDocument Outcome::data() const {
    if (error)
        throw ApiError(*error);
    return parseJson(response.data);
}

std::string Outcome::bytes() const {
    if (error)
        throw ApiError(*error);
    if (response.stream)
        return readStream(*response.stream);
    if (!response.content && !response.contentType.empty())
        return response.data;
    if (!response.content)
        throw std::logic_error("the response has no content but data: " + response.data);
    std::string bytes = readContent(*response.content);
    if (const int descriptor = response.content->descriptor();
        descriptor >= 0 && readDescriptor(descriptor, bytes.size()) != bytes)
        throw std::logic_error("the content's descriptor holds other bytes than read() gives");
    return bytes;
}

std::optional<std::string> Outcome::header(std::string_view name) const {
    for (const auto& [header, value] : response.headers)
        if (isSameName(header, name))
            return value;
    return std::nullopt;
}

bool Outcome::hasDetail(std::string_view field, std::string_view code) const {
    return error && has(error->details(), field, code);
}

bool Outcome::hasWarning(std::string_view field, std::string_view code) const {
    return has(response.warnings, field, code);
}

PluginRun::PluginRun(std::unique_ptr<Plugin> plugin, FakeHost& host, const std::map<std::string, std::string>& config)
    : _plugin(std::move(plugin)), _description(_plugin->describe()) {
    _plugin->configure(FakeConfig(_description.config, config));
    try {
        _plugin->start(host);
        _plugin->ready();
    } catch (...) {
        _plugin->stop();
        throw;
    }
}

PluginRun::~PluginRun() {
    _plugin->drain();
    _plugin->stop();
}

const Route& PluginRun::find(FakeRequest& request) const {
    bool otherMethod = false;
    for (const Route& route : _description.routes) {
        std::optional<PathParameters> parameters = match(route.pattern, request.path());
        if (!parameters)
            continue;
        if (route.method != request.method()) {
            otherMethod = true;
            continue;
        }
        for (auto& [name, value] : *parameters)
            request.withPathParameter(std::move(name), std::move(value));
        return route;
    }
    if (otherMethod)
        throw ApiError(ErrorKind::MethodNotAllowed, "Method not allowed");
    throw ApiError::notFound();
}

Outcome PluginRun::call(FakeRequest& request) {
    try {
        const Route& route = find(request);
        if (route.body == Body::Json && !request.hasBody())
            parseJsonObject(""); // refuses, as the host does
        if (route.body == Body::Form && !request.hasForm())
            throw ApiError(ErrorKind::UnsupportedMediaType, "Send a form");
        if (route.body == Body::Raw && !request.hasRawBody())
            throw ApiError(ErrorKind::LengthRequired, "Send a body");
        if (route.admit)
            request.withAdmission(route.admit(request));
        Outcome outcome{route.handler(request), std::nullopt};
        checkContent(outcome.response, route);
        return outcome;
    } catch (const ApiError& error) {
        return {{}, error};
    }
}

} // namespace supplierd::testing
