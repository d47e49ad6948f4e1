#include "host/ctl/client/ServerConnection.h"

#include "host/Version.h"

#include <Poco/Net/IPAddress.h>

#include <curl/curl.h>
#include <fmt/format.h>
#include <grp.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>

namespace supplierd::host {

namespace {

using Poco::Net::SocketAddress;

constexpr long PATIENCE_SECONDS = 5;
constexpr std::size_t MAX_ANSWER = std::size_t{256} << 20;
constexpr int FIRST_BAD = 300;

/// Loading certificates and keys takes most of the time of a call that needs none.
void initialise(bool needsTls) {
    static const CURLcode CODE = ::curl_global_init(needsTls ? CURL_GLOBAL_DEFAULT : CURL_GLOBAL_NOTHING);
    if (CODE != CURLE_OK)
        throw CommandFailure(std::string("libcurl cannot be used: ") + ::curl_easy_strerror(CODE));
}

/// One request of libcurl's, with what it reads and writes.
class Transfer {
public:
    Transfer(CURL* handle, const std::string& url, long patience) : _handle(handle) {
        set(CURLOPT_URL, url.c_str());
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_CONNECTTIMEOUT, PATIENCE_SECONDS);
        set(CURLOPT_LOW_SPEED_LIMIT, 1L);
        set(CURLOPT_LOW_SPEED_TIME, patience);
        set(CURLOPT_ERRORBUFFER, _text.data());
        set(CURLOPT_WRITEFUNCTION, &Transfer::receive);
        set(CURLOPT_WRITEDATA, this);
    }
    ~Transfer() {
        ::curl_slist_free_all(_fields);
        ::curl_easy_setopt(_handle, CURLOPT_ERRORBUFFER, nullptr);
    }
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    template <class Value>
    void set(CURLoption option, Value value) {
        ::curl_easy_setopt(_handle, option, value);
    }
    void addField(const std::string& line) { _fields = ::curl_slist_append(_fields, line.c_str()); }
    void sendFrom(std::istream& upload) {
        _upload = &upload;
        set(CURLOPT_POST, 1L);
        set(CURLOPT_READFUNCTION, &Transfer::read);
        set(CURLOPT_READDATA, this);
    }
    void saveTo(const std::function<void(std::string_view)>& save) { _save = save; }

    /// What `saveTo` throws goes on here.
    CURLcode perform() {
        set(CURLOPT_HTTPHEADER, _fields);
        const CURLcode code = ::curl_easy_perform(_handle);
        if (_failure)
            std::rethrow_exception(_failure);
        return code;
    }
    ServerResponse answer() { return {static_cast<int>(info(CURLINFO_RESPONSE_CODE)), std::move(_body), {}}; }
    long info(CURLINFO what) const {
        long number = 0;
        ::curl_easy_getinfo(_handle, what, &number);
        return number;
    }
    const char* describe(CURLcode code) const { return _text.front() ? _text.data() : ::curl_easy_strerror(code); }

private:
    static std::size_t receive(char* data, std::size_t, std::size_t size, void* self) {
        auto& transfer = *static_cast<Transfer*>(self);
        try {
            if (transfer._save && transfer.info(CURLINFO_RESPONSE_CODE) < FIRST_BAD)
                transfer._save({data, size});
            else if (transfer._body.size() + size > MAX_ANSWER)
                throw CommandFailure("the answer is larger than 256 MiB");
            else
                transfer._body.append(data, size);
            return size;
        } catch (...) {
            transfer._failure = std::current_exception(); // goes on behind libcurl, which knows no exceptions
            return 0;
        }
    }

    static std::size_t read(char* to, std::size_t, std::size_t size, void* self) {
        auto& upload = *static_cast<Transfer*>(self)->_upload;
        upload.read(to, static_cast<std::streamsize>(size));
        return upload.bad() ? CURL_READFUNC_ABORT : static_cast<std::size_t>(upload.gcount());
    }

