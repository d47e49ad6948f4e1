#include "Markdown.h"

#include <supplierd/Html.h>

#include <regex>
#include <sstream>

namespace supplierd::apidocs {

namespace {

/// std::regex takes some stack for each character, and begins again at every mark that does not end.
constexpr std::size_t LONGEST = 2'000;

} // namespace

std::string inlineHtml(std::string_view text) {
    static const std::regex marks(R"(`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(((?:https?:)?[\w./#?=%&;~-]+)\))");
    const std::string escaped = escapeHtml(text);
    if (escaped.size() > LONGEST)
        return escaped;
    std::string html;
    auto rest = escaped.cbegin();
    for (std::sregex_iterator found(escaped.begin(), escaped.end(), marks), end; found != end; ++found) {
        const std::smatch& mark = *found;
        html.append(rest, mark[0].first);
        if (mark[1].matched)
            html += "<code>" + mark[1].str() + "</code>";
        else if (mark[2].matched)
            html += "<strong>" + mark[2].str() + "</strong>";
        else
            html += "<a href=\"" + mark[4].str() + "\">" + mark[3].str() + "</a>";
        rest = mark[0].second;
    }
    return html.append(rest, escaped.cend());
}

std::string markdownHtml(std::string_view text) {
    std::string html;
    std::string paragraph;
    bool isList = false;
    const auto endParagraph = [&] {
        if (!paragraph.empty())
            html += (isList ? "<li>" : "<p>") + inlineHtml(paragraph) + (isList ? "</li>\n" : "</p>\n");
        paragraph.clear();
    };
    const auto setList = [&](bool begins) {
        endParagraph();
        if (begins != isList)
            html += begins ? "<ul>\n" : "</ul>\n";
        isList = begins;
    };
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("- ") || line.starts_with("* ")) {
            setList(true);
            paragraph = line.substr(2);
        } else if (line.find_first_not_of(" \t\r") == std::string::npos) {
            setList(false);
        } else {
            paragraph += (paragraph.empty() ? "" : " ") + line;
        }
    }
    setList(false);
    return html;
}

} // namespace supplierd::apidocs
