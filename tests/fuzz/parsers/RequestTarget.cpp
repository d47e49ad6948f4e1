#include "tests/fuzz/parsers/FuzzTarget.h"
#include "tests/host/gate/RequestStream.h"

#include <Poco/Net/HTTPRequest.h>

#include <sstream>
#include <string>

namespace {

using namespace supplierd;
using tests::require;

/// In pieces of one to eight bytes, whose sizes follow from the bytes.
tests::RequestStream inPieces(std::string_view bytes) {
    tests::RequestStream stream;
    for (std::size_t at = 0; at < bytes.size();) {
        const auto size = 1 + (static_cast<unsigned char>(bytes[at]) & 7U);
        stream.add(bytes.substr(at, size));
        at += size;
    }
    return stream;
}

/// A head that passed means to Poco's reader what it means to us: every field, and nothing else.
void comparePoco(const auto& head) {
    std::istringstream stream{std::string(head.bytes)};
    Poco::Net::HTTPRequest request;
    request.read(stream);
    require(request.getMethod() == head.method, "Poco reads another method");
    require(request.getURI() == head.target, "Poco reads another target");
    require(request.getVersion() == (head.isHttp11 ? "HTTP/1.1" : "HTTP/1.0"), "Poco reads another version");
    std::size_t count = 0;
    for (const auto& field : head.fields) {
        ++count;
        if (field.value.find("=?") != std::string_view::npos)
            continue; // Poco loses these two characters where they begin no encoded word
        bool isThere = false;
        for (const auto& [name, value] : request)
            isThere = isThere || (name == field.name && value == field.value);
        require(isThere, "Poco does not read a field as it is");
    }
    require(request.size() == count, "Poco reads another number of fields");
    require(request.getChunkedTransferEncoding() == (head.framing == host::BodyFraming::Chunked),
            "Poco takes another transfer encoding");
    const bool hasLength = head.framing == host::BodyFraming::Length;
    require(request.hasContentLength() == hasLength, "Poco sees another framing");
    require(!hasLength || static_cast<std::uint64_t>(request.getContentLength64()) == head.contentLength,
            "Poco reads another Content-Length");
    stream.peek();
    require(stream.eof(), "Poco left bytes of the head");
}

void checkHead(std::string_view bytes) {
    host::RequestHeadCheck check;
    if (check.check(bytes) == host::RequestHeadCheck::State::Rejected)
        require(check.rejection().status >= 400 && !check.rejection().reason.empty(), "a refusal without its reason");
    if (check.state() != host::RequestHeadCheck::State::Complete)
        return;
    const auto& head = check.head();
    require(head.length <= bytes.size() && head.bytes.ends_with("\r\n\r\n"),
            "a head that does not end in an empty line");
    require(head.bytes.size() <= 16'384, "a head beyond its limit");
    comparePoco(head);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = tests::bytesOf(data, size);
    checkHead(bytes);
    tests::RequestStream whole;
    whole.add(bytes);
    require(whole.summary() == inPieces(bytes).summary(), "pieces are read otherwise than the whole");
    return 0;
}
