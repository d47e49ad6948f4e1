#include "host/outbound/UrlHost.h"

#include "host/outbound/AsciiText.h"

#include <supplierd/HttpClient.h>

#include <arpa/inet.h>
#include <idn2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

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

} // namespace supplierd::host
