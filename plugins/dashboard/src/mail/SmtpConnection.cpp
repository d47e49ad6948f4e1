#include "SmtpConnection.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>
#include <tuple>

namespace supplierd::dashboard {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds CONNECT_LIMIT{10'000};
constexpr milliseconds SEND_LIMIT{60'000};

struct ReleaseList {
    void operator()(curl_slist* list) const { ::curl_slist_free_all(list); }
};
using TextList = std::unique_ptr<curl_slist, ReleaseList>;

} // namespace

SmtpConnection::SmtpConnection(const MailSettings& settings, const StopSignal* stop)
    : _settings(settings), _stop(stop), _easy(::curl_easy_init()) {
    static_assert(CURL_ERROR_SIZE <= std::tuple_size_v<decltype(_errorText)>);
    if (_easy == nullptr)
        throw std::bad_alloc();
}

SmtpConnection::~SmtpConnection() {
    ::curl_easy_cleanup(_easy);
}

template <class Option, class Value>
void SmtpConnection::set(Option option, Value value) {
    if (const CURLcode code = ::curl_easy_setopt(_easy, option, value); code != CURLE_OK)
        throw std::runtime_error(std::string("libcurl does not take an option: ") + ::curl_easy_strerror(code));
}

void SmtpConnection::describeServer(milliseconds limit) {
    ::curl_easy_reset(_easy); // keeps the connection
    set(CURLOPT_URL, _settings.server.c_str());
    set(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    set(CURLOPT_PROXY, "");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_USE_SSL, static_cast<long>(_settings.isEncrypted ? CURLUSESSL_ALL : CURLUSESSL_NONE));
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    if (!_settings.trustedCertificates.empty()) {
        set(CURLOPT_CAINFO, _settings.trustedCertificates.c_str());
        set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    }
    if (!_settings.user.empty()) {
        set(CURLOPT_USERNAME, _settings.user.c_str());
        set(CURLOPT_PASSWORD, _settings.password.c_str());
    }
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::min(limit, CONNECT_LIMIT).count()));
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(limit.count()));
    set(CURLOPT_ERRORBUFFER, _errorText.data());
    _errorText[0] = '\0';
    // Of what goes over the wire only the commands are looked at, for their names; nothing of it is kept.
    set(CURLOPT_VERBOSE, 1L);
    set(
        CURLOPT_DEBUGFUNCTION, +[](CURL*, curl_infotype kind, char* text, std::size_t size, void* context) {
            if (kind == CURLINFO_HEADER_OUT && std::string_view(text, size).starts_with("RCPT"))
                static_cast<SmtpConnection*>(context)->_isAtMail = true;
            return 0;
        });
    set(CURLOPT_DEBUGDATA, this);
    set(
        CURLOPT_WRITEFUNCTION, +[](char*, std::size_t size, std::size_t count, void*) { return size * count; });
    set(CURLOPT_NOPROGRESS, 0L);
    set(
        CURLOPT_XFERINFOFUNCTION, +[](void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
            const StopSignal* const stop = static_cast<SmtpConnection*>(context)->_stop;
            return stop != nullptr && stop->isRaised() ? 1 : 0;
        });
    set(CURLOPT_XFERINFODATA, this);
    _isAtMail = false;
}

SmtpConnection::Answer SmtpConnection::send(const std::string& to, std::string_view message) {
    describeServer(SEND_LIMIT);
    const std::string from = "<" + _settings.from + ">";
    const TextList recipients(::curl_slist_append(nullptr, ("<" + to + ">").c_str()));
    if (!recipients)
        throw std::bad_alloc();
    set(CURLOPT_MAIL_FROM, from.c_str());
    set(CURLOPT_MAIL_RCPT, recipients.get());
    set(CURLOPT_UPLOAD, 1L);
    set(
        CURLOPT_READFUNCTION, +[](char* into, std::size_t size, std::size_t count, void* context) {
            std::string_view& rest = static_cast<SmtpConnection*>(context)->_rest;
            const std::size_t length = std::min(size * count, rest.size());
            std::copy_n(rest.data(), length, into);
            rest.remove_prefix(length);
            return length;
        });
    set(CURLOPT_READDATA, this);
    _rest = message;
    return perform();
}

SmtpConnection::Answer SmtpConnection::ask(milliseconds limit) {
    describeServer(limit);
    set(CURLOPT_CUSTOMREQUEST, "NOOP");
    return perform();
}

SmtpConnection::Answer SmtpConnection::perform() {
    const CURLcode code = ::curl_easy_perform(_easy);
    if (code == CURLE_OK)
        return {};
    long reply = 0;
    ::curl_easy_getinfo(_easy, CURLINFO_RESPONSE_CODE, &reply);
    Answer answer;
    answer.reason = _errorText[0] != '\0' ? _errorText.data() : ::curl_easy_strerror(code);
    answer.outcome = !_isAtMail || reply < 400 ? Outcome::Unreachable : Outcome::NotThisOne;
    return answer;
}

} // namespace supplierd::dashboard
