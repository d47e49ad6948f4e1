#include "tests/support/HttpClient.h"

#include <Poco/Net/NetException.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/String.h>
#include <Poco/Timespan.h>
#include <Poco/URI.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace supplierd::tests {
namespace {

Poco::Timespan timespan(std::chrono::milliseconds value) {
    return Poco::Timespan(std::chrono::duration_cast<std::chrono::microseconds>(value).count());
}

bool contains(const HttpHeaders& headers, std::string_view name) {
    return std::any_of(headers.begin(), headers.end(),
                       [&](const auto& header) { return Poco::icompare(header.first, std::string(name)) == 0; });
}

} // namespace

std::string HttpResponse::header(std::string_view name) const {
    for (const auto& [key, value] : headers)
        if (Poco::icompare(key, std::string(name)) == 0)
            return value;
    return {};
}

bool HttpResponse::hasHeader(std::string_view name) const {
    return contains(headers, name);
}

Json HttpResponse::json() const {
    try {
        return Json::parse(body);
    } catch (const Json::Exception&) {
        throw std::runtime_error("no JSON in the response " + statusLine + ": " + body);
    }
}

Json HttpResponse::data() const {
    const auto envelope = json();
    if (!envelope.value("success", false))
        throw std::runtime_error("no success: " + statusLine + ": " + body);
    return envelope.at("data");
}

Json HttpResponse::error() const {
    const auto envelope = json();
    if (envelope.value("success", true))
        throw std::runtime_error("no error: " + statusLine + ": " + body);
    return envelope.at("error");
}

HttpClient::HttpClient(const std::string& url, std::string key) : _key(std::move(key)) {
    const Poco::URI uri(url);
    _host = uri.getHost();
    _port = uri.getPort();
    _prefix = uri.getPath() == "/" ? "" : uri.getPath();
}

void HttpClient::setTimeout(std::chrono::milliseconds timeout) {
    _timeout = timeout;
    if (_socket)
        _socket->setReceiveTimeout(timespan(timeout));
}

HttpResponse HttpClient::get(const std::string& path, const HttpHeaders& headers) {
    return request("GET", path, headers);
}

HttpResponse HttpClient::post(const std::string& path, const Json& body, const HttpHeaders& headers) {
    return postText(path, body.dump(), headers);
}

HttpResponse HttpClient::postText(const std::string& path, const std::string& body, const HttpHeaders& headers) {
    auto all = headers;
    if (!contains(headers, "Content-Type"))
        all.emplace_back("Content-Type", "application/json");
    return request("POST", path, all, body);
}

HttpResponse HttpClient::postEmpty(const std::string& path, const HttpHeaders& headers) {
    return request("POST", path, headers, "");
}

HttpResponse HttpClient::request(const std::string& method, const std::string& path, const HttpHeaders& headers,
                                 const std::optional<std::string>& body) {
    auto all = headers;
    if (!contains(headers, "Host"))
        all.emplace(all.begin(), "Host", _host + ":" + std::to_string(_port));
    if (!_key.empty() && !contains(headers, "Authorization"))
        all.emplace_back("Authorization", "Bearer " + _key);
    if (body && !contains(headers, "Content-Length") && !contains(headers, "Transfer-Encoding"))
        all.emplace_back("Content-Length", std::to_string(body->size()));

    std::string text = method + " " + _prefix + path + " HTTP/1.1\r\n";
    for (const auto& [name, value] : all)
        text.append(name).append(": ").append(value).append("\r\n");
    text += "\r\n" + body.value_or("");
    connectIfNeeded();
    sendRaw(text);
    return readResponse(method == "HEAD");
}

void HttpClient::connectIfNeeded() {
    // Readable while nothing is awaited: the server closed the idle connection.
    if (_socket && _received.empty() && _socket->poll(Poco::Timespan(0), Poco::Net::Socket::SELECT_READ))
        close();
    if (_socket)
        return;
    _received.clear();
    _socket = std::make_unique<Poco::Net::StreamSocket>();
    try {
        _socket->connect(Poco::Net::SocketAddress(_host, _port), timespan(_timeout));
    } catch (...) {
        _socket.reset();
        throw;
    }
    _socket->setReceiveTimeout(timespan(_timeout));
    _socket->setNoDelay(true);
}

void HttpClient::sendRaw(std::string_view bytes) {
    connectIfNeeded();
    try {
        while (!bytes.empty()) {
            const int sent = _socket->sendBytes(bytes.data(), static_cast<int>(bytes.size()));
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    } catch (const Poco::Net::ConnectionResetException&) {
        // The server may have responded and closed before it had everything; its response is still to be read.
    } catch (const Poco::IOException&) {
    }
}

void HttpClient::receiveMore() {
    std::array<char, 16384> buffer{};
    const int count = _socket->receiveBytes(buffer.data(), static_cast<int>(buffer.size()));
    if (count <= 0) {
        const auto unfinished = _received;
        close();
        throw Poco::Net::NoMessageException("the server closed the connection after: " + unfinished);
    }
    _received.append(buffer.data(), static_cast<std::size_t>(count));
}

std::string HttpClient::takeLine() {
    std::size_t end = 0;
    while ((end = _received.find("\r\n")) == std::string::npos)
        receiveMore();
    auto line = _received.substr(0, end);
    _received.erase(0, end + 2);
    return line;
}

std::string HttpClient::takeBytes(std::size_t count) {
    while (_received.size() < count)
        receiveMore();
    auto bytes = _received.substr(0, count);
    _received.erase(0, count);
    return bytes;
}

std::string HttpClient::takeChunks() {
    std::string body;
    while (const auto size = std::stoul(takeLine(), nullptr, 16)) {
        body += takeBytes(size);
        takeLine();
    }
    while (!takeLine().empty()) {
    }
    return body;
}

HttpResponse HttpClient::readResponse(bool isHead) {
    if (!_socket)
        throw std::logic_error("no request was sent");
    HttpResponse response;
    response.statusLine = takeLine();
    if (response.statusLine.size() < 12 || response.statusLine.compare(0, 5, "HTTP/") != 0)
        throw std::runtime_error("no HTTP response: " + response.statusLine);
    response.status = std::stoi(response.statusLine.substr(9, 3));
    for (auto line = takeLine(); !line.empty(); line = takeLine()) {
        const auto colon = line.find(':');
        if (colon == std::string::npos)
            throw std::runtime_error("no header field: " + line);
        response.headers.emplace_back(line.substr(0, colon), Poco::trim(line.substr(colon + 1)));
    }
    if (response.status == 100)
        return readResponse(isHead);
    const bool hasBody = !isHead && response.status != 204 && response.status != 304;
    if (hasBody && Poco::icompare(response.header("Transfer-Encoding"), "chunked") == 0)
        response.body = takeChunks();
    else if (hasBody)
        response.body = takeBytes(std::stoul("0" + response.header("Content-Length")));
    if (Poco::icompare(response.header("Connection"), "close") == 0)
        close();
    return response;
}

bool HttpClient::isClosedByServer(std::chrono::milliseconds limit) {
    if (!_socket)
        return true;
    if (!_socket->poll(timespan(limit), Poco::Net::Socket::SELECT_READ))
        return false;
    try {
        receiveMore();
    } catch (const Poco::Net::NoMessageException&) {
        return true;
    } catch (const Poco::Net::ConnectionResetException&) {
        close();
        return true;
    }
    throw std::runtime_error("the server sent instead of closing: " + _received);
}

void HttpClient::close() {
    _socket.reset();
    _received.clear();
}

} // namespace supplierd::tests
