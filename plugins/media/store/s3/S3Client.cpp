#include "S3Client.h"

#include "AwsSignature.h"

#include <Poco/String.h>

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <random>
#include <set>
#include <thread>
#include <utility>

namespace supplierd::media {

namespace {

using std::chrono::milliseconds;

constexpr unsigned MAX_TRIES = 6;
constexpr milliseconds FIRST_PAUSE{100};
constexpr milliseconds LONGEST_PAUSE{2'000};
/// So many failures to reach the store in a row, one that took all of its time counting for several, and it is left
/// alone.
constexpr unsigned ENOUGH_FAILURES = 6;
constexpr unsigned WEIGHT_OF_TIMEOUT = 3;
constexpr milliseconds LEFT_ALONE{3'000};
/// The largest picture is 5 MiB, a page of a list half a MiB.
constexpr std::size_t MAX_BODY = std::size_t{16} * 1024 * 1024;

struct ReleaseList {
    void operator()(curl_slist* list) const { ::curl_slist_free_all(list); }
};
using TextList = std::unique_ptr<curl_slist, ReleaseList>;

void append(TextList& list, const std::string& text) {
    curl_slist* const longer = ::curl_slist_append(list.get(), text.c_str());
    if (longer == nullptr)
        throw std::bad_alloc();
    static_cast<void>(list.release());
    list.reset(longer);
}

/// Anything between nothing and that: hosts that failed together must not come again together.
milliseconds randomPause(milliseconds longest) {
    thread_local std::minstd_rand random(std::random_device{}());
    return milliseconds(std::uniform_int_distribution<milliseconds::rep>(0, longest.count())(random));
}

std::string hostOf(const S3Settings& settings, const std::string& endpoint) {
    const std::string host = endpoint.substr(endpoint.find("://") + 3);
    return settings.isPathStyle ? host : settings.bucket + "." + host;
}

std::string schemeOf(const std::string& endpoint) {
    return endpoint.substr(0, endpoint.find("://"));
}

std::string pathOf(const S3Settings& settings, const std::string& key) {
    return (settings.isPathStyle ? "/" + settings.bucket + (key.empty() ? "" : "/") : std::string("/")) + key;
}

std::string urlOf(const S3Settings& settings, const std::string& host, const S3Request& request) {
    return schemeOf(settings.endpoint) + "://" + host + pathOf(settings, request.key) +
           (request.query.empty() ? "" : "?" + request.query);
}

/// The text of an element of an error, which has each once. Not worth a parser: what is wrong here is a wrong message.
std::string element(const std::string& xml, const std::string& name) {
    const auto begin = xml.find("<" + name + ">");
    const auto end = xml.find("</" + name + ">");
    if (begin == std::string::npos || end == std::string::npos || end < begin)
        return {};
    std::string text = xml.substr(begin + name.size() + 2, end - begin - name.size() - 2);
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }, ' ');
    return text.substr(0, 200);
}

/// What may be over in a moment.
bool mayPass(const S3Response& response) {
    static const std::set<int> STATUSES = {408, 429, 500, 502, 503, 504};
    static const std::set<std::string, std::less<>> CODES = {"RequestTimeout", "BadDigest", "OperationAborted",
                                                             "SlowDown", "XAmzContentSHA256Mismatch"};
    return STATUSES.contains(response.status) ||
           (response.status >= 400 && CODES.contains(element(response.body, "Code")));
}

/// Whether a 404 says that the object is missing, and not the bucket, or the whole store behind a proxy that knows of
/// none. To HEAD nobody says more.
bool isOfObject(const S3Request& request, const S3Response& response) {
    return !request.key.empty() && (request.method == "HEAD" || element(response.body, "Code") == "NoSuchKey");
}

std::string_view outcomeOf(const S3Response& response) {
    if (response.status < 300)
        return "ok";
    if (mayPass(response))
        return "failed";
    return response.status == 404 ? "missing" : "refused";
}

} // namespace

const std::string& S3Response::field(const std::string& name) const {
    static const std::string NONE;
    const auto found = fields.find(name);
    return found == fields.end() ? NONE : found->second;
}

/// What came of one try: a response, or why there is none.
struct S3Client::Try {
    S3Response response;
    std::string failure; ///< "" for a response
    std::string_view outcome;
    unsigned weight = 0; ///< as a failure to reach the store
    bool isFinal = false;
};

/// One of libcurl's handles, with its connection.
class S3Client::Connection {
public:
    Connection() : _easy(::curl_easy_init()) {
        if (_easy == nullptr)
            throw std::bad_alloc();
    }
    ~Connection() { ::curl_easy_cleanup(_easy); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    Try perform(const S3Settings& settings, const S3Request& request, const std::string& host, milliseconds limit) {
        ::curl_easy_reset(_easy); // keeps the connection
        _response = {};
        _isTooLong = false;
        TextList fields;
        for (const auto& field : signedFields({request.method, host, pathOf(settings, request.key), request.query,
                                               request.body, settings.region, std::chrono::system_clock::now()},
                                              request.fields, settings.credentials))
            append(fields, field);
        describeStore(settings, urlOf(settings, host, request), limit);
        describeRequest(request);
        set(CURLOPT_HTTPHEADER, fields.get());
        const CURLcode code = ::curl_easy_perform(_easy);
        if (code != CURLE_OK)
            return failed(code);
        long status = 0;
        ::curl_easy_getinfo(_easy, CURLINFO_RESPONSE_CODE, &status);
        _response.status = static_cast<int>(status);
        Try done;
        done.outcome = outcomeOf(_response);
        done.response = std::move(_response);
        return done;
    }

private:
    template <class Value>
    void set(CURLoption option, Value value) {
        if (const CURLcode code = ::curl_easy_setopt(_easy, option, value); code != CURLE_OK)
            throw std::runtime_error(std::string("libcurl does not take an option: ") + ::curl_easy_strerror(code));
    }

    void describeStore(const S3Settings& settings, const std::string& url, milliseconds limit) {
        set(CURLOPT_URL, url.c_str());
        set(CURLOPT_PATH_AS_IS, 1L);
        set(CURLOPT_USERAGENT, settings.userAgent.c_str());
        set(CURLOPT_PROTOCOLS_STR, "http,https");
        set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
        set(CURLOPT_FOLLOWLOCATION, 0L);
        set(CURLOPT_PROXY, "");
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
        if (!settings.trustedCertificates.empty()) {
            set(CURLOPT_CAINFO, settings.trustedCertificates.c_str());
            set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
        }
        set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::min(settings.connectTimeout, limit).count()));
        set(CURLOPT_TIMEOUT_MS, static_cast<long>(limit.count()));
        set(CURLOPT_ERRORBUFFER, _errorText.data());
        _errorText[0] = '\0';
        set(CURLOPT_HEADERFUNCTION, &Connection::onField);
        set(CURLOPT_HEADERDATA, this);
        set(CURLOPT_WRITEFUNCTION, &Connection::onBody);
        set(CURLOPT_WRITEDATA, this);
    }

