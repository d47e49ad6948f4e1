#include "MailTexts.h"

#include "MailKinds.h"

#include <supplierd/Html.h>

#include <Poco/URI.h>

#include <mailAssets.h>

#include <algorithm>
#include <vector>

namespace supplierd::dashboard {

namespace {

constexpr std::size_t MAX_VALUE = 100;
constexpr std::string_view USUAL_ACCENT = "#0b62a8";

/// "1234.50" as its readers write it.
std::string numberText(std::string_view number, const Texts& texts) {
    const auto dot = number.find('.');
    const std::string_view whole = number.substr(0, dot);
    std::string text;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        if (i > 0 && (whole.size() - i) % 3 == 0)
            text += texts.at("thousands");
        text += whole[i];
    }
    if (dot != std::string_view::npos)
        text += texts.at("decimal_point") + std::string(number.substr(dot + 1));
    return text;
}

/// "EUR 1234.50, USD 3.00": amounts, each with its currency.
std::string amountsText(std::string_view amounts, const Texts& texts) {
    std::string text;
    while (!amounts.empty()) {
        const auto end = std::min(amounts.find(", "), amounts.size());
        const std::string_view amount = amounts.substr(0, end);
        const auto space = amount.find(' ');
        text += (text.empty() ? "" : " + ") + std::string(amount.substr(0, space + 1)) +
                numberText(amount.substr(space + 1), texts);
        amounts.remove_prefix(std::min(end + 2, amounts.size()));
    }
    return text;
}

std::string filled(std::string_view text, const Texts& values, bool isHtml) {
    std::string result;
    const auto add = [&](std::string_view part) { result += isHtml ? escapeHtml(part) : std::string(part); };
    while (!text.empty()) {
        const auto open = std::min(text.find('{'), text.size());
        add(text.substr(0, open));
        text.remove_prefix(open);
        const auto close = text.find('}');
        if (text.empty() || close == std::string_view::npos)
            break;
        const auto value = values.find(std::string(text.substr(1, close - 1)));
        add(value == values.end() ? text.substr(0, close + 1) : std::string_view(value->second));
        text.remove_prefix(close + 1);
    }
    add(text);
    return result;
}

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    for (;;) {
        const auto end = text.find('\n');
        lines.push_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return lines;
        text.remove_prefix(end + 1);
    }
}

/// The text of one where there is one.
const std::string& choose(const Texts& texts, const std::string& name, const Texts& values) {
    const auto count = values.find("count");
    const auto one = texts.find(name + ".one");
    return count != values.end() && count->second == "1" && one != texts.end() ? one->second : texts.at(name);
}

/// What stands below the button, in smaller letters.
std::string footerOf(std::string_view kind) {
    if (kind == MailKind::NEW_PASSWORD)
        return "new_password.ignore";
    if (kind == MailKind::INVITATION || kind == MailKind::INVITED_ELSEWHERE)
        return "ignore";
    return chosenMail(kind) ? "choose" : "always";
}

/// A name that somebody gave, in which no program for mails finds an address to link to.
std::string unlinked(std::string_view text) {
    constexpr std::string_view WORD_JOINER = "\u2060";
    std::string broken;
    for (const char c : text) {
        broken += c;
        if (c == '.' || c == '@' || c == ':')
            broken += WORD_JOINER;
    }
    return broken;
}

} // namespace

MailTexts::MailTexts(Look look, const std::filesystem::path& own) : _look(std::move(look)) {
    const bool hasOwn = !own.empty() && std::filesystem::is_directory(own / "mails");
    _languages = readTexts(supplierd_dashboard_mails::assets(), "", hasOwn ? own / "mails" : std::filesystem::path());
    addMissing(_languages);
    if (_look.accent.empty())
        _look.accent = USUAL_ACCENT;
    if (_look.name.empty())
        _look.name = Poco::URI(_look.publicUrl).getHost();
}

MailContent MailTexts::write(const Mail& mail) const {
    const auto found = _languages.find(std::string(mail.language));
    const std::string language = found == _languages.end() ? "en" : found->first;
    const Texts& texts = _languages.at(language);
    Texts values = mail.values;
    for (const char* name : {"name", "store", "key"})
        if (const auto value = values.find(name); value != values.end())
            value->second = unlinked(value->second);
    values["brand"] = _look.name;
    if (values["store"].empty()) // of operators
        values["store"] = _look.name;
    for (auto& [name, value] : values)
        value = onOneLine(value, MAX_VALUE);
    if (const auto total = values.find("total"); total != values.end())
        total->second = amountsText(total->second, texts);
    if (const auto reason = values.find("reason"); reason != values.end()) {
        const auto text = texts.find(std::string(mail.kind) + ".reason." + reason->second);
        reason->second = text == texts.end() ? texts.at("webhook_off.reason.operator") : text->second;
    }
    values["account"] = _look.publicUrl + "/dashboard/#/account";

    const std::string kind(mail.kind);
    const bool isOther = mail.isForOperator && texts.contains(kind + ".operator");
    const std::string body = isOther ? texts.at(kind + ".operator") : choose(texts, kind + ".text", values);
    const std::string& footer = texts.at(footerOf(kind));

    MailContent content;
    content.subject = filled(choose(texts, kind + ".subject", values), values, false);
    content.text = filled(texts.at("hello"), values, false) + "\n";
    std::string paragraphs = "<p style=\"margin:0 0 16px\">" + filled(texts.at("hello"), values, true) + "</p>";
    for (const std::string_view line : linesOf(body)) {
        content.text += "\n" + filled(line, values, false) + "\n";
        paragraphs += "<p style=\"margin:0 0 16px\">" + filled(line, values, true) + "</p>";
    }
    if (!mail.url.empty()) {
        const std::string button = filled(texts.at(kind + ".button"), values, false);
        content.text += "\n" + button + ":\n" + mail.url + "\n";
        paragraphs += "<p style=\"margin:24px 0\"><a href=\"" + escapeHtml(mail.url) +
                      "\" style=\"background:" + escapeHtml(_look.accent) +
                      ";color:#ffffff;text-decoration:none;padding:12px 20px;border-radius:6px;"
                      "display:inline-block\">" +
                      escapeHtml(button) + "</a></p>";
    }
    content.text += "\n-- \n" + _look.name + "\n" + filled(footer, values, false) + "\n";
    content.html =
        "<!doctype html>\n<html lang=\"" + language + "\"><head><meta charset=\"utf-8\"><title>" +
        escapeHtml(content.subject) +
        "</title></head>\n"
        "<body style=\"margin:0;padding:24px;background:#f5f7f9;color:#1d2530;"
        "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:16px;line-height:1.5\">\n"
        "<div style=\"max-width:560px;margin:0 auto;background:#ffffff;border-top:4px solid " +
        escapeHtml(_look.accent) +
        ";border-radius:6px;padding:24px\">\n<p style=\"margin:0 0 16px;color:" + escapeHtml(_look.accent) +
        ";font-weight:600\">" + escapeHtml(_look.name) + "</p>\n" + paragraphs +
        "\n<p style=\"margin:24px 0 0;color:#596675;font-size:13px\">" + filled(footer, values, true) +
        "</p>\n</div></body></html>\n";
    return content;
}

} // namespace supplierd::dashboard
