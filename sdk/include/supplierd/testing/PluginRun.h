#pragma once

#include <supplierd/Plugin.h>
#include <supplierd/testing/FakeConfig.h>
#include <supplierd/testing/FakeHost.h>
#include <supplierd/testing/FakeRequest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace supplierd::testing {

/// How a request ended: with a response, or with the error that its handler threw.
struct Outcome {
    Response response;
    std::optional<ApiError> error;

    /// The response's `data`, an object; throws the error, if there is one.
    JsonDocument data() const;
    /// What is sent without an envelope: a text, what a stream gives (once), or the bytes of the response's `content`,
    /// read in pieces as the host reads them; throws the error, if there is one,
    /// and std::logic_error when there is no content, when it gives less than its size, or when its descriptor holds
    /// other bytes.
    std::string bytes() const;
    /// The response's first header of this name, in any case.
    std::optional<std::string> header(std::string_view name) const;
    bool failed(ErrorKind kind) const { return error && error->kind() == kind; }
    /// Whether the error's details name this field with this code.
    bool hasDetail(std::string_view field, std::string_view code) const;
    /// Whether the handler's warnings do; those of unknown fields are the host's, and not here.
    bool hasWarning(std::string_view field, std::string_view code) const;
};

/// A plugin in its life cycle on a fake host: describe, configure, start and ready at once, drain and stop at the end.
/// Throws what configure() and start() throw, after stop(). Thread: one. Since 1.0.
class PluginRun {
public:
    PluginRun(std::unique_ptr<Plugin> plugin, FakeHost& host, const std::map<std::string, std::string>& config = {});
    ~PluginRun();
    PluginRun(const PluginRun&) = delete;
    PluginRun& operator=(const PluginRun&) = delete;

    /// Finds the route by method and path and runs its handler. No such route is NotFound or MethodNotAllowed, a route
    /// with Body::Json called without a body is Validation. Exceptions other than ApiError pass through. Conditions and
    /// ranges are the host's: content comes whole here. Content where the host takes none is a std::logic_error.
    Outcome call(FakeRequest& request);
    Outcome call(FakeRequest&& request) { return call(request); }

    const PluginDescription& description() const { return _description; }
    Plugin& plugin() { return *_plugin; }

private:
    const Route& find(FakeRequest& request) const;

    std::unique_ptr<Plugin> _plugin;
    PluginDescription _description;
};

} // namespace supplierd::testing
