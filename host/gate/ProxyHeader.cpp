#include "host/gate/ProxyHeader.h"

#include "host/config/AddressRange.h"

#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace supplierd::host {

namespace {

using namespace std::string_view_literals;
using Poco::Net::IPAddress;
using Poco::Net::SocketAddress;

constexpr std::string_view LINE_BEGIN = "PROXY ";
constexpr std::string_view SIGNATURE = "\r\n\r\n\0\r\nQUIT\n"sv;
constexpr std::size_t MAX_LINE = 107; ///< version 1, with its CRLF
constexpr std::size_t FIXED_SIZE = 16;
constexpr std::size_t MAX_REST =
    ProxyHeader::MAX_SIZE - FIXED_SIZE; ///< addresses and what else a proxy tells (version 2)
constexpr std::size_t PORTS_SIZE = 4;
constexpr std::size_t TLV_HEAD = 3;
constexpr unsigned VERSION_2 = 2;
constexpr unsigned COMMAND_LOCAL = 0;
constexpr unsigned COMMAND_PROXY = 1;
constexpr unsigned FAMILY_IPV4 = 1;
constexpr unsigned FAMILY_IPV6 = 2;
constexpr unsigned FAMILY_UNIX = 3;
constexpr std::size_t UNIX_ADDRESSES = 216;
constexpr unsigned PROTOCOL_STREAM = 1;
constexpr unsigned LAST_PROTOCOL = 2;
constexpr unsigned TLV_SSL = 0x20;
constexpr unsigned CLIENT_SSL = 0x01;

constexpr std::string_view MISSING = "missing";
constexpr std::string_view BROKEN = "broken";

ProxyHeader rejected(std::string_view failure) {
    ProxyHeader header;
    header.state = ProxyHeader::State::Rejected;
    header.failure = failure;
    return header;
}

ProxyHeader local(std::size_t length) {
    ProxyHeader header;
    header.state = ProxyHeader::State::Local;
    header.length = length;
    return header;
}

ProxyHeader proxied(std::size_t length, const SocketAddress& source, const SocketAddress& destination) {
    ProxyHeader header;
    header.state = ProxyHeader::State::Proxied;
    header.length = length;
    header.source = source;
    header.destination = destination;
    return header;
}

/// Whether one of the two is the beginning of the other.
bool agree(std::string_view a, std::string_view b) {
    const auto size = std::min(a.size(), b.size());
    return a.substr(0, size) == b.substr(0, size);
}

/// Up to the next blank, which must be there unless it is the last one.
std::optional<std::string_view> nextWord(std::string_view& line, bool isLast) {
    const auto blank = line.find(' ');
    if (isLast != (blank == std::string_view::npos))
        return std::nullopt;
    const auto word = line.substr(0, blank);
    line.remove_prefix(isLast ? line.size() : blank + 1);
    return word;
}

std::optional<IPAddress> readAddress(std::string_view text, IPAddress::Family family) {
    auto address = text.find('%') == std::string_view::npos ? parseAddress(text) : std::nullopt;
    return address && address->family() == family ? address : std::nullopt;
}

std::optional<std::uint16_t> readPort(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    const bool isNumber = error == std::errc() && end == text.data() + text.size();
    const bool isPadded = text.size() > 1 && text.front() == '0';
    return isNumber && !isPadded ? std::optional(port) : std::nullopt;
}

/// "TCP4 192.0.2.1 192.0.2.2 56324 443", which `length` bytes said.
ProxyHeader readLine(std::string_view line, std::size_t length) {
    if (line == "UNKNOWN" || line.substr(0, 8) == "UNKNOWN ")
        return local(length);
    const auto protocol = nextWord(line, false);
    if (protocol != "TCP4" && protocol != "TCP6")
        return rejected(BROKEN);
    const auto family = protocol == "TCP4" ? IPAddress::IPv4 : IPAddress::IPv6;
    const auto sourceText = nextWord(line, false);
    const auto destinationText = nextWord(line, false);
    const auto sourcePortText = nextWord(line, false);
    const auto destinationPortText = nextWord(line, true);
    if (!sourceText || !destinationText || !sourcePortText || !destinationPortText)
        return rejected(BROKEN);
    const auto source = readAddress(*sourceText, family);
    const auto destination = readAddress(*destinationText, family);
    const auto sourcePort = readPort(*sourcePortText);
    const auto destinationPort = readPort(*destinationPortText);
    if (!source || !destination || !sourcePort || !destinationPort)
        return rejected(BROKEN);
    return proxied(length, SocketAddress(*source, *sourcePort), SocketAddress(*destination, *destinationPort));
}

ProxyHeader parseLine(std::string_view bytes) {
    const auto end = bytes.substr(0, MAX_LINE).find('\n');
    if (end == std::string_view::npos)
        return bytes.size() < MAX_LINE ? ProxyHeader() : rejected(BROKEN);
    if (bytes[end - 1] != '\r')
        return rejected(BROKEN);
    const auto line = bytes.substr(LINE_BEGIN.size(), end - 1 - LINE_BEGIN.size());
    return line.find('\r') == std::string_view::npos ? readLine(line, end + 1) : rejected(BROKEN);
}

unsigned byteAt(std::string_view bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]);
}