    CURL* _handle;
    curl_slist* _fields = nullptr;
    std::istream* _upload = nullptr;
    std::function<void(std::string_view)> _save;
    std::string _body;
    std::exception_ptr _failure;
    std::array<char, CURL_ERROR_SIZE> _text{};
};

/// Who called `sudo`, for the audit log: the server believes it of root alone.
std::string callerBehindSudo() {
    const char* const name = std::getenv("SUDO_USER");
    return ::getuid() == 0 && name ? name : "";
}

std::string groupOf(const std::string& path) {
    struct stat found {};
    const struct group* const group = ::stat(path.c_str(), &found) == 0 ? ::getgrgid(found.st_gid) : nullptr;
    return group ? group->gr_name : "supplierd";
}

CommandFailure noServer(const ServerAddress& address, CURLcode code, const Transfer& transfer) {
    const long reason = transfer.info(CURLINFO_OS_ERRNO);
    const char* const text = transfer.describe(code);
    if (!address.url.empty())
        return CommandFailure(fmt::format("{} cannot be reached: {}", address.describe(), text));
    if (reason == EACCES || reason == EPERM)
        return CommandFailure(fmt::format("not allowed: {} is for root and the members of its group; run supplierctl "
                                          "with sudo, or let root add this user: adduser USER {}",
                                          address.socket, groupOf(address.socket)),
                              ExitCode::NotAllowed);
    if (code == CURLE_COULDNT_CONNECT && (reason == ECONNREFUSED || reason == ENOENT))
        return CommandFailure(fmt::format("no server runs here (nobody answers at {}); start it with: systemctl start "
                                          "supplierd",
                                          address.socket));
    return CommandFailure(fmt::format("{} did not answer: {}", address.describe(), text));
}

SocketAddress reachable(const SocketAddress& address) {
    if (!address.host().isWildcard())
        return address;
    const auto family = address.host().family();
    return {Poco::Net::IPAddress(family == Poco::Net::IPAddress::IPv6 ? "::1" : "127.0.0.1"), address.port()};
}

std::optional<TlsCertificate> shownCertificate(CURL* curl) {
    constexpr std::string_view PEM = "Cert:";
    curl_certinfo* shown = nullptr;
    if (curl_easy_getinfo(curl, CURLINFO_CERTINFO, &shown) != CURLE_OK || shown == nullptr || shown->num_of_certs < 1)
        return std::nullopt;
    for (const curl_slist* line = shown->certinfo[0]; line != nullptr; line = line->next) {
        const std::string_view text(line->data);
        if (!text.starts_with(PEM))
            continue;
        const std::unique_ptr<BIO, decltype(&BIO_free)> source(
            BIO_new_mem_buf(text.data() + PEM.size(), static_cast<int>(text.size() - PEM.size())), BIO_free);
        const std::unique_ptr<X509, decltype(&X509_free)> certificate(
            PEM_read_bio_X509(source.get(), nullptr, nullptr, nullptr), X509_free);
        if (certificate)
            return TlsCertificate::of(*certificate);
    }
    return std::nullopt;
}

} // namespace

std::optional<ServerResponse> askHttp(const SocketAddress& address, const std::string& path,
                                      const ListenerProtocol& protocol) {
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), curl_easy_cleanup);
    Transfer transfer(curl.get(), (protocol.isTls ? "https://" : "http://") + reachable(address).toString() + path,
                      PATIENCE_SECONDS);
    transfer.set(CURLOPT_NOPROXY, "*");
    transfer.set(CURLOPT_HAPROXYPROTOCOL, protocol.hasProxyHeader ? 1L : 0L);
    // It is asked by its address, for which few certificates are good; whose it shows is for the operator to judge.
    transfer.set(CURLOPT_SSL_VERIFYPEER, 0L);
    transfer.set(CURLOPT_SSL_VERIFYHOST, 0L);
    transfer.set(CURLOPT_CERTINFO, 1L);
    const CURLcode result = transfer.perform();
    if (result == CURLE_COULDNT_CONNECT && transfer.info(CURLINFO_OS_ERRNO) == ECONNREFUSED)
        return std::nullopt;
    if (result != CURLE_OK)
        return ServerResponse{0, curl_easy_strerror(result), {}};
    auto answer = transfer.answer();
    answer.certificate = shownCertificate(curl.get());
    return answer;
}

ServerResponse postTo(const std::string& url, const std::vector<std::string>& fields, const std::string& body) {
    constexpr long LONGEST = 30;
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), curl_easy_cleanup);
    Transfer transfer(curl.get(), url, LONGEST);
    for (const std::string& field : fields)
        transfer.addField(field);
    transfer.set(CURLOPT_TIMEOUT, LONGEST);
    transfer.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    transfer.set(CURLOPT_POSTFIELDS, body.c_str());
    const CURLcode result = transfer.perform();
    return result == CURLE_OK ? transfer.answer() : ServerResponse{0, transfer.describe(result), {}};
}

ListenerProtocol protocolOf(const ServerSettings& settings) {
    const auto here = reachable(settings.listen).host(); // whoever asks himself comes from where he asks
    return {!settings.tlsCertificate.empty(),
            settings.proxyProtocol && std::any_of(settings.trustedProxies.begin(), settings.trustedProxies.end(),
                                                  [&](const AddressRange& proxies) { return proxies.contains(here); })};
}

ServerConnection::ServerConnection(ServerAddress address) : _address(std::move(address)) {
    initialise(!_address.url.empty());
    _curl = ::curl_easy_init();
}

