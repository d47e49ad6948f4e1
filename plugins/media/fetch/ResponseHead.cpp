#include "ResponseHead.h"

#include "AsciiText.h"
#include "FetchError.h"
#include "StreamInput.h"

#include <algorithm>
#include <charconv>

namespace supplierd::media {

namespace {

constexpr std::size_t MAX_LINE = 16 * 1024;
constexpr std::size_t MAX_HEADS = 64 * 1024;
constexpr unsigned MAX_FIELDS = 200;
constexpr unsigned MAX_INTERIM = 4;
constexpr std::size_t MAX_LENGTH_DIGITS = 15;

FetchError notHttp() {
    return {FetchErrorCode::HttpStatus, "the answer of the image's server is not valid HTTP"};
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isTokenCharacter(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool isControl(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// "HTTP/1.1 200 OK" → 200.
int statusOf(std::string_view line) {
    const bool isValid = line.size() >= 12 && (line.starts_with("HTTP/1.1 ") || line.starts_with("HTTP/1.0 ")) &&
                         std::ranges::all_of(line.substr(9, 3), isDigit) && (line.size() == 12 || line[12] == ' ') &&
                         std::ranges::none_of(line, isControl);
    if (!isValid)
        throw notHttp();
    int status = 0;
    std::from_chars(line.data() + 9, line.data() + 12, status);
    if (status < 100 || status > 599 || status == 101)
        throw notHttp();
    return status;
}

std::uint64_t lengthOf(std::string_view value) {
    if (value.empty() || value.size() > MAX_LENGTH_DIGITS || !std::ranges::all_of(value, isDigit))
        throw notHttp();
    std::uint64_t length = 0;
    std::from_chars(value.data(), value.data() + value.size(), length);
    return length;
}

} // namespace

ResponseHead ResponseHead::read(StreamInput& input) {
    if (input.available().empty())
        throw FetchError(FetchErrorCode::Connect, "the image's server closed the connection without an answer");
    std::size_t size = 0;
    for (unsigned interim = 0; interim <= MAX_INTERIM; ++interim) {
        ResponseHead head;
        head.status = statusOf(input.line(MAX_LINE));
        unsigned fields = 0;
        for (std::string line = input.line(MAX_LINE); !line.empty(); line = input.line(MAX_LINE)) {
            size += line.size();
            if (++fields > MAX_FIELDS || size > MAX_HEADS)
                throw notHttp();
            head.take(line);
        }
        if (head.isChunked && head.contentLength)
            throw notHttp();
        if (head.status >= 200)
            return head;
    }
    throw notHttp();
}

void ResponseHead::take(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == 0 || colon == std::string_view::npos || !std::ranges::all_of(line.substr(0, colon), isTokenCharacter))
        throw notHttp();
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (std::ranges::any_of(value, isControl))
        throw notHttp();
    takeField(lowerCase(line.substr(0, colon)), value);
}

void ResponseHead::takeField(std::string_view lowerCaseName, std::string_view value) {
    if (lowerCaseName == "content-length") {
        if (contentLength)
            throw notHttp();
        contentLength = lengthOf(value);
    } else if (lowerCaseName == "transfer-encoding") {
        if (isChunked)
            throw notHttp();
        isChunked = lowerCase(value) == "chunked";
        isEncoded = isEncoded || !isChunked;
    } else if (lowerCaseName == "content-encoding") {
        isEncoded = isEncoded || (!value.empty() && lowerCase(value) != "identity");
    } else if (lowerCaseName == "location") {
        locations.emplace_back(value);
    }
}

bool ResponseHead::isRedirect() const {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

} // namespace supplierd::media
