#include "host/ctl/client/ServerConnection.h"

#include "host/Version.h"
#include "host/ctl/terminal/CommandFailure.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>

namespace supplierd::host {

namespace {

constexpr const char* BASE = "/api/v1/platform";
constexpr long CONNECT_SECONDS = 5;
constexpr std::size_t MAX_ANSWER = std::size_t{256} << 20;

/// Loading certificates and keys takes most of the time of a call that needs none.
void initialise(bool needsTls) {
    static const CURLcode CODE = ::curl_global_init(needsTls ? CURL_GLOBAL_DEFAULT : CURL_GLOBAL_NOTHING);
    if (CODE != CURLE_OK)
        throw CommandFailure(std::string("libcurl cannot be used: ") + ::curl_easy_strerror(CODE));
}

struct Fields {
    curl_slist* list = nullptr;
    ~Fields() { ::curl_slist_free_all(list); }
    void add(const std::string& line) { list = ::curl_slist_append(list, line.c_str()); }
};

/// What one request reads and writes.
struct Transfer {
    CURL* handle = nullptr;
    const ServerRequest& request;
    std::string body;
    std::exception_ptr failure;

    long status() const {
        long code = 0;
        ::curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
        return code;
    }

    static std::size_t receive(char* data, std::size_t, std::size_t size, void* self) {
        constexpr long FIRST_BAD = 300;
        auto& transfer = *static_cast<Transfer*>(self);
        try {
            if (transfer.request.save && transfer.status() < FIRST_BAD)
                transfer.request.save({data, size});
            else if (transfer.body.size() + size > MAX_ANSWER)
                throw CommandFailure("the answer is larger than 256 MiB");
            else
                transfer.body.append(data, size);
            return size;
        } catch (...) {
            transfer.failure = std::current_exception(); // goes on behind libcurl, which knows no exceptions
            return 0;
        }
    }

    static std::size_t read(char* to, std::size_t, std::size_t size, void* self) {
        auto& transfer = *static_cast<Transfer*>(self);
        transfer.request.upload->read(to, static_cast<std::streamsize>(size));
        return transfer.request.upload->bad() ? CURL_READFUNC_ABORT
                                              : static_cast<std::size_t>(transfer.request.upload->gcount());
    }
};

/// Who called `sudo`, for the audit log: the server believes it of root alone.
std::string callerBehindSudo() {
    const char* const name = std::getenv("SUDO_USER");
    return ::getuid() == 0 && name ? name : "";
}

CommandFailure noServer(const ServerAddress& address, CURLcode code, long reason, const char* text) {
    if (!address.url.empty())
        return CommandFailure(fmt::format("{} cannot be reached: {}", address.describe(), text));
    if (reason == EACCES || reason == EPERM)
        return CommandFailure(fmt::format("not allowed: {} is for root and the members of its group; run supplierctl "
                                          "with sudo, or let root add this user: adduser USER supplierd",
                                          address.socket),
                              ExitCode::NotAllowed);
    if (code == CURLE_COULDNT_CONNECT)
        return CommandFailure(fmt::format("no server runs here (nobody answers at {}); start it with: systemctl start "
                                          "supplierd",
                                          address.socket));
    return CommandFailure(fmt::format("{} did not answer: {}", address.describe(), text));
}

} // namespace

struct ServerConnection::Curl {
    CURL* handle = ::curl_easy_init();
    std::array<char, CURL_ERROR_SIZE> text{};