ServerConnection::~ServerConnection() {
    ::curl_easy_cleanup(_curl);
}

ServerResponse ServerConnection::send(const ServerRequest& request) {
    ::curl_easy_reset(_curl); // its connection stays
    Transfer transfer(_curl, (_address.url.empty() ? "http://localhost" : _address.url) + request.base + request.path,
                      static_cast<long>(request.patience.count()));
    transfer.addField("Accept: application/json");
    if (!request.idempotencyKey.empty())
        transfer.addField("Idempotency-Key: " + request.idempotencyKey);
    const bool hasBody = request.method != "GET";
    if (hasBody && (request.upload || !request.body.empty()))
        transfer.addField("Content-Type: " + request.contentType);
    if (!_address.key.empty())
        transfer.addField("Authorization: Bearer " + _address.key);
    if (const auto caller = callerBehindSudo(); _address.url.empty() && !caller.empty())
        transfer.addField("X-Local-User: " + caller);
    transfer.set(CURLOPT_USERAGENT, fmt::format("supplierctl/{}", VERSION).c_str());
    if (!_address.socket.empty())
        transfer.set(CURLOPT_UNIX_SOCKET_PATH, _address.socket.c_str());
    if (!_address.url.starts_with("https:")) // what is not encrypted stays on this machine
        transfer.set(CURLOPT_NOPROXY, "*");
    if (!_address.caFile.empty())
        transfer.set(CURLOPT_CAINFO, _address.caFile.c_str());
    if (request.upload) {
        transfer.addField("Transfer-Encoding: chunked");
        transfer.sendFrom(*request.upload);
    } else if (hasBody) {
        transfer.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        transfer.set(CURLOPT_POSTFIELDS, request.body.c_str());
        transfer.set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    }
    transfer.saveTo(request.save);
    if (const CURLcode code = transfer.perform(); code != CURLE_OK)
        throw noServer(_address, code, transfer);
    return transfer.answer();
}

namespace {

/// "email must be an e-mail address" of who gave --email.
std::string describeDetail(const ResponseJson& detail, const std::map<std::string, std::string>& names) {
    const auto field = detail.value("field", "");
    const auto text = detail.value("message", "");
    const auto own = field.substr(0, field.find_first_of(".["));
    const auto known = names.find(own);
    if (known == names.end())
        return text.find(field) == std::string::npos ? field + ": " + text : text;
    const auto rest = text.starts_with(own) ? text.substr(own.size()) : std::string();
    return known->second + (rest.find_first_of(" .[") == 0 ? rest : ": " + text);
}

/// Null for what is no JSON, and for what no server of ours sends.
ResponseJson parsed(const std::string& body) {
    constexpr int MAX_DEPTH = 64;
    bool isDeep = false;
    auto json = ResponseJson::parse(
        body, [&](int depth, auto, auto&) { return !(isDeep = isDeep || depth > MAX_DEPTH); }, false);
    return isDeep || json.is_discarded() ? ResponseJson() : json;
}

} // namespace

ResponseJson ServerConnection::data(const ServerRequest& request) {
    const auto answer = send(request);
    if (answer.status >= FIRST_BAD)
        throw failureOf(answer, request.names);
    return dataOf(answer);
}

ResponseJson ServerConnection::dataOf(const ServerResponse& answer) {
    auto envelope = parsed(answer.body);
    if (!envelope.is_object() || !envelope.contains("data"))
        throw CommandFailure("what answers there is no supplierd: its answer is not one of the API");
    return std::move(envelope["data"]);
}

CommandFailure ServerConnection::failureOf(const ServerResponse& answer,
                                           const std::map<std::string, std::string>& names) {
    constexpr int UNAUTHORIZED = 401;
    constexpr int FORBIDDEN = 403;
    constexpr int INVALID = 422;
    const auto envelope = parsed(answer.body);
    const auto* const error = envelope.is_object() && envelope.contains("error") ? &envelope["error"] : nullptr;
    std::string message;
    if (error && error->is_object()) {
        for (const auto& detail : error->value("details", ResponseJson::array()))
            message += (message.empty() ? "" : "\n") + describeDetail(detail, names);
        if (message.empty())
            message = error->value("message", "");
        if (answer.status >= 500)
            message += fmt::format(" (request {})", error->value("request_id", ""));
    }
    if (message.empty())
        message = fmt::format("the server answered {}", answer.status);
    if (answer.status == UNAUTHORIZED || answer.status == FORBIDDEN)
        return CommandFailure("not allowed: " + message, ExitCode::NotAllowed);
    return CommandFailure(message, answer.status == INVALID ? ExitCode::Usage : ExitCode::Failed);
}

} // namespace supplierd::host
