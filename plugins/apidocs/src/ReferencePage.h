#pragma once

#include <string>
#include <vector>

namespace supplierd::apidocs {

/// The parts of a page that depend on which plugins are enabled, as HTML.
struct ReferencePage {
    std::string menu;    ///< links to the operations, by their tags
    std::string content; ///< the operations, in three columns each
    /// Operations that are not as OpenAPI has it, and why. They are shown by their names and paths alone.
    std::vector<std::string> problems;
};

/// @param document an OpenAPI 3.1 document as the host serves it.
ReferencePage referencePage(const std::string& document);

} // namespace supplierd::apidocs
