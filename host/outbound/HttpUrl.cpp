#include "host/outbound/HttpUrl.h"

#include <supplierd/services/HttpClient.h>

#include <arpa/inet.h>
#include <idn2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace supplierd::host {

using Poco::Net::IPAddress;

namespace {

constexpr std::size_t MAX_NAME = 253;
constexpr std::size_t MAX_LABEL = 63;

// Reserved for inner use (RFC 6761, RFC 6762, RFC 8375, RFC 9476, ICANN's .internal), or long used so.
constexpr std::array<std::string_view, 17> INTERNAL_DOMAINS{
    "localhost", "local", "localdomain", "internal", "intranet", "private", "corp",    "home",  "lan",
    "svc",       "test",  "invalid",     "onion",    "alt",      "arpa",    "cluster", "consul"};

HttpError notAHost(const std::string& reason) {
    return {HttpErrorCode::Address, "the host of the URL is not valid: " + reason};
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isHexDigit(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'f');
}

bool isNameCharacter(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
}

std::string_view lastLabel(std::string_view name) {
    return name.substr(name.rfind('.') + 1); // npos + 1 is 0
}

/// Whether inet_aton() may take it for an address: the last part is a decimal, octal or hexadecimal number.
bool looksNumeric(std::string_view name) {
    const std::string_view label = lastLabel(name);
    if (label.empty())
        return false;
    if (label.starts_with("0x"))
        return std::ranges::all_of(label.substr(2), isHexDigit);
    return std::ranges::all_of(label, isDigit);
}

std::string toAscii(const std::string& name) {
    std::uint8_t* raw = nullptr;
    const int result = ::idn2_lookup_u8(reinterpret_cast<const std::uint8_t*>(name.c_str()), &raw,
                                        IDN2_NFC_INPUT | IDN2_NO_TR46 | IDN2_USE_STD3_ASCII_RULES);
    if (result != IDN2_OK)
        throw notAHost("it has characters that no name has");
    const std::unique_ptr<std::uint8_t, decltype(&::idn2_free)> owned(raw, &::idn2_free);
    return lowerCase(reinterpret_cast<const char*>(raw));
}

void checkName(std::string_view name) {
    if (name.empty())
        throw notAHost("it is empty");
    if (name.size() > MAX_NAME)
        throw notAHost("it is too long");
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('.', begin), name.size());
        const std::string_view label = name.substr(begin, end - begin);
        if (label.empty() || label.size() > MAX_LABEL)
            throw notAHost("a part of it is empty or too long");
        if (!std::ranges::all_of(label, isNameCharacter))
            throw notAHost("it has characters that no name has");
        begin = end + 1;
    }
}

IPAddress parseIPv6(std::string_view bracketed) {
    std::array<std::uint8_t, 16> bytes{};
    if (bracketed.size() < 2 || bracketed.back() != ']' ||
        ::inet_pton(AF_INET6, std::string(bracketed.substr(1, bracketed.size() - 2)).c_str(), bytes.data()) != 1)
        throw notAHost("it is not an IPv6 address");
    return IPAddress(bytes.data(), 16);
}

} // namespace

UrlHost::UrlHost(std::string text, std::optional<IPAddress> address)
    : _text(std::move(text)), _address(std::move(address)) {}

UrlHost UrlHost::parse(std::string_view text) {
    if (text.starts_with('[')) {
        const IPAddress address = parseIPv6(text);
        return {address.toString(), address};
    }
    std::string name = lowerCase(text);
    if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
        name = toAscii(name);
    const bool hasFinalDot = name.ends_with('.');
    if (hasFinalDot)
        name.pop_back();
    checkName(name);
    if (!looksNumeric(name))
        return {name, std::nullopt};
    std::array<std::uint8_t, 4> bytes{};
    if (hasFinalDot || ::inet_pton(AF_INET, name.c_str(), bytes.data()) != 1)
        throw addressNotAllowed();
    return {name, IPAddress(bytes.data(), 4)};
}

std::string UrlHost::bracketed() const {
    return _address && _address->family() == IPAddress::IPv6 ? "[" + _text + "]" : _text;
}

HttpError addressNotAllowed() {
    return {HttpErrorCode::Address, "address not allowed"};
}

bool UrlHost::isInternalName() const {
    if (_address)
        return false;
    return _text.find('.') == std::string::npos ||
           std::ranges::find(INTERNAL_DOMAINS, lastLabel(_text)) != INTERNAL_DOMAINS.end();
}

