#include "host/http/response/ContentChoice.h"

#include <Poco/String.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <string>

namespace supplierd::host {

namespace {

constexpr std::uint64_t FARTHEST = std::numeric_limits<std::uint64_t>::max();

bool isSpace(char c) {
    return c == ' ' || c == '\t';
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && isSpace(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && isSpace(text.back()))
        text.remove_suffix(1);
    return text;
}

bool isWeak(std::string_view tag) {
    return tag.starts_with("W/");
}

std::string_view opaque(std::string_view tag) {
    return isWeak(tag) ? tag.substr(2) : tag;
}

using Comparison = bool (*)(std::string_view one, std::string_view other);

bool equalWeakly(std::string_view one, std::string_view other) {
    return opaque(one) == opaque(other);
}

bool equalStrongly(std::string_view one, std::string_view other) {
    return !isWeak(one) && one == other;
}

/// Takes the first entity tag of a list, and what is around it up to the next. Empty: there is none, or no list.
std::string_view takeTag(std::string_view& list) {
    while (!list.empty() && (isSpace(list.front()) || list.front() == ','))
        list.remove_prefix(1);
    const std::size_t begin = isWeak(list) ? 2 : 0;
    const auto end = list.size() > begin && list[begin] == '"' ? list.find('"', begin + 1) : std::string_view::npos;
    if (end == std::string_view::npos)
        return {};
    const auto tag = list.substr(0, end + 1);
    list.remove_prefix(end + 1);
    return tag;
}

bool listHas(std::string_view list, std::string_view etag, Comparison equal) {
    if (trimmed(list) == "*")
        return true;
    if (etag.empty())
        return false;
    for (auto tag = takeTag(list); !tag.empty(); tag = takeTag(list))
        if (equal(tag, etag))
            return true;
    return false;
}

/// Nothing when the request has no such field; several lines of it are one list.
std::optional<bool> fieldHas(const Poco::Net::HTTPRequest& request, const std::string& field, std::string_view etag,
                             Comparison equal) {
    std::optional<bool> has;
    for (auto line = request.find(field); line != request.end() && Poco::icompare(line->first, field) == 0; ++line)
        has = has.value_or(false) || listHas(line->second, etag, equal);
    return has;
}

/// Beyond what a number can hold is far beyond any content.
std::optional<std::uint64_t> parsePosition(std::string_view digits) {
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
        return std::nullopt;
    std::uint64_t position = FARTHEST;
    std::from_chars(digits.data(), digits.data() + digits.size(), position);
    return position;
}

constexpr ContentChoice UNSATISFIABLE{416, 0, 0};

ContentChoice suffixOf(std::uint64_t size, std::uint64_t wanted) {
    if (wanted == 0)
        return UNSATISFIABLE;
    if (size == 0)
        return {200, 0, 0}; // no Content-Range can say "nothing"
    const auto length = std::min(wanted, size);
    return {206, size - length, length};
}

/// The part that one range of bytes names; nothing when the field is to be ignored.
std::optional<ContentChoice> rangeOf(std::string_view field, std::uint64_t size) {
    constexpr std::string_view UNIT = "bytes=";
    field = trimmed(field);
    if (field.size() < UNIT.size() || Poco::icompare(std::string(field.substr(0, UNIT.size())), UNIT.data()) != 0)
        return std::nullopt;
    field = trimmed(field.substr(UNIT.size()));
    const auto dash = field.find('-');
    if (dash == std::string_view::npos)
        return std::nullopt;
    const auto first = parsePosition(field.substr(0, dash));
    const auto last = parsePosition(field.substr(dash + 1));
    if (dash == 0)
        return last ? std::optional(suffixOf(size, *last)) : std::nullopt;
    const bool isOpen = dash + 1 == field.size();
    if (!first || (!last && !isOpen) || (last && *last < *first))
        return std::nullopt;
    if (*first >= size)
        return UNSATISFIABLE;
    return ContentChoice{206, *first, std::min(last.value_or(FARTHEST), size - 1) - *first + 1};
}

/// A date never matches, and no weak tag does.
bool mayUseRange(const Poco::Net::HTTPRequest& request, std::string_view etag) {
    const auto condition = request.find("If-Range");
    return condition == request.end() || (!etag.empty() && equalStrongly(trimmed(condition->second), etag));
}

bool hasOne(const Poco::Net::HTTPRequest& request, const std::string& field) {
    const auto line = request.find(field);
    if (line == request.end())
        return false;
    const auto next = std::next(line);
    return next == request.end() || Poco::icompare(next->first, field) != 0;
}

} // namespace

ContentChoice chooseContent(const Poco::Net::HTTPRequest& request, std::uint64_t size, std::string_view etag) {
    if (!fieldHas(request, "If-Match", etag, equalStrongly).value_or(true))
        return {412, 0, 0};
    if (fieldHas(request, "If-None-Match", etag, equalWeakly).value_or(false))
        return {304, 0, 0};
    const ContentChoice whole{200, 0, size};
    if (request.getMethod() != Poco::Net::HTTPRequest::HTTP_GET || !hasOne(request, "Range") ||
        !mayUseRange(request, etag))
        return whole;
    return rangeOf(request.get("Range"), size).value_or(whole);
}

bool isEntityTag(std::string_view text) {
    text = opaque(text);
    if (text.size() < 2 || text.front() != '"' || text.back() != '"')
        return false;
    text = text.substr(1, text.size() - 2);
    return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f && c != '"'; });
}

} // namespace supplierd::host
