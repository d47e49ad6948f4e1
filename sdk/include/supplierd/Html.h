#pragma once

#include <supplierd/Response.h>

#include <string>
#include <string_view>

namespace supplierd {

/// A text as it is written into HTML: between tags, or as the value of an attribute, in quotes. Not for what a browser
/// reads in another way: scripts, styles, the scheme of a link. Since 1.0.
std::string escapeHtml(std::string_view text);

/// A whole page: `title`, a text, is its heading too; `content` is HTML, and stands below. The browser is told to run
/// no script, to load styles and pictures from this server alone, to send forms nowhere else and to show the page in no
/// frame (Content-Security-Policy); scripts and styles within the page have no effect.
/// `language` is that of the texts ("en", "nl"), for those who have pages read out or translated. Since 1.0.
Response htmlPage(std::string_view title, std::string_view content, int status = 200, std::string_view language = "en");

} // namespace supplierd
