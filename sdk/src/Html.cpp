#include <supplierd/Html.h>

#include <utility>

namespace supplierd {

std::string escapeHtml(std::string_view text) {
    std::string escaped;
    escaped.reserve(text.size());
    for (const char c : text) {
        switch (c) {
        case '&':
            escaped += "&amp;";
            break;
        case '<':
            escaped += "&lt;";
            break;
        case '>':
            escaped += "&gt;";
            break;
        case '"':
            escaped += "&quot;";
            break;
        case '\'':
            escaped += "&#39;";
            break;
        default:
            escaped += c;
        }
    }
    return escaped;
}

Response htmlPage(std::string_view title, std::string_view content, int status, std::string_view language) {
    constexpr const char* POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
                                   "base-uri 'none'; frame-ancestors 'none'";
    const std::string heading = escapeHtml(title);
    std::string page = "<!DOCTYPE html>\n<html lang=\"" + escapeHtml(language) +
                       "\">\n<head><meta charset=\"utf-8\"><title>" + heading + "</title></head>\n<body>\n<h1>" +
                       heading + "</h1>\n";
    page.append(content).append("\n</body>\n</html>\n");
    return Response::html(std::move(page), status).addHeader("Content-Security-Policy", POLICY);
}

} // namespace supplierd
