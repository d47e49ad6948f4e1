#pragma once

#include "host/plugins/RoutePattern.h"

#include <supplierd/Request.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::host {

/// A new plugin's source tree, made from the files in sdk/template.
class PluginProject {
public:
    struct File {
        std::filesystem::path path; ///< within the project
        std::string text;
        bool isProgram = false;
    };

    /// `route` is "GET /path", relative to /api/v1/supplier. Throws CommandFailure (Usage) saying what is wrong with
    /// the name or the route.
    PluginProject(const std::string& name, std::string_view route);

    std::vector<File> files() const;
    /// Throws CommandFailure when there is something in `folder` already, std::filesystem::filesystem_error.
    void write(const std::filesystem::path& folder) const;

private:
    void readRoute(std::string_view route);
    void fillNames();
    void fillPaths();
    void fillKind();
    std::string expand(std::string_view text) const;

    std::string _name;
    Method _method = Method::Get;
    RoutePattern _pattern;
    std::map<std::string, std::string, std::less<>> _values; ///< what stands for @NAME@ and the like
};

} // namespace supplierd::host
