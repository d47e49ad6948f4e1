#include "tests/host/gate/RequestStream.h"

#include <algorithm>

namespace supplierd::tests {

using host::BodyFraming;
using host::ChunkedReader;
using host::RequestHeadCheck;

void RequestStream::add(std::string_view piece) {
    _bytes += piece;
    while (_status == 0 && !_closes && (_inBody ? readBody() : readHead()))
        ;
}

bool RequestStream::readHead() {
    switch (_check.check(_bytes)) {
    case RequestHeadCheck::State::Rejected:
        refuse(_check.rejection());
        return false;
    case RequestHeadCheck::State::Incomplete:
        return false;
    case RequestHeadCheck::State::Complete:
        break;
    }
    _head = _check.head();
    _requests.push_back({std::string(_head.method), std::string(_head.target), {}, false});
    _bytes.erase(0, _head.length);
    _check = RequestHeadCheck();
    _chunks = ChunkedReader(BODY_LIMIT);
    _inBody = true;
    return true;
}

bool RequestStream::readBody() {
    auto& request = _requests.back();
    if (_head.framing == BodyFraming::Chunked) {
        _bytes.erase(0, _chunks.read(_bytes, request.body));
        if (_chunks.state() == ChunkedReader::State::Rejected)
            refuse(_chunks.rejection());
        request.isWhole = _chunks.state() == ChunkedReader::State::Complete;
    } else {
        const auto left = static_cast<std::size_t>(_head.contentLength) - request.body.size();
        const auto count = std::min(left, _bytes.size());
        request.body += _bytes.substr(0, count);
        _bytes.erase(0, count);
        request.isWhole = count == left;
    }
    if (!request.isWhole)
        return false;
    _inBody = false;
    _closes = !_head.keepsAlive;
    return true;
}

std::string RequestStream::summary() const {
    std::string text;
    for (const auto& request : _requests)
        text += request.method + " " + request.target + " " + request.body + (request.isWhole ? "\n" : " (cut off)\n");
    if (_status != 0)
        text += "refused with " + std::to_string(_status);
    return text + (_closes ? "closed" : "");
}

} // namespace supplierd::tests
