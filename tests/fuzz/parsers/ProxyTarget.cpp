#include "host/gate/ForwardedClient.h"
#include "host/gate/ProxyHeader.h"
#include "tests/fuzz/parsers/FuzzTarget.h"

#include <string>

namespace {

using namespace supplierd;
using host::ProxyHeader;
using tests::require;
using State = ProxyHeader::State;

void checkProxyHeader(std::string_view bytes) {
    const auto whole = ProxyHeader::parse(bytes);
    require((whole.state == State::Rejected) == !whole.failure.empty(), "a refusal without its reason");
    if (whole.state != State::Proxied && whole.state != State::Local)
        return;
    require(whole.length > 0 && whole.length <= bytes.size() && whole.length <= ProxyHeader::MAX_SIZE,
            "a header of another length");
    require(ProxyHeader::parse(bytes.substr(0, whole.length)).state == whole.state, "what follows changes the header");
    for (std::size_t size = 0; size < whole.length; ++size)
        require(ProxyHeader::parse(bytes.substr(0, size)).state == State::Incomplete, "a part is taken for the whole");
}

void checkForwarded(std::string_view value) {
    static const std::vector<host::AddressRange> TRUSTED = {host::AddressRange::parse("10.0.0.0/8").value()};
    for (const auto source : {host::ForwardedSource::XForwarded, host::ForwardedSource::Forwarded}) {
        host::ForwardedFields fields(source);
        for (const auto* name : {"X-Forwarded-For", "X-Forwarded-Proto", "Forwarded"})
            fields.add(name, value);
        const auto client = host::ForwardedClient::find(Poco::Net::IPAddress("10.0.0.1"), "http", fields, TRUSTED);
        require(client.scheme == "http" || client.scheme == "https", "another scheme");
        require(!client.address.toString().empty(), "no address");
        const auto stranger = host::ForwardedClient::find(Poco::Net::IPAddress("192.0.2.1"), "http", fields, TRUSTED);
        require(stranger.address.toString() == "192.0.2.1", "a stranger was believed");
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    checkProxyHeader(tests::bytesOf(data, size));
    checkForwarded(tests::bytesOf(data, size));
    return 0;
}
