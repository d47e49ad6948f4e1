#include "host/outbound/HttpTransport.h"

#include "host/outbound/HttpUrl.h"
#include "host/outbound/IdleConnections.h"

#include <supplierd/services/HttpClient.h>

#include <Poco/Exception.h>

#include <curl/curl.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <optional>

namespace supplierd::host {

using Poco::Net::IPAddress;
using Poco::Net::SocketAddress;

namespace {

// How many addresses of a name are tried; the others would not get enough of the time.
constexpr std::size_t MAX_TRIES = 4;
constexpr long RECEIVE_BUFFER = 64 * 1024;
/// Of requests that share a connection: many with small answers, for which a large one is taken apart from the heap
/// each time.
constexpr long SMALL_RECEIVE_BUFFER = 16 * 1024;

struct ReleaseList {
    void operator()(curl_slist* list) const { ::curl_slist_free_all(list); }
};
using TextList = std::unique_ptr<curl_slist, ReleaseList>;

void initialiseCurl() {
    static const CURLcode result = ::curl_global_init(CURL_GLOBAL_DEFAULT);
    if (result != CURLE_OK)
        throw Poco::RuntimeException("cannot initialise libcurl", ::curl_easy_strerror(result));
}

std::string placeOf(const HttpUrl& url, const IPAddress& address) {
    return (url.isSecure() ? "https " : "http ") + url.host().bracketed() + ":" + std::to_string(url.port()) + " " +
           address.toString();
}

void append(TextList& list, const std::string& text) {
    curl_slist* const longer = ::curl_slist_append(list.get(), text.c_str());
    if (longer == nullptr)
        throw Poco::OutOfMemoryException("no memory for an HTTP request");
    static_cast<void>(list.release());
    list.reset(longer);
}

} // namespace

/// A request and its response on one connection.
class HttpTransport::Transfer {
public:
    /// `kept`: one that is there already; null: a new one.
    Transfer(const HttpTransport& transport, const Request& request, const IPAddress& address,
             std::unique_ptr<HttpConnection> kept = nullptr)
        : _transport(transport),
          _request(request),
          _checked(address, request.url.port()),
          _response(request.wishes),
          _isKept(kept != nullptr),
          _isConnected(_isKept),
          _connection(_isKept ? std::move(kept) : std::make_unique<HttpConnection>(placeOf(request.url, address))),
          _easy(_connection->request()) {
        describeRequest();
        describeConnection();
        require(::curl_multi_add_handle(_connection->handle(), _easy));
    }
    ~Transfer() {
        if (_connection)
            ::curl_multi_remove_handle(_connection->handle(), _easy);
    }
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    /// Throws HttpError.
    HttpResponse run(const TimeLimit& tcpLimit, const TimeLimit& connectLimit, const TimeLimit& limit) {
        int running = 1;
        for (;;) {
            require(::curl_multi_perform(_connection->handle(), &running));
            if (running == 0 || _response.isComplete())
                break;
            _isConnected = _isConnected || isSocketConnected();
            const TimeLimit current = limitNow(tcpLimit, connectLimit, limit);
            current.check(); // a peer that always has bytes ready must not get round the limit
            wait(current);
        }
        if (_failure)
            std::rethrow_exception(_failure);
        int left = 0;
        const CURLMsg* const message = ::curl_multi_info_read(_connection->handle(), &left);
        const CURLcode code = message != nullptr ? message->data.result : CURLE_RECV_ERROR;
        _isReusable = code == CURLE_OK && _response.leavesConnectionOpen() && !_hasExcess;
        if (code != CURLE_OK && !_response.isComplete())
            throw failure(code);
        // libcurl takes an end without TLS's own good-bye for one, too; somebody may have cut it.
        if (_request.url.isSecure() && !_connection->hasTlsEnded && _response.endsWithConnection())
            throw _response.cut();
        return _response.finish();
    }

    /// The connection, where another request can go there after run(); null where not.
    std::unique_ptr<HttpConnection> release() {
        ::curl_easy_getinfo(_easy, CURLINFO_ACTIVESOCKET, &_connection->socket);
        ::curl_multi_remove_handle(_connection->handle(), _easy);
        ::curl_easy_reset(_easy); // nothing of this request stays behind
        auto connection = std::move(_connection);
        const bool isFit = _isReusable && !connection->hasTlsEnded && connection->socket != CURL_SOCKET_BAD;
        return isFit ? std::move(connection) : nullptr;
    }

    /// Whether anything came.
    bool hasAnswer() const { return _hasAnswer; }