    void describeRequest(const S3Request& request) {
        if (request.method == "HEAD") {
            set(CURLOPT_NOBODY, 1L);
        } else if (request.method == "PUT") { // as a POST by another name: its body comes from memory
            set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
            set(CURLOPT_POSTFIELDS, request.body.data() != nullptr ? request.body.data() : "");
            set(CURLOPT_CUSTOMREQUEST, "PUT");
        } else {
            set(CURLOPT_HTTPGET, 1L);
            set(CURLOPT_CUSTOMREQUEST, std::string(request.method).c_str());
        }
    }

    static std::size_t onField(char* text, std::size_t size, std::size_t count, void* context) {
        auto& self = *static_cast<Connection*>(context);
        std::string_view line(text, size * count);
        if (line.starts_with("HTTP/")) // a response before the response (100)
            self._response.fields.clear();
        const auto colon = line.find(':');
        if (colon == std::string_view::npos)
            return size * count;
        std::string_view value = line.substr(colon + 1);
        while (!value.empty() && std::isspace(static_cast<unsigned char>(value.front())) != 0)
            value.remove_prefix(1);
        while (!value.empty() && std::isspace(static_cast<unsigned char>(value.back())) != 0)
            value.remove_suffix(1);
        self._response.fields[Poco::toLower(std::string(line.substr(0, colon)))] = value;
        return size * count;
    }