    Curl() = default;
    ~Curl() { ::curl_easy_cleanup(handle); }
    Curl(const Curl&) = delete;
    Curl& operator=(const Curl&) = delete;
};

ServerConnection::ServerConnection(ServerAddress address) : _address(std::move(address)) {
    initialise(!_address.url.empty());
    _curl = std::make_unique<Curl>();
}

ServerConnection::~ServerConnection() = default;

ServerAnswer ServerConnection::send(const ServerRequest& request) {
    CURL* const handle = _curl->handle;
    ::curl_easy_reset(handle); // its connection stays
    Transfer transfer{handle, request, {}, nullptr};
    Fields fields;
    fields.add("Accept: application/json");
    if (!request.idempotencyKey.empty())
        fields.add("Idempotency-Key: " + request.idempotencyKey);
    const bool hasBody = request.method != "GET";
    if (hasBody && (request.upload || !request.body.empty()))
        fields.add("Content-Type: " + request.contentType);
    if (!_address.key.empty())
        fields.add("Authorization: Bearer " + _address.key);
    if (const auto caller = callerBehindSudo(); _address.url.empty() && !caller.empty())
        fields.add("X-Local-User: " + caller);
    const auto url = (_address.url.empty() ? std::string("http://localhost") : _address.url) + BASE + request.path;
    ::curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
    ::curl_easy_setopt(handle, CURLOPT_USERAGENT, fmt::format("supplierctl/{}", VERSION).c_str());
    if (!_address.socket.empty()) {
        ::curl_easy_setopt(handle, CURLOPT_UNIX_SOCKET_PATH, _address.socket.c_str());
        ::curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
    }
    if (!_address.caFile.empty())
        ::curl_easy_setopt(handle, CURLOPT_CAINFO, _address.caFile.c_str());
    ::curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    ::curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
    ::curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
    ::curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(request.patience.count()));
    ::curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, _curl->text.data());
    ::curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &Transfer::receive);
    ::curl_easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
    if (request.upload) {
        fields.add("Transfer-Encoding: chunked");
        ::curl_easy_setopt(handle, CURLOPT_POST, 1L);
        ::curl_easy_setopt(handle, CURLOPT_READFUNCTION, &Transfer::read);
        ::curl_easy_setopt(handle, CURLOPT_READDATA, &transfer);
    } else if (hasBody) {
        ::curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        ::curl_easy_setopt(handle, CURLOPT_POSTFIELDS, request.body.c_str());
        ::curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    }
    ::curl_easy_setopt(handle, CURLOPT_HTTPHEADER, fields.list);
    _curl->text.front() = '\0';
    const CURLcode code = ::curl_easy_perform(handle);
    if (transfer.failure)
        std::rethrow_exception(transfer.failure);
    if (code != CURLE_OK) {
        long reason = 0;
        ::curl_easy_getinfo(handle, CURLINFO_OS_ERRNO, &reason);
        throw noServer(_address, code, reason, _curl->text.front() ? _curl->text.data() : ::curl_easy_strerror(code));
    }
    return {static_cast<int>(transfer.status()), std::move(transfer.body)};
}

AnswerJson ServerConnection::data(const ServerRequest& request) {
    constexpr int FIRST_BAD = 300;
    const auto answer = send(request);
    if (answer.status >= FIRST_BAD)
        throw failureOf(answer);
    auto envelope = AnswerJson::parse(answer.body, nullptr, false);
    if (!envelope.is_object() || !envelope.contains("data"))
        throw CommandFailure(_address.describe() + " is no supplierd: its answer is not one of the API");
    return std::move(envelope["data"]);
}

CommandFailure ServerConnection::failureOf(const ServerAnswer& answer) {
    constexpr int UNAUTHORIZED = 401;
    constexpr int FORBIDDEN = 403;
    constexpr int INVALID = 422;
    const auto envelope = AnswerJson::parse(answer.body, nullptr, false);
    const auto* const error = envelope.is_object() && envelope.contains("error") ? &envelope["error"] : nullptr;
    std::string message;
    if (error && error->is_object()) {
        for (const auto& detail : error->value("details", AnswerJson::array())) {
            const auto field = detail.value("field", "");
            const auto text = detail.value("message", "");
            const bool namesField = field.empty() || text.find(field) != std::string::npos;
            message += (message.empty() ? "" : "\n") + (namesField ? text : field + ": " + text);
        }
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
