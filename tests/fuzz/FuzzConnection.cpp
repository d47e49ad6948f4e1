#include "tests/fuzz/FuzzConnection.h"

#include "tests/fuzz/EnvelopeCheck.h"

#include <Poco/Exception.h>
#include <Poco/Net/NetException.h>
#include <Poco/URI.h>

#include <exception>
#include <utility>

namespace supplierd::tests {

namespace {

constexpr std::size_t FAILURES_TO_STOP_AT = 5;
constexpr std::size_t SHOWN_BYTES = 1'500;
constexpr std::size_t BODY_LIMIT = 1'048'576;

std::string chunked(const std::string& body) {
    std::string out;
    for (std::size_t at = 0; at < body.size(); at += 100) {
        const std::string chunk = body.substr(at, 100);
        constexpr std::string_view HEX = "0123456789abcdef";
        out += HEX[chunk.size() >> 4U];
        out += HEX[chunk.size() & 15U];
        out += "\r\n" + chunk + "\r\n";
    }
    return out + "0\r\n\r\n";
}

/// For the terminal: control characters, backslashes and bytes beyond ASCII as \xNN.
std::string printable(const std::string& bytes) {
    constexpr std::string_view HEX = "0123456789abcdef";
    std::string out;
    for (const char c : bytes.substr(0, SHOWN_BYTES)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f && c != '\\') {
            out += c;
            continue;
        }
        out += "\\x";
        out += HEX[byte >> 4U];
        out += HEX[byte & 15U];
    }
    return bytes.size() > SHOWN_BYTES ? out + "... (" + std::to_string(bytes.size()) + " bytes)" : out;
}

} // namespace

void FuzzTally::add(const FuzzTally& other) {
    for (const auto& [status, count] : other.statuses)
        statuses[status] += count;
    reconnects += other.reconnects;
    failures.insert(failures.end(), other.failures.begin(), other.failures.end());
}

FuzzConnection::FuzzConnection(std::string url, std::string key, const BodyMutator& mutator, std::uint64_t seed,
                               std::size_t number)
    : _client(url), _prefix(Poco::URI(url).getPath()), _key(std::move(key)), _maker(mutator, seed), _number(number) {}

FuzzTally FuzzConnection::run(std::size_t requests) {
    for (std::size_t i = 0; i < requests && _tally.failures.size() < FAILURES_TO_STOP_AT; ++i)
        send(_maker.next(), "fuzz-" + std::to_string(_number) + "-" + std::to_string(i));
    return _tally;
}

void FuzzConnection::send(const FuzzRequest& request, const std::string& requestId) {
    // A kept connection may end while a request is under way to it; on a fresh one there is no such excuse.
    for (const bool isFresh : {false, true}) {
        try {
            if (isFresh)
                _client.close();
            _client.sendRaw(bytesOf(request, requestId));
            if (request.framing == Framing::CutOff) {
                _client.close();
                ++_tally.statuses[0];
                return;
            }
            const auto response = _client.readResponse();
            if (request.framing == Framing::Surplus)
                _client.close();
            return judge(request, requestId, response);
        } catch (const std::exception& failure) {
            const auto* poco = dynamic_cast<const Poco::Exception*>(&failure);
            _client.close();
            if (!isFresh) {
                ++_tally.reconnects;
                continue;
            }
            // A body that is refused unread may cost its sender the answer: the reset overtakes it.
            if (request.body && request.body->size() > BODY_LIMIT) {
                ++_tally.statuses[0];
                return;
            }
            fail(request, requestId, "no answer: " + (poco != nullptr ? poco->displayText() : failure.what()));
        }
    }
}

std::string FuzzConnection::bytesOf(const FuzzRequest& request, const std::string& requestId) const {
    std::string bytes = request.method + " " + _prefix + request.path + " HTTP/1.1\r\n";
    bytes += "Host: " + _client.host() + ":" + std::to_string(_client.port()) + "\r\n";
    bytes += "Authorization: Bearer " + _key + "\r\nX-Request-Id: " + requestId + "\r\n";
    for (const auto& [name, value] : request.headers)
        bytes += name + ": " + value + "\r\n";
    if (!request.body)
        return bytes + "\r\n";
    const std::size_t size = request.body->size();
    switch (request.framing) {
    case Framing::Chunked:
        return bytes + "Transfer-Encoding: chunked\r\n\r\n" + chunked(*request.body);
    case Framing::CutOff:
        return bytes + "Content-Length: " + std::to_string(size + 1 + size / 2) + "\r\n\r\n" + *request.body;
    case Framing::Surplus:
        return bytes + "Content-Length: " + std::to_string(size / 2) + "\r\n\r\n" + *request.body;
    case Framing::Whole:
        break;
    }
    return bytes + "Content-Length: " + std::to_string(size) + "\r\n\r\n" + *request.body;
}

void FuzzConnection::judge(const FuzzRequest& request, const std::string& requestId, const HttpResponse& response) {
    ++_tally.statuses[response.status];
    if (const auto problem = problemOf(response, requestId); !problem.empty())
        return fail(request, requestId, problem + ": " + response.statusLine + ": " + printable(response.body));
    if (response.status == 201)
        _maker.learnProduct(response.data().at("product").at("id").get<std::int64_t>());
}

void FuzzConnection::fail(const FuzzRequest& request, const std::string& requestId, const std::string& problem) {
    _tally.failures.push_back(requestId + ": " + problem + "\n    after: " + request.method + " " + request.path +
                              "\n    body: " + (request.body ? printable(*request.body) : "none"));
}

} // namespace supplierd::tests