    static std::size_t onBody(char* bytes, std::size_t size, std::size_t count, void* context) {
        auto& self = *static_cast<Connection*>(context);
        self._isTooLong = self._response.body.size() + size * count > MAX_BODY;
        if (self._isTooLong)
            return 0;
        self._response.body.append(bytes, size * count);
        return size * count;
    }

    Try failed(CURLcode code) const {
        Try failure;
        failure.failure = _errorText[0] != '\0' ? _errorText.data() : ::curl_easy_strerror(code);
        if (_isTooLong)
            failure.failure = "what it sends is longer than any picture";
        failure.isFinal = _isTooLong || code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_URL_MALFORMAT ||
                          code == CURLE_SSL_CACERT_BADFILE;
        failure.outcome = code == CURLE_OPERATION_TIMEDOUT ? "timeout" : "lost";
        failure.weight = code == CURLE_OPERATION_TIMEDOUT ? WEIGHT_OF_TIMEOUT : 1;
        return failure;
    }

    CURL* _easy;
    S3Response _response;
    bool _isTooLong = false;
    std::array<char, CURL_ERROR_SIZE> _errorText{};
};

/// A connection for one try; waits for one until `end`.
class S3Client::Lease {
public:
    Lease(const S3Client& client, Clock::time_point end) : _client(client) {
        std::unique_lock lock(_client._mutex);
        _hasWaited = _client._leased >= _client._settings.maxParallel;
        if (!_client._returned.wait_until(lock, end, [&] { return _client._leased < _client._settings.maxParallel; }))
            throw MediaStoreError(MediaStoreError::Kind::Unreachable,
                                  "too many requests to the S3 store at " + _client._settings.endpoint + " at once");
        ++_client._leased;
        if (!_client._idle.empty()) {
            _connection = std::move(_client._idle.back());
            _client._idle.pop_back();
        }
    }
    ~Lease() {
        {
            const std::lock_guard lock(_client._mutex);
            --_client._leased;
            if (_connection)
                _client._idle.push_back(std::move(_connection)); // room for all was reserved
        }
        _client._returned.notify_one();
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    bool hasWaited() const { return _hasWaited; }

    Connection& connection() {
        if (!_connection)
            _connection = std::make_unique<Connection>();
        return *_connection;
    }

private:
    const S3Client& _client;
    bool _hasWaited = false;
    std::unique_ptr<Connection> _connection;
};

S3Client::S3Client(const S3Settings& settings, Observer observer)
    : _settings(settings),
      _observer(std::move(observer)),
      _host(hostOf(settings, settings.endpoint)),
      _publicHost(hostOf(settings, settings.publicEndpoint.empty() ? settings.endpoint : settings.publicEndpoint)) {
    static const CURLcode initialised = ::curl_global_init(CURL_GLOBAL_DEFAULT);
    if (initialised != CURLE_OK)
        throw std::runtime_error(std::string("cannot initialise libcurl: ") + ::curl_easy_strerror(initialised));
    _idle.reserve(_settings.maxParallel);
}

S3Client::~S3Client() = default;

S3Response S3Client::send(const S3Request& request) const {
    const auto end = Clock::now() + _settings.timeout;
    milliseconds longest = FIRST_PAUSE;
    for (unsigned tries = 1;; ++tries) {
        requireReachable();
        Try outcome = once(request, end);
        if (outcome.weight > 0)
            noteFailure(outcome.weight, outcome.failure.empty()
                                            ? "it answered " + std::to_string(outcome.response.status)
                                            : outcome.failure);
        else
            noteReached();
        if (outcome.outcome == "ok" || (outcome.outcome == "missing" && isOfObject(request, outcome.response)))
            return std::move(outcome.response);
        const auto pause = randomPause(longest);
        const bool isOver = tries == MAX_TRIES || Clock::now() + pause >= end || outcome.isFinal;
        if (outcome.failure.empty() && (isOver || !mayPass(outcome.response)))
            throw refusal(request, outcome.response);
        if (isOver)
            throw MediaStoreError(MediaStoreError::Kind::Unreachable,
                                  "the S3 store at " + _settings.endpoint + " cannot be used: " + outcome.failure);
        std::this_thread::sleep_for(pause);
        longest = std::min(2 * longest, LONGEST_PAUSE);
    }
}

S3Client::Try S3Client::once(const S3Request& request, Clock::time_point end) const {
    Lease lease(*this, end);
    if (lease.hasWaited())
        requireReachable();
    const auto begin = Clock::now();
    const auto left = std::chrono::duration_cast<milliseconds>(end - begin);
    const auto limit = std::max(std::min(left, _settings.requestTimeout), milliseconds(1));
    Try outcome = lease.connection().perform(_settings, request, _host, limit);
    if (_observer)
        _observer(request.operation, outcome.outcome, Clock::now() - begin);
    return outcome;
}

MediaStoreError S3Client::refusal(const S3Request& request, const S3Response& response) const {
    using Kind = MediaStoreError::Kind;
    const std::string code = element(response.body, "Code");
    std::string text = "the S3 store at " + _settings.endpoint + " answers " + std::to_string(response.status);
    text += code.empty() ? " to " + std::string(request.method) : " " + code;
    if (const auto message = element(response.body, "Message"); !message.empty())
        text += " (" + message + ")";
    if (response.status == 507 || code == "QuotaExceeded" || code == "XMinioStorageFull")
        return {Kind::Full, text};
    if (mayPass(response))
        return {Kind::Unreachable, text};
    if (code == "SignatureDoesNotMatch")
        text += ": plugins.media.s3.secret_access_key is not the one of the access key " +
                _settings.credentials.accessKeyId + ", or the region \"" + _settings.region + "\" is wrong";
    else if (code == "InvalidAccessKeyId")
        text += ": it does not know the access key " + _settings.credentials.accessKeyId +
                (_settings.credentials.sessionToken.empty()
                     ? ""
                     : ", or not with this plugins.media.s3.session_token, which may have expired");
    else if (code == "ExpiredToken" || code == "InvalidToken" || code == "TokenRefreshRequired")
        text += ": plugins.media.s3.session_token has expired, or is not the one of the access key " +
                _settings.credentials.accessKeyId;
    else if (code == "RequestTimeTooSkewed")
        text += ": this host's clock is wrong, or the store's, which says " + response.field("date");
    else if (code == "NoSuchBucket")
        text += ": there is no bucket \"" + _settings.bucket + "\"; make it first";
    else if (code == "AccessDenied")
        text += ": the access key " + _settings.credentials.accessKeyId + " needs the rights to list the bucket \"" +
                _settings.bucket + "\" and to get, put and delete its objects";
    else if (const auto& region = response.field("x-amz-bucket-region"); !region.empty() && region != _settings.region)
        text += ": the bucket is in the region \"" + region + "\"";
    else if (code.empty() && request.method != "HEAD")
        text += ": that is no answer of an S3 store; is plugins.media.s3.endpoint right?";
    return {Kind::Refused, text};
}

void S3Client::requireReachable() const {
    const std::lock_guard lock(_reachMutex);
    if (_failures < ENOUGH_FAILURES)
        return;
    const auto now = Clock::now();
    if (now < _leftAloneUntil)
        throw MediaStoreError(MediaStoreError::Kind::Unreachable,
                              "the S3 store at " + _settings.endpoint +
                                  " could not be reached a moment ago: " + _problem);
    _leftAloneUntil = now + LEFT_ALONE; // for the others, while this one tries
}

void S3Client::noteReached() const {
    const std::lock_guard lock(_reachMutex);
    _failures = 0;
}

void S3Client::noteFailure(unsigned weight, std::string problem) const {
    const std::lock_guard lock(_reachMutex);
    _problem = std::move(problem);
    _failures = std::min(_failures + weight, ENOUGH_FAILURES);
    _leftAloneUntil = Clock::now() + LEFT_ALONE;
}

std::string S3Client::signedUrl(const std::string& key, std::string_view method) const {
    using std::chrono::seconds;
    // The beginning of a part of the time: a URL that changes with every page would never be found in a browser's
    // cache.
    const auto part = std::max(_settings.urlExpiry / 2, seconds(1));
    const auto now = std::chrono::time_point_cast<seconds>(std::chrono::system_clock::now());
    const auto signedAt = now - now.time_since_epoch() % part;
    const std::string& endpoint = _settings.publicEndpoint.empty() ? _settings.endpoint : _settings.publicEndpoint;
    return presignedUrl({method, schemeOf(endpoint), _publicHost, pathOf(_settings, key), _settings.region, signedAt,
                         _settings.urlExpiry},
                        _settings.credentials);
}

} // namespace supplierd::media