    /// Whether TCP is there, which another address cannot do better.
    bool isConnected() const { return _isConnected || time(CURLINFO_CONNECT_TIME_T) > 0; }

private:
    template <class Value>
    void set(CURLoption option, Value value) {
        if (const CURLcode result = ::curl_easy_setopt(_easy, option, value); result != CURLE_OK)
            throw Poco::RuntimeException("libcurl does not take an option", ::curl_easy_strerror(result));
    }

    static void require(CURLMcode result) {
        if (result != CURLM_OK)
            throw Poco::RuntimeException("libcurl failed", ::curl_multi_strerror(result));
    }

    void describeRequest() {
        for (const HttpField& field : _request.headers) // one without a value is taken for an order to leave it out
            append(_fields, field.value.empty() ? field.name + ";" : field.name + ": " + field.value);
        describeBody();
        set(CURLOPT_URL, _request.url.toString().c_str());
        set(CURLOPT_PROTOCOLS_STR, _request.url.isSecure() ? "https" : "http");
        set(CURLOPT_PATH_AS_IS, 1L);
        set(CURLOPT_USERAGENT, _request.userAgent.c_str());
        set(CURLOPT_HTTPHEADER, _fields.get());
        set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
        set(CURLOPT_FOLLOWLOCATION, 0L);
        set(CURLOPT_HEADERFUNCTION, &Transfer::onLine);
        set(CURLOPT_HEADERDATA, this);
        set(CURLOPT_WRITEFUNCTION, &Transfer::onBody);
        set(CURLOPT_WRITEDATA, this);
        set(CURLOPT_BUFFERSIZE, _request.keepsConnection ? SMALL_RECEIVE_BUFFER : RECEIVE_BUFFER);
        // Chunks come as they are, and what is no HTTP comes too: both for ResponseReader to refuse.
        set(CURLOPT_HTTP_TRANSFER_DECODING, 0L);
        set(CURLOPT_HTTP09_ALLOWED, 1L);
    }

    void describeBody() {
        if (_request.body != nullptr) {
            set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(_request.body->size()));
            set(CURLOPT_POSTFIELDS, _request.body->data());
            append(_fields, "Expect:");
            if (std::ranges::none_of(_request.headers,
                                     [](const HttpField& field) { return lowerCase(field.name) == "content-type"; }))
                append(_fields, "Content-Type:"); // else libcurl says that it is a form
        }
        set(CURLOPT_CUSTOMREQUEST, _request.method.c_str());
    }

