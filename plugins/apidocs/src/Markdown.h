#pragma once

#include <string>
#include <string_view>

namespace supplierd::apidocs {

/// The Markdown that descriptions of OpenAPI documents use, as HTML: paragraphs, lists, `code`, **bold**, links. The
/// rest stays as it is written.
std::string markdownHtml(std::string_view text);
/// One paragraph of it, without its element.
std::string inlineHtml(std::string_view text);

} // namespace supplierd::apidocs