std::size_t numberAt(std::string_view bytes, std::size_t at) {
    return byteAt(bytes, at) << 8U | byteAt(bytes, at + 1);
}

/// Type, length and value, until the end. False when one is cut off.
bool readExtras(std::string_view extras, bool& isTls) {
    while (!extras.empty()) {
        if (extras.size() < TLV_HEAD || extras.size() - TLV_HEAD < numberAt(extras, 1))
            return false;
        const auto size = numberAt(extras, 1);
        if (byteAt(extras, 0) == TLV_SSL && size > 0)
            isTls = (byteAt(extras, TLV_HEAD) & CLIENT_SSL) != 0;
        extras.remove_prefix(TLV_HEAD + size);
    }
    return true;
}

/// `rest`: the addresses, and what follows them. `addressSize`: of one.
ProxyHeader readAddresses(std::string_view rest, std::size_t addressSize, std::size_t length) {
    const auto size = 2 * addressSize + PORTS_SIZE;
    if (rest.size() < size)
        return rejected(BROKEN);
    const auto address = [&](std::size_t index) {
        return IPAddress(rest.data() + index * addressSize, static_cast<poco_socklen_t>(addressSize));
    };
    const auto port = [&](std::size_t index) {
        return static_cast<Poco::UInt16>(numberAt(rest, 2 * addressSize + 2 * index));
    };
    auto header = proxied(length, SocketAddress(address(0), port(0)), SocketAddress(address(1), port(1)));
    return readExtras(rest.substr(size), header.isTls) ? header : rejected(BROKEN);
}

ProxyHeader parseBinary(std::string_view bytes) {
    if (bytes.size() < FIXED_SIZE)
        return {};
    const unsigned versionAndCommand = byteAt(bytes, SIGNATURE.size());
    const unsigned command = versionAndCommand & 15U;
    const unsigned family = byteAt(bytes, SIGNATURE.size() + 1) >> 4U;
    const unsigned protocol = byteAt(bytes, SIGNATURE.size() + 1) & 15U;
    const auto restSize = numberAt(bytes, SIGNATURE.size() + 2);
    if (versionAndCommand >> 4U != VERSION_2 || command > COMMAND_PROXY || family > FAMILY_UNIX ||
        protocol > LAST_PROTOCOL || restSize > MAX_REST)
        return rejected(BROKEN);
    const auto length = FIXED_SIZE + restSize;
    if (bytes.size() < length)
        return {};
    if (command == COMMAND_LOCAL || family == 0 || protocol == 0)
        return local(length);
    if (protocol != PROTOCOL_STREAM)
        return rejected(BROKEN);
    const auto rest = bytes.substr(FIXED_SIZE, restSize);
    if (family == FAMILY_IPV4)
        return readAddresses(rest, sizeof(in_addr), length);
    if (family == FAMILY_IPV6)
        return readAddresses(rest, sizeof(in6_addr), length);
    return rest.size() < UNIX_ADDRESSES ? rejected(BROKEN) : local(length);
}

} // namespace

ProxyHeader ProxyHeader::parse(std::string_view bytes) {
    const bool mayBeLine = agree(bytes, LINE_BEGIN);
    const bool mayBeBinary = agree(bytes, SIGNATURE);
    if (!mayBeLine && !mayBeBinary)
        return rejected(MISSING);
    if (mayBeLine && bytes.size() >= LINE_BEGIN.size())
        return parseLine(bytes);
    // What is too short for a line's begin is too short for this, too: both wait for more.
    return parseBinary(bytes);
}

} // namespace supplierd::host