namespace {

// What a path or query holds as it is (RFC 3986); everything else is percent-encoded.
constexpr std::string_view TARGET_PUNCTUATION = "-._~!$&'()*+,;=:@/?%[]";

HttpError notAUrl(const std::string& text) {
    return {HttpErrorCode::Address, text};
}

bool isAlphanumeric(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string encodeTarget(std::string_view text) {
    constexpr std::string_view HEX = "0123456789ABCDEF";
    std::string result;
    result.reserve(text.size());
    for (const char c : text) {
        if (isAlphanumeric(c) || TARGET_PUNCTUATION.find(c) != std::string_view::npos) {
            result += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            result += {'%', HEX[byte >> 4], HEX[byte & 15]};
        }
    }
    return result;
}

void checkCharacters(std::string_view text) {
    if (text.size() > HttpUrl::MAX_LENGTH)
        throw notAUrl("the URL is longer than " + std::to_string(HttpUrl::MAX_LENGTH) + " characters");
    const auto isForbidden = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\'; };
    if (std::ranges::any_of(text, isForbidden))
        throw notAUrl("the URL has characters that no URL has");
}

/// The scheme of "scheme:…", in lower case; nothing for a relative reference.
std::optional<std::string> schemeOf(std::string_view text) {
    const std::size_t colon = text.find_first_of(":/?#");
    if (colon == std::string_view::npos || text[colon] != ':')
        return std::nullopt;
    return lowerCase(text.substr(0, colon));
}

std::uint16_t parsePort(std::string_view digits, std::uint16_t usual) {
    if (digits.empty())
        return usual;
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc() || end != digits.data() + digits.size() || port == 0 || digits.size() > 5)
        throw notAUrl("the port of the URL is not valid");
    return port;
}

/// Splits "host:port"; an IPv6 host is in brackets.
std::pair<std::string_view, std::string_view> splitAuthority(std::string_view authority) {
    const std::size_t bracket = authority.find(']');
    if (authority.starts_with('[') && bracket == std::string_view::npos)
        throw notAUrl("the host of the URL is not valid");
    const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
    if (colon == std::string_view::npos)
        return {authority, {}};
    return {authority.substr(0, colon), authority.substr(colon + 1)};
}

/// Takes `.` and `..` out of an absolute path (RFC 3986, 5.2.4).
std::string withoutDotSegments(std::string_view path) {
    std::vector<std::string_view> kept;
    bool endsInFolder = false;
    for (std::size_t begin = 1; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string_view segment = path.substr(begin, end - begin);
        endsInFolder = segment == "." || segment == "..";
        if (segment == ".." && !kept.empty())
            kept.pop_back();
        if (!endsInFolder)
            kept.push_back(segment);
        begin = end + 1;
    }
    std::string result;
    for (const auto segment : kept)
        result.append("/").append(segment);
    if (endsInFolder || result.empty())
        result += '/';
    return result;
}

} // namespace

HttpUrl::HttpUrl(bool isSecure, UrlHost host, std::uint16_t port, std::string target)
    : _isSecure(isSecure), _host(std::move(host)), _port(port), _target(std::move(target)) {}

HttpUrl HttpUrl::parse(std::string_view text) {
    checkCharacters(text);
    const auto scheme = schemeOf(text);
    if (scheme != "http" && scheme != "https")
        throw notAUrl("only http and https URLs are accepted");
    std::string_view rest = text.substr(scheme->size() + 1);
    if (!rest.starts_with("//"))
        throw notAUrl("the URL has no host");
    rest.remove_prefix(2);
    const std::size_t authorityEnd = std::min(rest.find_first_of("/?#"), rest.size());
    const std::string_view authority = rest.substr(0, authorityEnd);
    if (authority.find('@') != std::string_view::npos)
        throw notAUrl("a URL with a user name or password is not accepted");
    const auto [host, digits] = splitAuthority(authority);
    const bool isSecure = scheme == "https";
    const std::uint16_t port = parsePort(digits, isSecure ? 443 : 80);

    std::string target = encodeTarget(rest.substr(authorityEnd, rest.find('#') - authorityEnd));
    if (!target.starts_with('/'))
        target.insert(0, "/");
    return {isSecure, UrlHost::parse(host), port, std::move(target)};
}

HttpUrl HttpUrl::resolve(std::string_view reference) const {
    checkCharacters(reference);
    if (schemeOf(reference))
        return parse(reference);
    if (reference.starts_with("//"))
        return parse((_isSecure ? "https:" : "http:") + std::string(reference));
    reference = reference.substr(0, reference.find('#'));
    if (reference.empty())
        return *this;
    const std::string_view path = std::string_view(_target).substr(0, _target.find('?'));
    const std::size_t question = std::min(reference.find('?'), reference.size());
    std::string target(reference.substr(0, question));
    if (target.empty())
        target = path;
    else if (!target.starts_with('/'))
        target.insert(0, path.substr(0, path.rfind('/') + 1));
    target = encodeTarget(withoutDotSegments(target)) + encodeTarget(reference.substr(question));
    if (target.size() > MAX_LENGTH)
        throw notAUrl("the URL is too long");
    return {_isSecure, _host, _port, std::move(target)};
}

std::string HttpUrl::authority() const {
    const std::uint16_t usual = _isSecure ? 443 : 80;
    return _port == usual ? _host.bracketed() : _host.bracketed() + ":" + std::to_string(_port);
}

std::string HttpUrl::toString() const {
    return (_isSecure ? "https://" : "http://") + authority() + _target;
}

bool HttpUrl::hasOriginOf(const HttpUrl& other) const {
    return _isSecure == other._isSecure && _port == other._port && _host.text() == other._host.text();
}

} // namespace supplierd::host
