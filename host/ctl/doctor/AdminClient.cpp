#include "host/ctl/doctor/AdminClient.h"

#include <Poco/Exception.h>
#include <Poco/Net/IPAddress.h>

#include <curl/curl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <memory>
#include <string_view>

namespace supplierd::host {
namespace {

using Poco::Net::SocketAddress;
using Sighting = ServerSighting::State;

constexpr long TIMEOUT_SECONDS = 5;
constexpr std::size_t MOST_BYTES = 16 * 1'048'576;
constexpr std::string_view SCHEME = "http://";

SocketAddress reachable(const SocketAddress& address) {
    if (!address.host().isWildcard())
        return address;
    const auto family = address.host().family();
    return {Poco::Net::IPAddress(family == Poco::Net::IPAddress::IPv6 ? "::1" : "127.0.0.1"), address.port()};
}

/// What a server that serves leaves beside its pid.
struct ProcessFiles {
    std::int64_t pid = 0;
    std::optional<SocketAddress> admin;
};

ProcessFiles readProcessFiles(const ServerSettings& settings) {
    ProcessFiles files;
    if (!settings.pidFile.empty())
        std::ifstream(settings.pidFile) >> files.pid;
    std::ifstream file(settings.addressFile);
    const auto json = nlohmann::json::parse(file, nullptr, false);
    if (!json.is_object())
        return files;
    if (files.pid == 0)
        files.pid = json.value("pid", std::int64_t{0});
    const auto url = json.value("admin_url", std::string());
    try {
        if (url.starts_with(SCHEME))
            files.admin = SocketAddress(url.substr(SCHEME.size()));
    } catch (const Poco::Exception&) {
        files.admin.reset(); // written by something else; the configured address is left
    }
    return files;
}

bool runs(std::int64_t pid) {
    return pid > 0 && (::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM);
}

/// By SIGSTOP, or a debugger.
bool standsStill(std::int64_t pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string line;
    std::getline(file, line);
    const auto name = line.rfind(") "); // which may hold anything
    return name != std::string::npos && name + 2 < line.size() && (line[name + 2] == 'T' || line[name + 2] == 't');
}

/// Why it is silent, where its process tells.
void explain(ServerSighting& seen, std::int64_t pid) {
    if (seen.state != Sighting::Silent || !standsStill(pid))
        return;
    seen.reason = fmt::format("process {} stands still (SIGSTOP)", pid);
    seen.stoppedPid = pid;
}

std::string reasonsOf(const std::string& body) {
    const auto json = nlohmann::json::parse(body, nullptr, false);
    std::string text;
    if (json.is_object() && json.contains("checks"))
        for (const auto& [check, said] : json.at("checks").items())
            if (said.is_string() && said != "ok")
                text += (text.empty() ? "" : "; ") + check + ": " + said.get<std::string>();
    return text.empty() ? body : text;
}

std::size_t takeBody(const char* data, std::size_t, std::size_t size, void* body) {
    auto& text = *static_cast<std::string*>(body);
    if (text.size() + size > MOST_BYTES)
        return 0;
    text.append(data, size);
    return size;
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

/// Nothing when nobody listens there.
std::optional<ServerSighting> look(const SocketAddress& address) {
    const auto health = askHttp(address, "/healthz");
    if (!health)
        return std::nullopt;
    if (health->status == 0)
        return ServerSighting{Sighting::Silent, health->body, address, std::nullopt};
    const auto ready = askHttp(address, "/readyz");
    if (health->status != 200 || !ready || ready->status == 404)
        return ServerSighting{Sighting::Foreign, {}, address, std::nullopt};
    ServerSighting seen{ready->status == 200 ? Sighting::Ready : Sighting::NotReady,
                        ready->status == 200 ? "" : reasonsOf(ready->body), address, std::nullopt};
    if (const auto status = askHttp(address, "/status"); status && status->status == 200)
        seen.running = RunningServer::parse(status->body);
    return seen;
}

} // namespace

std::optional<HttpAnswer> askHttp(const SocketAddress& address, const std::string& path,
                                  const ListenerProtocol& protocol) {
    const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), curl_easy_cleanup);
    HttpAnswer answer;
    const auto url = (protocol.isTls ? "https://" : "http://") + reachable(address).toString() + path;
    curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, TIMEOUT_SECONDS);
    curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_TIME, TIMEOUT_SECONDS);
    curl_easy_setopt(curl.get(), CURLOPT_HAPROXYPROTOCOL, protocol.hasProxyHeader ? 1L : 0L);
    // It is asked by its address, for which few certificates are good; whose it shows is for the operator to judge.
    curl_easy_setopt(curl.get(), CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(curl.get(), CURLOPT_SSL_VERIFYHOST, 0L);
    curl_easy_setopt(curl.get(), CURLOPT_CERTINFO, 1L);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, takeBody);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &answer.body);
    const CURLcode result = curl_easy_perform(curl.get());
    long number = 0;
    if (result == CURLE_COULDNT_CONNECT && curl_easy_getinfo(curl.get(), CURLINFO_OS_ERRNO, &number) == CURLE_OK &&
        number == ECONNREFUSED)
        return std::nullopt;
    if (result != CURLE_OK)
        return HttpAnswer{0, curl_easy_strerror(result), {}};
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &number);
    answer.status = static_cast<int>(number);
    answer.certificate = shownCertificate(curl.get());
    return answer;
}

ListenerProtocol protocolOf(const ServerSettings& settings) {
    const auto here = reachable(settings.listen).host(); // whoever asks himself comes from where he asks
    return {!settings.tlsCertificate.empty(),
            settings.proxyProtocol && std::any_of(settings.trustedProxies.begin(), settings.trustedProxies.end(),
                                                  [&](const AddressRange& proxies) { return proxies.contains(here); })};
}

ServerSighting findServer(const Settings& settings) {
    const auto& configured = settings.server.adminListen;
    const auto files = readProcessFiles(settings.server);
    std::optional<ServerSighting> seen;
    if (configured.port() != 0)
        seen = look(configured);
    if (!seen && files.admin && runs(files.pid))
        seen = look(*files.admin);
    if (!seen && files.pid == 0)
        return {Sighting::Stopped, {}, configured, std::nullopt};
    if (!seen && !runs(files.pid))
        return {Sighting::Gone, fmt::format("process {} is gone", files.pid), configured, std::nullopt};
    if (!seen)
        seen = ServerSighting{Sighting::Silent, fmt::format("process {} is there, and nobody listens", files.pid),
                              configured, std::nullopt};
    explain(*seen, files.pid);
    return *seen;
}

} // namespace supplierd::host
