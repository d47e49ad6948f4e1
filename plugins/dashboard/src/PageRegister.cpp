#include "PageRegister.h"

#include <algorithm>
#include <stdexcept>

namespace supplierd::dashboard {

namespace {

constexpr std::size_t MAX_ID = 32;

bool isId(std::string_view text) {
    return !text.empty() && text.size() <= MAX_ID && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

} // namespace

void PageRegister::addPage(DashboardPage page) {
    if (!isId(page.id))
        throw std::invalid_argument("a page's id is 1 to 32 of a-z, 0-9 and -, found '" + page.id + "'");
    if (!page.titles.contains("en"))
        throw std::invalid_argument("the page '" + page.id + "' has no English title");
    if (!page.script.starts_with('/') || page.script.starts_with("//"))
        throw std::invalid_argument("the script of the page '" + page.id + "' must be a path on this server");
    if (page.audience == Audience::Public)
        throw std::invalid_argument("the page '" + page.id + "' must be suppliers' or operators'");
    if (has(page.id))
        throw std::logic_error("the page '" + page.id + "' is there already");
    _pages.push_back(std::move(page));
}

bool PageRegister::has(std::string_view id) const {
    return std::any_of(_pages.begin(), _pages.end(), [id](const DashboardPage& page) { return page.id == id; });
}

void PageRegister::write(JsonWriter& json, const SignedIn& user) const {
    const Audience audience = user.isOperator() ? Audience::Operator : Audience::Supplier;
    json.beginArray();
    for (const DashboardPage& page : _pages) {
        if (page.audience != audience || !user.may(page.scope))
            continue;
        json.beginObject().field("id", page.id).key("titles").beginObject();
        for (const auto& [language, title] : page.titles)
            json.field(language, title);
        json.endObject().field("script", page.script).field("scope", page.scope).endObject();
    }
    json.endArray();
}

} // namespace supplierd::dashboard
