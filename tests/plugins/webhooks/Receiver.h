#pragma once

#include "tests/support/Json.h"
#include "tests/support/LoopbackOrigin.h"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace supplierd::tests {

/// A delivery as it came in.
struct Received {
    std::string path;
    std::string id;
    std::string timestamp;
    std::string signature;
    std::string text;

    Json body() const { return Json::parse(text); }
    Json data() const { return body().at("data"); }
    std::string type() const { return body().at("type"); }
};

/// A supplier's server: takes deliveries on any path, answers 200 or as the test says. Thread: any.
class Receiver {
public:
    /// Answers instead; the delivery has been noted. Throwing is fine.
    using Behaviour = std::function<void(OriginConnection&, const Received&)>;

    Receiver();
    explicit Receiver(const LoopbackOrigin::Certificate& certificate);

    unsigned port() const { return _origin.port(); }
    std::string url(const std::string& path) const;
    void on(const std::string& path, Behaviour behaviour);
    /// What came on that path so far.
    std::vector<Received> received(const std::string& path) const;
    /// The same once there are so many; fails the test when they do not come within a minute.
    std::vector<Received> waitFor(const std::string& path, std::size_t count);
    /// Until `isEnough` says so.
    void waitUntil(const std::function<bool()>& isEnough);

private:
    void take(OriginConnection& connection);

    mutable std::mutex _mutex;
    std::condition_variable _changed;
    std::map<std::string, Behaviour> _behaviours;
    std::vector<Received> _received;
    const bool _isSecure;
    LoopbackOrigin _origin;
};

/// Whether one of the signatures is that of `secret`, computed by OpenSSL alone.
bool isSignedWith(const std::string& secret, const Received& delivery);
std::size_t signatureCount(const Received& delivery);

} // namespace supplierd::tests
