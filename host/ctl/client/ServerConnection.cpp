#include "host/ctl/client/ServerConnection.h"

#include "host/Version.h"
#include "host/config/SettingsLoader.h"

#include <Poco/Net/IPAddress.h>
#include <Poco/String.h>
#include <Poco/URI.h>

#include <CLI/CLI.hpp>
#include <curl/curl.h>
#include <fmt/format.h>
#include <grp.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace supplierd::host {

namespace {

using Poco::Net::SocketAddress;

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "";
}

/// The first line. Throws when others may read it: it is as good as the operator.
std::string keyIn(const std::string& file) {
    std::ifstream in(file);
    std::string key;
    struct stat found {};
    if (!std::getline(in, key) || ::stat(file.c_str(), &found) != 0)
        throw CommandFailure("cannot read an operator's key from " + file, ExitCode::Usage);
    if (S_ISREG(found.st_mode) && (found.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        throw CommandFailure(fmt::format("others may read {}, which has a key; run: chmod 600 {}", file, file),
                             ExitCode::NotAllowed);
    return Poco::trim(key);
}

std::filesystem::path profilesFile() {
    const auto folder = environment("XDG_CONFIG_HOME");
    const std::filesystem::path base =
        folder.empty() ? std::filesystem::path(environment("HOME")) / ".config" : std::filesystem::path(folder);
    return base / "supplierd" / "profiles.toml";
}

struct Profile {
    std::string server;
    std::string keyFile;
    std::string caFile;
};

/// `[name]` with server, key_file and ca_file. A relative file is taken from the folder of the profiles.
Profile readProfile(const std::string& name) {
    const auto file = profilesFile();
    try {
        const toml::table table = toml::parse_file(file.string());
        const auto* const profile = table[name].as_table();
        if (!profile)
            throw CommandFailure(fmt::format("there is no profile [{}] in {}", name, file.string()), ExitCode::Usage);
        for (const auto& [key, value] : *profile)
            if ((key != "server" && key != "key_file" && key != "ca_file") || !value.is_string())
                throw CommandFailure(fmt::format("[{}] in {}: '{}' is not one of server, key_file and ca_file, each a "
                                                 "text",
                                                 name, file.string(), std::string(key.str())),
                                     ExitCode::Usage);
        const auto text = [&](const char* key) { return (*profile)[key].value_or(std::string()); };
        if (text("server").empty()) // or the server of this machine would be taken for it
            throw CommandFailure(fmt::format("[{}] in {} has no server", name, file.string()), ExitCode::Usage);
        const auto path = [&](const char* key) {
            return text(key).empty() ? std::string() : (file.parent_path() / text(key)).string();
        };
        return {text("server"), path("key_file"), path("ca_file")};
    } catch (const toml::parse_error& error) {
        throw CommandFailure(fmt::format("cannot read the profile '{}' from {}: {}", name, file.string(),
                                         std::string(error.description())),
                             ExitCode::Usage);
    }
}

/// A key must not cross a network that others may read.
void requireSafe(const std::string& url) {
    const Poco::URI uri(url);
    if (!uri.getUserInfo().empty())
        throw CommandFailure("--server takes no user and no password; a key comes from --key-file", ExitCode::Usage);
    const auto& host = uri.getHost();
    const bool isLoopback = host == "localhost" || host == "127.0.0.1" || host == "::1" || host == "[::1]";
    if (uri.getScheme() != "https" && !(uri.getScheme() == "http" && isLoopback))
        throw CommandFailure(fmt::format("--server needs an address like https://api.market.example, found '{}'", url),
                             ExitCode::Usage);
}

std::string firstOf(const std::string& option, const std::string& profile, const char* variable) {
    if (!option.empty())
        return option;
    return profile.empty() ? environment(variable) : profile;
}

/// The configuration is for the server's user; who only may use its socket finds it at its usual place.
std::string socketOf(const std::string& configFile) {
    if (::access(configFile.c_str(), R_OK) != 0)
        return DEFAULT_CONTROL_SOCKET;
    Diagnostics problems;
    const auto settings = loadSettings(configFile, problems);
    // A secret that only the server may read is none of a client's; what keeps the server from running is.
    const auto& socket = settings.server.controlSocket;
    if (problems.hasErrors() && (socket.empty() || (::access(socket.c_str(), W_OK) != 0 && errno != EACCES)))
        throw CommandFailure(problems.toString());
    if (settings.server.controlSocket.empty())
        throw CommandFailure(configFile + " has no server.control_socket, by which the server could be reached; use "
                                          "--server, or set it");
    return settings.server.controlSocket.string();
}

} // namespace

std::string ServerAddress::describe() const {
    return "the server at " + (url.empty() ? socket : url);
}

void ServerOptions::addTo(CLI::App& program) {
    program.add_option("--server", _server, "Another server than this machine's: https://api.market.example")
        ->type_name("URL");
    program.add_option("--key-file", _keyFile, "For --server: a file with an operator's key")->type_name("FILE");
    program.add_option("--ca-file", _caFile, "For --server: the certificates of a private authority")
        ->type_name("FILE");
    program
        .add_option("--profile", _profile, "What --server and the others are, from ~/.config/supplierd/profiles.toml")
        ->type_name("NAME");
}

ServerAddress ServerOptions::resolve(const std::string& configFile) const {
    if (!_server.empty() && !_profile.empty()) // the key of one must not go to the other
        throw CommandFailure("give either --server or --profile", ExitCode::Usage);
    const auto name = _profile.empty() && _server.empty() ? environment("SUPPLIERD_PROFILE") : _profile;
    const auto profile = name.empty() ? Profile() : readProfile(name);
    ServerAddress address;
    address.url = firstOf(_server, profile.server, "SUPPLIERD_SERVER");
    while (address.url.ends_with('/'))
        address.url.pop_back();
    if (address.url.empty() && !(_keyFile.empty() && _caFile.empty()))
        throw CommandFailure("--key-file and --ca-file are for another server: name it with --server or --profile",
                             ExitCode::Usage);
    if (address.url.empty()) {
        address.socket = socketOf(configFile);
        return address;
    }
    requireSafe(address.url);
    address.caFile = firstOf(_caFile, profile.caFile, "SUPPLIERD_CA_FILE");
    if (!address.caFile.empty() && ::access(address.caFile.c_str(), R_OK) != 0)
        throw CommandFailure("cannot read the certificates in " + address.caFile, ExitCode::Usage);
    const auto keyFile = firstOf(_keyFile, profile.keyFile, "SUPPLIERD_KEY_FILE");
    address.key = keyFile.empty() ? environment("SUPPLIERD_KEY") : keyIn(keyFile);
    if (address.key.empty())
        throw CommandFailure(
            fmt::format("{} wants an operator's key: give --key-file FILE, a profile, or SUPPLIERD_KEY "
                        "in the environment",
                        address.url),
            ExitCode::Usage);
    return address;
}

namespace {

constexpr const char* BASE = "/api/v1/platform";
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
    HttpAnswer answer() { return {static_cast<int>(info(CURLINFO_RESPONSE_CODE)), std::move(_body), {}}; }
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

std::optional<HttpAnswer> askHttp(const SocketAddress& address, const std::string& path,
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
        return HttpAnswer{0, curl_easy_strerror(result), {}};
    auto answer = transfer.answer();
    answer.certificate = shownCertificate(curl.get());
    return answer;
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

HttpAnswer ServerConnection::send(const ServerRequest& request) {
    ::curl_easy_reset(_curl); // its connection stays
    Transfer transfer(_curl, (_address.url.empty() ? "http://localhost" : _address.url) + BASE + request.path,
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

/// Null for what is no JSON, and for what no server of ours sends.
AnswerJson parsed(const std::string& body) {
    constexpr int MAX_DEPTH = 64;
    bool isDeep = false;
    auto json = AnswerJson::parse(
        body, [&](int depth, auto, auto&) { return !(isDeep = isDeep || depth > MAX_DEPTH); }, false);
    return isDeep || json.is_discarded() ? AnswerJson() : json;
}

} // namespace

AnswerJson ServerConnection::data(const ServerRequest& request) {
    const auto answer = send(request);
    if (answer.status >= FIRST_BAD)
        throw failureOf(answer);
    return dataOf(answer);
}

AnswerJson ServerConnection::dataOf(const HttpAnswer& answer) {
    auto envelope = parsed(answer.body);
    if (!envelope.is_object() || !envelope.contains("data"))
        throw CommandFailure("what answers there is no supplierd: its answer is not one of the API");
    return std::move(envelope["data"]);
}

CommandFailure ServerConnection::failureOf(const HttpAnswer& answer) {
    constexpr int UNAUTHORIZED = 401;
    constexpr int FORBIDDEN = 403;
    constexpr int INVALID = 422;
    const auto envelope = parsed(answer.body);
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
