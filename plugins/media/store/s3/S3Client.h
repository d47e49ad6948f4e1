#pragma once

#include "MediaStore.h"
#include "S3Settings.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace supplierd::media {

/// One request to the bucket.
struct S3Request {
    std::string_view operation; ///< for metrics: "get", "put"
    std::string_view method;    ///< "GET", "HEAD", "PUT", "DELETE"
    std::string key = {};       ///< with its prefix, of letters, digits and -_./ alone; empty: the bucket itself
    std::string query = {};     ///< encoded by awsEncoded(), in the order of the names, every name with a "="
    std::vector<std::string> fields = {}; ///< "Name: value"
    std::string_view body = {};           ///< of a PUT
};

struct S3Response {
    int status = 0;
    std::map<std::string, std::string> fields = {}; ///< by name in lower case
    std::string body = {};

    /// "" where there is none.
    const std::string& field(const std::string& name) const;
};

/// Requests to an S3 store, signed, over connections that are kept. What may pass (5xx, 429, lost
/// connections) is tried again after growing random pauses. A store that is not reached is left alone for some seconds:
/// then every request fails at once, so that it costs no threads. Thread: any, several at once.
class S3Client {
public:
    /// One try: `outcome` is "ok", "missing", "refused", "failed" (5xx, 429), "lost" (no connection, or it broke),
    /// "timeout".
    using Observer =
        std::function<void(std::string_view operation, std::string_view outcome, std::chrono::duration<double> took)>;

    S3Client(const S3Settings& settings, Observer observer);
    ~S3Client();
    S3Client(const S3Client&) = delete;
    S3Client& operator=(const S3Client&) = delete;

    const S3Settings& settings() const { return _settings; }

    /// A response of 2xx, or 404 for an object. Throws MediaStoreError for all else, with what an operator can do.
    S3Response send(const S3Request& request) const;

    /// Whoever has it may read the object until it expires. The same for some time, so that browsers keep what they
    /// have. Asks nobody.
    std::string signedUrl(const std::string& key, std::string_view method) const;

private:
    using Clock = std::chrono::steady_clock;
    class Connection;
    class Lease;
    struct Try;

    Try once(const S3Request& request, Clock::time_point end) const;
    MediaStoreError refusal(const S3Request& request, const S3Response& response) const;
    void requireReachable() const;
    void noteReached() const;
    void noteFailure(unsigned weight, std::string problem) const;

    const S3Settings _settings;
    const Observer _observer;
    const std::string _host;
    const std::string _publicHost;

    mutable std::mutex _mutex;
    mutable std::condition_variable _returned;
    mutable std::vector<std::unique_ptr<Connection>> _idle;
    mutable unsigned _leased = 0;

    mutable std::mutex _reachMutex;
    mutable unsigned _failures = 0; ///< one after the other
    mutable std::string _problem;   ///< the last one
    mutable Clock::time_point _leftAloneUntil;
};

} // namespace supplierd::media