    void describeConnection() {
        const UrlHost& host = _request.url.host();
        if (!host.address()) {
            const bool isIPv4 = _checked.host().family() == IPAddress::IPv4;
            const std::string address = _checked.host().toString();
            append(_resolved, host.text() + ":" + std::to_string(_checked.port()) + ":" +
                                  (isIPv4 ? address : "[" + address + "]"));
            set(CURLOPT_RESOLVE, _resolved.get());
        }
        set(CURLOPT_OPENSOCKETFUNCTION, &Transfer::onSocket);
        set(CURLOPT_OPENSOCKETDATA, this);
        set(CURLOPT_FORBID_REUSE, _request.keepsConnection ? 0L : 1L);
        set(CURLOPT_PROXY, "");
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_ERRORBUFFER, _errorText.data());
        set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
        set(CURLOPT_SSL_SESSIONID_CACHE, 0L);
        set(CURLOPT_CAINFO, static_cast<const char*>(nullptr));
        set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
        set(CURLOPT_SSL_CTX_FUNCTION, &Transfer::onTls);
        set(CURLOPT_SSL_CTX_DATA, this);
    }

    /// Nothing but its remarks tells of bytes that libcurl throws away behind an answer.
    void watchForExcess() {
        set(CURLOPT_DEBUGFUNCTION, &Transfer::onRemark);
        set(CURLOPT_DEBUGDATA, this);
        set(CURLOPT_VERBOSE, 1L);
    }

    static int onRemark(CURL*, curl_infotype type, char* text, std::size_t size, void* context) {
        const std::string_view remark(text, size);
        if (type == CURLINFO_TEXT && (remark.starts_with("Excess") || remark.starts_with("Leftovers")))
            static_cast<Transfer*>(context)->_hasExcess = true;
        return 0;
    }

    TimeLimit limitNow(const TimeLimit& tcpLimit, const TimeLimit& connectLimit, const TimeLimit& limit) {
        if (!_isConnected)
            return tcpLimit;
        if (!isSecured())
            return connectLimit;
        if (_request.idleTimeout.count() == 0)
            return limit;
        if (!_lastBytes)
            _lastBytes = TimeLimit::Clock::now();
        return limit.until(*_lastBytes + _request.idleTimeout);
    }

    void wait(const TimeLimit& limit) {
        curl_waitfd stop{limit.stopDescriptor(), CURL_WAIT_POLLIN, 0};
        require(::curl_multi_poll(_connection->handle(), &stop, stop.fd >= 0 ? 1 : 0,
                                  static_cast<int>(limit.left().count()), nullptr));
    }

    curl_off_t time(CURLINFO info) const {
        curl_off_t microseconds = 0;
        ::curl_easy_getinfo(_easy, info, &microseconds);
        return microseconds;
    }

    /// While libcurl has the socket: its own times tell of TCP and TLS together.
    bool isSocketConnected() const {
        sockaddr_storage peer{};
        socklen_t length = sizeof peer;
        return _socket >= 0 && ::getpeername(_socket, reinterpret_cast<sockaddr*>(&peer), &length) == 0;
    }

    bool isSecured() const { return _isKept || !_request.url.isSecure() || time(CURLINFO_APPCONNECT_TIME_T) > 0; }

    /// No exception may pass through libcurl: it is kept for run().
    template <class Action>
    bool guarded(const Action& action) noexcept {
        try {
            return action();
        } catch (...) {
            _failure = std::current_exception();
            return false;
        }
    }

    void noteBytes() {
        _lastBytes = TimeLimit::Clock::now();
        _hasAnswer = true;
    }

    static std::size_t onLine(char* text, std::size_t size, std::size_t count, void* context) {
        auto& self = *static_cast<Transfer*>(context);
        const bool goesOn = self.guarded([&] {
            self.noteBytes();
            self._response.takeLine({text, size * count});
            if (self._request.keepsConnection && self._response.hasHead())
                self.watchForExcess();
            return !self._response.isComplete();
        });
        return goesOn ? size * count : 0;
    }

    static std::size_t onBody(char* bytes, std::size_t size, std::size_t count, void* context) {
        auto& self = *static_cast<Transfer*>(context);
        const bool goesOn = self.guarded([&] {
            self.noteBytes();
            self._response.takeBody({bytes, size * count});
            return !self._response.isComplete() || self._response.endsExactly();
        });
        return goesOn ? size * count : 0;
    }

    static curl_socket_t onSocket(void* context, curlsocktype, curl_sockaddr* address) {
        auto& self = *static_cast<Transfer*>(context);
        if (self._isKept) // it is gone: sendOnKept() says so, and a new one has its own time
            return CURL_SOCKET_BAD;
        self.guarded([&] {
            self._socket = self.openSocket(*address);
            return true;
        });
        return self._socket;
    }

    /// Looks once more where libcurl is about to connect to.
    curl_socket_t openSocket(curl_sockaddr& address) const {
        const SocketAddress wanted(&address.addr, address.addrlen);
        if (wanted != _checked || !_transport._policy.allows(wanted.host()))
            throw addressNotAllowed();
        const SocketAddress destination = _transport._connector->destination(wanted);
        address.family = destination.af();
        address.addrlen = destination.length();
        std::memcpy(&address.addr, destination.addr(), destination.length());
        return ::socket(address.family, address.socktype | SOCK_CLOEXEC, address.protocol);
    }

    static CURLcode onTls(CURL*, void* tls, void* context) {
        auto& self = *static_cast<Transfer*>(context);
        auto* const settings = static_cast<SSL_CTX*>(tls);
        SSL_CTX_set_app_data(settings, self._connection.get());
        ::SSL_CTX_set_info_callback(settings, &Transfer::onTlsEvent);
        return self._transport._trusted.require(settings, self._request.url.host()) ? CURLE_OK
                                                                                    : CURLE_SSL_CONNECT_ERROR;
    }

    static void onTlsEvent(const SSL* ssl, int event, int alert) {
        if (event == SSL_CB_READ_ALERT && (alert & 0xff) == SSL_AD_CLOSE_NOTIFY)
            static_cast<HttpConnection*>(SSL_CTX_get_app_data(::SSL_get_SSL_CTX(ssl)))->hasTlsEnded = true;
    }

    HttpError failure(CURLcode code) const {
        switch (code) {
        case CURLE_URL_MALFORMAT:
            return {HttpErrorCode::Address, "the URL is not valid"};
        case CURLE_COULDNT_RESOLVE_HOST: // .onion, which libcurl never takes for a name
            return {HttpErrorCode::Dns, "the host of the URL is not known"};
        case CURLE_COULDNT_CONNECT:
            return cannotConnect();
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CONNECT_ERROR:
            return notSecure();
        case CURLE_GOT_NOTHING:
            return {HttpErrorCode::Connect, _request.wishes.peerName + " closed the connection without an answer"};
        case CURLE_PARTIAL_FILE:
            return _response.cut();
        case CURLE_SEND_ERROR:
        case CURLE_RECV_ERROR:
            return broken();
        default:
            return _response.notHttp();
        }
    }

    HttpError cannotConnect() const {
        long error = 0;
        ::curl_easy_getinfo(_easy, CURLINFO_OS_ERRNO, &error);
        if (error == ECONNREFUSED)
            return {HttpErrorCode::Connect, _request.wishes.peerName + " refused the connection"};
        return {HttpErrorCode::Connect, _request.wishes.peerName + " cannot be reached"};
    }

    HttpError notSecure() const {
        long result = X509_V_OK;
        ::curl_easy_getinfo(_easy, CURLINFO_SSL_VERIFYRESULT, &result);
        if (result != X509_V_OK)
            return {HttpErrorCode::Tls,
                    std::string("the certificate is not accepted: ") + ::X509_verify_cert_error_string(result)};
        return {HttpErrorCode::Tls, "no secure connection can be agreed on"};
    }

    HttpError broken() const {
        const std::string_view text = _errorText.data(); // nothing else tells what became of TLS
        // A libcurl of 2024 or later says itself what run() finds out: an end without TLS's own good-bye.
        if (text.find("unexpected eof") != std::string_view::npos && _response.endsWithConnection())
            return _response.cut();
        if (text.find("SSL") != std::string_view::npos && text.find("errno") == std::string_view::npos)
            return {HttpErrorCode::Tls, "the secure connection broke"};
        return {HttpErrorCode::Connect, "the connection to " + _request.wishes.peerName + " broke"};
    }

    const HttpTransport& _transport;
    const Request& _request;
    const SocketAddress _checked;
    ResponseReader _response;
    std::exception_ptr _failure;
    curl_socket_t _socket = CURL_SOCKET_BAD; ///< libcurl's
    const bool _isKept;
    bool _isConnected;
    bool _hasAnswer = false;
    bool _hasExcess = false;
    bool _isReusable = false;
    std::optional<TimeLimit::Clock::time_point> _lastBytes;
    std::array<char, CURL_ERROR_SIZE> _errorText{};
    TextList _fields;
    TextList _resolved;
    std::unique_ptr<HttpConnection> _connection;
    CURL* const _easy;
};

