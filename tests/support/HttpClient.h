#pragma once

#include "tests/support/Json.h"

#include <Poco/Net/StreamSocket.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace supplierd::tests {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpResponse {
    int status = 0;
    std::string statusLine;
    HttpHeaders headers;
    std::string body;

    /// The first header of that name in any case; "" when there is none.
    std::string header(std::string_view name) const;
    bool hasHeader(std::string_view name) const;
    /// The body as JSON. Throws with the body's text when it is none.
    Json json() const;
    /// The envelope's `data`, `error`; throws when it is the other kind.
    Json data() const;
    Json error() const;
};

/// A client on one kept connection that sends exactly what it is told. It reconnects when the server closed the
/// connection between requests, and never repeats a request. Thread: one.
class HttpClient {
public:
    /// "http://127.0.0.1:8080/api/v1/supplier": the path is put before every path of a request.
    explicit HttpClient(const std::string& url, std::string key = {});

    const std::string& key() const { return _key; }
    void setKey(std::string key) { _key = std::move(key); }
    void setTimeout(std::chrono::milliseconds timeout);

    HttpResponse get(const std::string& path, const HttpHeaders& headers = {});
    HttpResponse post(const std::string& path, const Json& body, const HttpHeaders& headers = {});
    /// A POST with the text as it is, as application/json.
    HttpResponse postText(const std::string& path, const std::string& body, const HttpHeaders& headers = {});
    /// A POST without a body (Content-Length: 0).
    HttpResponse postEmpty(const std::string& path, const HttpHeaders& headers = {});
    /// Host, Authorization (when there is a key) and Content-Length (when there is a body) are added unless given.
    HttpResponse request(const std::string& method, const std::string& path, const HttpHeaders& headers = {},
                         const std::optional<std::string>& body = std::nullopt);

    /// Bytes as they are, on the connection there is (or a new one).
    void sendRaw(std::string_view bytes);
    /// Throws when the server closes before a whole response.
    HttpResponse readResponse(bool isHead = false);
    /// True when the server closes the connection within `limit`; throws when it sends something instead.
    bool isClosedByServer(std::chrono::milliseconds limit);
    void close();

    const std::string& host() const { return _host; }
    unsigned short port() const { return _port; }

private:
    void connectIfNeeded();
    void receiveMore();
    std::string takeLine();
    std::string takeBytes(std::size_t count);
    std::string takeChunks();

    std::string _host;
    unsigned short _port = 80;
    std::string _prefix;
    std::string _key;
    std::chrono::milliseconds _timeout{30'000};
    std::unique_ptr<Poco::Net::StreamSocket> _socket;
    std::string _received;
};

} // namespace supplierd::tests
