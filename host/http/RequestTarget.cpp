#include "host/http/RequestTarget.h"

#include <supplierd/Errors.h>
#include <supplierd/PercentDecoding.h>

#include <algorithm>
#include <utility>

namespace supplierd::host {

namespace {

[[noreturn]] void refuseTarget(const char* message) {
    throw ApiError(ErrorKind::BadRequest, message);
}

std::string decodeSegment(std::string_view raw) {
    auto text = percentDecoded(raw);
    if (!text)
        refuseTarget("The path has a broken percent escape, or is no UTF-8 text");
    return std::move(*text);
}

bool startsWithIgnoringCase(std::string_view text, std::string_view lowerCasePrefix) {
    return text.size() >= lowerCasePrefix.size() &&
           std::equal(lowerCasePrefix.begin(), lowerCasePrefix.end(), text.begin(),
                      [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
}

std::string_view withoutAuthority(std::string_view raw) {
    for (std::string_view scheme : {"http://", "https://"})
        if (startsWithIgnoringCase(raw, scheme)) {
            const auto end = raw.find_first_of("/?#", scheme.size());
            return end == std::string_view::npos || raw[end] != '/' ? std::string_view("/") : raw.substr(end);
        }
    return raw;
}

} // namespace

RequestTarget RequestTarget::parse(std::string_view raw) {
    raw = withoutAuthority(raw);
    if (raw.empty() || raw.front() != '/')
        refuseTarget("The request target must be a path that begins with '/'");
    RequestTarget target;
    const auto mark = raw.find('?');
    target.path = raw.substr(0, mark);
    if (mark != std::string_view::npos)
        target.query = raw.substr(mark + 1);
    target.query = target.query.substr(0, target.query.find('#'));
    auto rest = target.path.substr(1);
    for (;;) {
        const auto slash = rest.find('/');
        target.segments.push_back(decodeSegment(rest.substr(0, slash)));
        if (slash == std::string_view::npos)
            break;
        rest.remove_prefix(slash + 1);
    }
    return target;
}

} // namespace supplierd::host