HttpTransport::HttpTransport(const std::filesystem::path& trustedCertificates, AddressPolicy policy,
                             std::shared_ptr<const Connector> connector, const IdleLimits& idleLimits)
    : _trusted(trustedCertificates),
      _policy(std::move(policy)),
      _connector(std::move(connector)),
      _idle(std::make_unique<IdleConnections>(idleLimits)) {
    initialiseCurl();
}

HttpTransport::~HttpTransport() = default;

std::optional<HttpResponse> HttpTransport::sendOnKept(const Request& request, const TimeLimit& limit) const {
    for (const IPAddress& address : request.addresses) {
        auto connection = _idle->take(placeOf(request.url, address));
        if (!connection)
            continue;
        Transfer transfer(*this, request, address, std::move(connection));
        try {
            return finish(transfer, transfer.run(limit, limit, limit));
        } catch (const HttpError& problem) {
            const bool isConnection = problem.code() == HttpErrorCode::Connect || problem.code() == HttpErrorCode::Tls;
            if (!isConnection || transfer.hasAnswer())
                throw;
            return std::nullopt;
        }
    }
    return std::nullopt;
}

HttpResponse HttpTransport::send(const Request& request, const TimeLimit& connectLimit, const TimeLimit& limit) const {
    const std::size_t tries = std::min(request.addresses.size(), MAX_TRIES);
    for (std::size_t i = 0;; ++i) {
        const TimeLimit tcpLimit = connectLimit.atMost(connectLimit.left() / static_cast<long>(tries - i));
        tcpLimit.check();
        Transfer transfer(*this, request, request.addresses[i]);
        try {
            return finish(transfer, transfer.run(tcpLimit, connectLimit, limit));
        } catch (const HttpError& problem) {
            const bool isAddress = problem.code() == HttpErrorCode::Connect || problem.code() == HttpErrorCode::Timeout;
            if (!isAddress || transfer.isConnected() || i + 1 == tries)
                throw;
        }
    }
}

HttpResponse HttpTransport::finish(Transfer& transfer, HttpResponse response) const {
    if (auto connection = transfer.release())
        _idle->put(std::move(connection));
    return response;
}

} // namespace supplierd::host
